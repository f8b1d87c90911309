"""
What `canonicalize` simplifies in the dialect, as far as it needs no analysis.

Sizes are known inside a kernel that fixes them. A group may be smaller than
`work_group_size`, so only sizes of 1, and all sizes under `spmd.full_groups`, are exact.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import ConstantLike, is_side_effect_free

from spmd.dialects.spmd.attributes import Scope
from spmd.dialects.spmd.barrier import BarrierOp
from spmd.dialects.spmd.collectives import (
    BroadcastOp,
    ReduceOp,
    ScanMode,
    ScanOp,
)
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
from spmd.dialects.spmd.kernel import KernelOp
from spmd.dialects.spmd.kinds import Kind, neutral_element
from spmd.dialects.spmd.placement import nearest
from spmd.dialects.spmd.shuffle import ShuffleOp
from spmd.dialects.spmd.votes import AllOp, AnyOp, BallotOp, ElectOp

COLLECTIVES = (
    AllOp,
    AnyOp,
    BallotOp,
    BroadcastOp,
    ElectOp,
    ReduceOp,
    ScanOp,
    ShuffleOp,
)

IDEMPOTENT = (Kind.MIN, Kind.MAX, Kind.MINUI, Kind.MAXUI, Kind.AND, Kind.OR)
"""The kinds that make of any number of equal values that same value."""


def _replace(
    op: Operation, by: Operation | SSAValue, rewriter: PatternRewriter
) -> None:
    """Replace `op`, which has one result, and keep its place in the source."""
    if isinstance(by, SSAValue):
        rewriter.replace(op, (), (by,))
        return
    by.location = op.location
    rewriter.replace(op, by)


def _constant(value: IntegerAttr, op: Operation, rewriter: PatternRewriter) -> None:
    from xdsl.dialects.arith import ConstantOp

    _replace(op, ConstantOp(value), rewriter)


def _index(value: int, op: Operation, rewriter: PatternRewriter) -> None:
    _constant(IntegerAttr(value, IndexType()), op, rewriter)


def _kernel(op: Operation) -> KernelOp | None:
    """The kernel around `op`; what a function is called from is not known here."""
    kernel = nearest(op, KernelOp.name)
    assert kernel is None or isinstance(kernel, KernelOp)
    return kernel


class FoldFixedSizes(RewritePattern):
    """
    ```mlir
    // before, in a kernel with work_group_size = array<i64: 64>
    %y = spmd.local_id y
    %n = spmd.enqueued_local_size x
    %g = spmd.global_id z

    // after
    %y = arith.constant 0 : index
    %n = arith.constant 64 : index
    %g = spmd.group_id z
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DimensionOp, rewriter: PatternRewriter) -> None:
        kernel = _kernel(op)
        if kernel is None or kernel.group_size is None:
            return
        dimension = op.dimension.data
        size = kernel.group_size[dimension.number]
        exact = size == 1 or kernel.has_full_groups
        match op:
            case EnqueuedLocalSizeOp():
                _index(size, op, rewriter)
            case LocalSizeOp() if exact:
                _index(size, op, rewriter)
            case LocalIdOp() if size == 1:
                _index(0, op, rewriter)
            case GlobalIdOp() if size == 1:
                _replace(op, GroupIdOp(dimension), rewriter)
            case NumGroupsOp() if size == 1:
                _replace(op, GlobalSizeOp(dimension), rewriter)
            case _:
                pass


class FoldFixedSubGroups(RewritePattern):
    """
    ```mlir
    // before, in a kernel with work_group_size = array<i64: 8>, sub_group_size = 16 : i64
    %s = spmd.sub_group_id
    %n = spmd.num_sub_groups

    // after
    %s = arith.constant 0 : index
    %n = arith.constant 1 : index
    ```
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SubGroupQueryOp, rewriter: PatternRewriter) -> None:
        kernel = _kernel(op)
        if kernel is None:
            return
        # 0 stands for unknown.
        most = prod(kernel.group_size) if kernel.group_size else 0
        lanes = kernel.sub_group_size.value.data if kernel.sub_group_size else 0
        alone = most == 1 or lanes == 1
        one_sub_group = most == 1 or 0 < most <= lanes
        full = kernel.has_full_groups and most > 0 and lanes > 0
        match op:
            case LaneIdOp() if alone:
                _index(0, op, rewriter)
            case SubGroupSizeOp() if alone:
                _index(1, op, rewriter)
            case SubGroupSizeOp() if full and (most % lanes == 0 or most < lanes):
                _index(min(most, lanes), op, rewriter)
            case SubGroupIdOp() if one_sub_group:
                _index(0, op, rewriter)
            case NumSubGroupsOp() if one_sub_group:
                _index(1, op, rewriter)
            case NumSubGroupsOp() if full:
                _index(-(-most // lanes), op, rewriter)
            case _:
                pass


def _is_alone(op: Operation, scope: Scope) -> bool:
    """Whether the scope never holds more than one work-item here."""
    kernel = _kernel(op)
    if kernel is None:
        return False
    if kernel.group_size is not None and prod(kernel.group_size) == 1:
        return True
    lanes = kernel.sub_group_size
    return scope is Scope.SUB_GROUP and lanes is not None and lanes.value.data == 1


class EraseRedundantBarrier(RewritePattern):
    """
    ```mlir
    // before
    spmd.barrier sub_group
    %c = arith.addi %a, %b : i32
    spmd.barrier
    spmd.barrier

    // after
    %c = arith.addi %a, %b : i32
    spmd.barrier
    ```

    A barrier among one work-item goes too.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BarrierOp, rewriter: PatternRewriter) -> None:
        if _is_alone(op, op.scope.data):
            rewriter.erase(op)
            return
        after = op.next_op
        while after is not None and is_side_effect_free(after):
            after = after.next_op
        if not isinstance(after, BarrierOp):
            return
        if op.scope.data is Scope.SUB_GROUP or after.scope.data is Scope.WORK_GROUP:
            rewriter.erase(op)
        else:
            rewriter.erase(after)


class EraseUnusedCollective(RewritePattern):
    """
    A collective whose result nobody uses has no meaning: it orders no memory, and all
    work-items agree on erasing it.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, COLLECTIVES) and op.result.first_use is None:
            rewriter.erase(op)


class FoldCollectiveOfOne(RewritePattern):
    """
    ```mlir
    // before, in a kernel with work_group_size = array<i64: 1>
    %sum = spmd.reduce add %v across work_group : f32
    // after: %v itself
    ```
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, COLLECTIVES):
            return
        scoped = isinstance(op, AllOp | AnyOp | BroadcastOp | ReduceOp | ScanOp)
        if not _is_alone(op, op.scope.data if scoped else Scope.SUB_GROUP):
            return
        match op:
            case AllOp() | AnyOp():
                _replace(op, op.predicate, rewriter)
            case BallotOp():
                from xdsl.dialects.arith import ExtUIOp

                _replace(op, ExtUIOp(op.predicate, i64), rewriter)
            case ElectOp():
                _constant(BoolAttr.from_bool(True), op, rewriter)
            case ScanOp() if op.mode.data is ScanMode.EXCLUSIVE:
                from xdsl.dialects.arith import ConstantOp

                neutral = neutral_element(op.kind.data, op.value.type)
                _replace(op, ConstantOp(neutral), rewriter)
            case _:
                _replace(op, op.value, rewriter)


class FoldCollectiveOfConstant(RewritePattern):
    """
    ```mlir
    // before
    %c = arith.constant 7 : i32
    %least = spmd.reduce min %c across sub_group : i32
    %there = spmd.broadcast %c from %lane across sub_group : i32
    // after: %c itself
    ```
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        match op:
            case AllOp() | AnyOp():
                value = op.predicate
            case BroadcastOp() | ShuffleOp():
                value = op.value
            case ReduceOp() if op.kind.data in IDEMPOTENT:
                value = op.value
            case ScanOp() if (
                op.kind.data in IDEMPOTENT and op.mode.data is ScanMode.INCLUSIVE
            ):
                value = op.value
            case _:
                return
        owner = value.owner
        if isinstance(owner, Operation) and owner.has_trait(
            ConstantLike, value_if_unregistered=False
        ):
            _replace(op, value, rewriter)


PATTERNS: tuple[RewritePattern, ...] = (
    FoldFixedSizes(),
    FoldFixedSubGroups(),
    EraseRedundantBarrier(),
    EraseUnusedCollective(),
    FoldCollectiveOfOne(),
    FoldCollectiveOfConstant(),
)
"""All patterns of the dialect; each looks at the op first."""
