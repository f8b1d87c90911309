"""
The `spmd` dialect: the program of one work-item (level 0), sub-groups in lock step
(level 2) and masks (level 3).
"""

from xdsl.ir import Dialect

from spmd.dialects.spmd.attributes import (
    GLOBAL,
    LOCAL,
    PRIVATE,
    Dimension,
    DimensionAttr,
    Memory,
    MemoryAttr,
    Scope,
    ScopeAttr,
)
from spmd.dialects.spmd.barrier import BarrierOp
from spmd.dialects.spmd.collectives import AllOp, AnyOp, VoteOp
from spmd.dialects.spmd.ids import (
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    LaneIdOp,
    LocalIdOp,
    LocalSizeOp,
    NumGroupsOp,
    NumSubGroupsOp,
    SubGroupIdOp,
    SubGroupQueryOp,
    SubGroupSizeOp,
)
from spmd.dialects.spmd.kernel import KernelOp, LocalAllocOp, ReturnOp
from spmd.dialects.spmd.lanes import MaskedOp, SubGroupOp, YieldOp

SPMD = Dialect(
    "spmd",
    [
        AllOp,
        AnyOp,
        BarrierOp,
        EnqueuedLocalSizeOp,
        GlobalIdOp,
        GlobalSizeOp,
        GroupIdOp,
        KernelOp,
        LaneIdOp,
        LocalAllocOp,
        LocalIdOp,
        LocalSizeOp,
        MaskedOp,
        NumGroupsOp,
        NumSubGroupsOp,
        ReturnOp,
        SubGroupIdOp,
        SubGroupOp,
        SubGroupSizeOp,
        YieldOp,
    ],
    [DimensionAttr, MemoryAttr, ScopeAttr],
)

__all__ = [
    "GLOBAL",
    "LOCAL",
    "PRIVATE",
    "SPMD",
    "AllOp",
    "AnyOp",
    "BarrierOp",
    "Dimension",
    "DimensionAttr",
    "DimensionOp",
    "EnqueuedLocalSizeOp",
    "GlobalIdOp",
    "GlobalSizeOp",
    "GroupIdOp",
    "KernelOp",
    "LaneIdOp",
    "LocalAllocOp",
    "LocalIdOp",
    "LocalSizeOp",
    "MaskedOp",
    "Memory",
    "MemoryAttr",
    "NumGroupsOp",
    "NumSubGroupsOp",
    "ReturnOp",
    "Scope",
    "ScopeAttr",
    "SubGroupIdOp",
    "SubGroupOp",
    "SubGroupQueryOp",
    "SubGroupSizeOp",
    "VoteOp",
    "YieldOp",
]
