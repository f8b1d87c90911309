"""
The `spmd` dialect: the program of one work-item (level 0), sub-groups in lock step
(level 2) and masks (level 3).
"""

from xdsl.ir import Attribute, Dialect, Operation

from spmd.dialects.spmd import (
    atomics,
    collectives,
    cpu,
    ids,
    kernel,
    lanes,
    launch,
    messages,
    sub_group_ids,
    types,
    votes,
    work_group,
)
from spmd.dialects.spmd.atomics import AtomicCasOp as AtomicCasOp
from spmd.dialects.spmd.atomics import AtomicKind as AtomicKind
from spmd.dialects.spmd.atomics import AtomicRmwOp as AtomicRmwOp
from spmd.dialects.spmd.atomics import AtomicScope as AtomicScope
from spmd.dialects.spmd.atomics import Ordering as Ordering
from spmd.dialects.spmd.collective import CollectiveOp as CollectiveOp
from spmd.dialects.spmd.collective import ConvergentOp as ConvergentOp
from spmd.dialects.spmd.collective import convergence_of as convergence_of
from spmd.dialects.spmd.collective import is_group_collective as is_group_collective
from spmd.dialects.spmd.collective import is_sync as is_sync
from spmd.dialects.spmd.collective import needs_sub_groups as needs_sub_groups
from spmd.dialects.spmd.collective import sees_group as sees_group
from spmd.dialects.spmd.collective import sees_work_group as sees_work_group
from spmd.dialects.spmd.collectives import BroadcastOp as BroadcastOp
from spmd.dialects.spmd.collectives import ReduceOp as ReduceOp
from spmd.dialects.spmd.collectives import ScanMode as ScanMode
from spmd.dialects.spmd.collectives import ScanOp as ScanOp
from spmd.dialects.spmd.collectives import ShuffleMode as ShuffleMode
from spmd.dialects.spmd.collectives import ShuffleOp as ShuffleOp
from spmd.dialects.spmd.cpu import ClockOp as ClockOp
from spmd.dialects.spmd.cpu import PrefetchOp as PrefetchOp
from spmd.dialects.spmd.ids import DimensionOp as DimensionOp
from spmd.dialects.spmd.ids import EnqueuedLocalSizeOp as EnqueuedLocalSizeOp
from spmd.dialects.spmd.ids import GlobalIdOp as GlobalIdOp
from spmd.dialects.spmd.ids import GlobalSizeOp as GlobalSizeOp
from spmd.dialects.spmd.ids import GroupIdOp as GroupIdOp
from spmd.dialects.spmd.ids import LocalIdOp as LocalIdOp
from spmd.dialects.spmd.ids import LocalSizeOp as LocalSizeOp
from spmd.dialects.spmd.ids import NumGroupsOp as NumGroupsOp
from spmd.dialects.spmd.kernel import KernelOp as KernelOp
from spmd.dialects.spmd.kernel import ReturnOp as ReturnOp
from spmd.dialects.spmd.lanes import MaskedOp as MaskedOp
from spmd.dialects.spmd.lanes import SubGroupOp as SubGroupOp
from spmd.dialects.spmd.lanes import YieldOp as YieldOp
from spmd.dialects.spmd.launch import Extent as Extent
from spmd.dialects.spmd.launch import LaunchOp as LaunchOp
from spmd.dialects.spmd.launch import LocalArgument as LocalArgument
from spmd.dialects.spmd.messages import FailOp as FailOp
from spmd.dialects.spmd.messages import PollOp as PollOp
from spmd.dialects.spmd.messages import PrintOp as PrintOp
from spmd.dialects.spmd.messages import ends_launch as ends_launch
from spmd.dialects.spmd.sub_group_ids import LaneIdOp as LaneIdOp
from spmd.dialects.spmd.sub_group_ids import NumSubGroupsOp as NumSubGroupsOp
from spmd.dialects.spmd.sub_group_ids import SubGroupIdOp as SubGroupIdOp
from spmd.dialects.spmd.sub_group_ids import SubGroupQueryOp as SubGroupQueryOp
from spmd.dialects.spmd.sub_group_ids import SubGroupSizeOp as SubGroupSizeOp
from spmd.dialects.spmd.types import LOCAL as LOCAL
from spmd.dialects.spmd.types import Dimension as Dimension
from spmd.dialects.spmd.types import Kind as Kind
from spmd.dialects.spmd.types import MemoryAttr as MemoryAttr
from spmd.dialects.spmd.types import Scope as Scope
from spmd.dialects.spmd.types import ScopeAttr as ScopeAttr
from spmd.dialects.spmd.types import combine as combine
from spmd.dialects.spmd.types import neutral_element as neutral_element
from spmd.dialects.spmd.types import why_not_kind as why_not_kind
from spmd.dialects.spmd.votes import AllOp as AllOp
from spmd.dialects.spmd.votes import AnyOp as AnyOp
from spmd.dialects.spmd.votes import BallotOp as BallotOp
from spmd.dialects.spmd.votes import ElectOp as ElectOp
from spmd.dialects.spmd.work_group import BarrierOp as BarrierOp
from spmd.dialects.spmd.work_group import LocalAllocOp as LocalAllocOp
from spmd.dialects.spmd.work_group import is_group_barrier as is_group_barrier

MODULES = (
    kernel,
    ids,
    sub_group_ids,
    work_group,
    collectives,
    votes,
    atomics,
    cpu,
    launch,
    messages,
    lanes,
    types,
)
"""
The files that define ops and attributes, in the order of `docs/language.md`, where each is
a chapter: its docstring, then those of its ops.
"""

_DEFINED = [
    defined
    for module in MODULES
    for defined in vars(module).values()
    if isinstance(defined, type)
    and defined.__module__ == module.__name__
    and "name" in vars(defined)
]
"""The classes with a name in IR: no bases, nothing imported."""

SPMD = Dialect(
    "spmd",
    [op for op in _DEFINED if issubclass(op, Operation)],
    [attribute for attribute in _DEFINED if issubclass(attribute, Attribute)],
)
