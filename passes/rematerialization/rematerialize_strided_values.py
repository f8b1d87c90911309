"""
Lets control flow around barriers pass on what a value has in common in all work-items.

A value with a known difference between neighbouring work-items, such as an index that each
advances by the size of the group, is the sum of a value that is the same in all of them
and of a multiple of the local id. The first is forwarded; the sum is computed again, so
that no work-item has to keep it.

```mlir
// before
%r = scf.while (%i = %lid) : (index) -> (index) {
  %more = arith.cmpi ult, %i, %n : index
  scf.condition(%more) %i : index
} do {
^bb0(%i: index):
  spmd.barrier
  %next = arith.addi %i, %size : index
  scf.yield %next : index
}
// after
%r_base = scf.while (%i_base = %c0) : (index) -> (index) {
  %i = arith.addi %i_base, %lid : index
  %more = arith.cmpi ult, %i, %n : index
  scf.condition(%more) %i_base : index
} do {
^bb0(%i_base: index):
  %i = arith.addi %i_base, %lid : index
  spmd.barrier
  %next_base = arith.addi %i_base, %size : index
  scf.yield %next_base : index
}
```

That is right whether or not the sum overflows, and whether or not work-items are in the same
round: it is an identity in each of them.

Requires: no calls in kernels.
Ensures: control flow with a barrier inside passes no integers on whose differences between
neighbouring work-items are known and not all zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.barriers.barrier_regions import around_syncs
from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import block_arguments, op_of
from spmd.dialects.interfaces.control_flow import Phi, all_phis
from spmd.dialects.rewriting import constant_index, erase_dead_ops, hint, named
from spmd.dialects.spmd import (
    Dimension,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GroupIdOp,
    KernelOp,
    LocalIdOp,
)
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.rematerialization.counted_loops import for_to_while
from spmd.passes.rematerialization.replace_forwarded import replace_forwarded

Strides = tuple[int, int, int]
"""The differences between neighbouring work-items in x, y and z."""


@dataclass(frozen=True)
class RematerializeStridedValuesPass(ModulePass):
    """What all work-items have in common, across barriers; see the module docstring."""

    name = "rematerialize-strided-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            rematerialize_strided_values(kernel)


def rematerialize_strided_values(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    carriers = dict.fromkeys(around_syncs(kernel))
    if not any(_counts(op) or _forwards_integers(op) for op in carriers):
        return
    divergence = analyze_kernel(kernel)
    uneven = [
        op
        for op in carriers
        if isinstance(op, scf.ForOp)
        and strides_of(op.body.block.args[0], divergence) is not None
    ]
    if uneven:
        for loop in uneven:
            for_to_while(loop)
        carriers = dict.fromkeys(around_syncs(kernel))
        divergence = analyze_kernel(kernel)
    strides: dict[Phi, Strides] = {}
    for phi in all_phis(kernel):
        if not is_integer(phi.values[0].type):
            continue
        op = op_of(phi.values[0])
        # What a loop carries may differ after it, where work-items left it in different
        # iterations; but the sum is right there, too.
        known = strides_of(phi.values[0], divergence)
        if op in carriers and known is not None:
            strides[phi] = known
    if strides:
        replace_forwarded(tuple(strides), _Rebuilder(kernel, strides, divergence))
        erase_dead_ops(kernel.body)


def is_integer(type_: Attribute) -> bool:
    """Whether values of a type can be sums."""
    return isinstance(type_, IndexType | IntegerType) and type_ != i1


def strides_of(value: SSAValue, divergence: Divergence) -> Strides | None:
    """The known differences between work-items; `None` if they are not, or all are zero."""
    if divergence.is_uniform(value):
        return None
    shapes = [divergence.shape(value, d) for d in range(3)]
    x, y, z = (None if shape.is_undef else shape.stride for shape in shapes)
    return None if x is None or y is None or z is None else (x, y, z)


def _counts(op: Operation) -> bool:
    """Whether `op` is a loop that may begin at another number in each work-item."""
    return isinstance(op, scf.ForOp) and not isinstance(op.lb.owner, arith.ConstantOp)


def _forwards_integers(op: Operation) -> bool:
    # The arguments of an `scf.for` are its results, but for the counter.
    arguments = () if isinstance(op, scf.ForOp) else block_arguments(op)
    values = (*op.results, *arguments)
    return any(is_integer(value.type) for value in values)


class _Rebuilder:
    def __init__(
        self, kernel: KernelOp, strides: dict[Phi, Strides], divergence: Divergence
    ):
        entry = kernel.body.blocks[0]
        self.entry = entry
        self.strides = strides
        self.divergence = divergence
        self.pool = ConstantPool(entry)
        self._common: dict[SSAValue, SSAValue] = {}
        """From values that were rematerialized to what all work-items have in common."""

        self._multiples: dict[tuple[Strides, Attribute], SSAValue] = {}

    def types_of(self, phi: Phi) -> Sequence[Attribute]:
        return (phi.values[0].type,)

    def rematerialize(
        self,
        old: SSAValue,
        phi: Phi,
        values: Sequence[SSAValue],
        anchor: Operation,
    ) -> SSAValue:
        (common,) = values
        hint(common, named(old, "base"))
        sum_ = arith.AddiOp(common, self._multiple(self.strides[phi], old.type))
        new = Builder.before(anchor).add(sum_, old)
        self._common[new] = common
        return new

    def give(self, value: SSAValue, phi: Phi, op: Operation) -> Sequence[SSAValue]:
        """`value` without the multiples of local ids."""
        if (common := self._common_part(value, op)) is not None:
            return (common,)
        owner, at = value.owner, Builder.before(op)
        match owner:
            case arith.AddiOp() | arith.SubiOp():
                parts = [self._part_of(operand, op) for operand in owner.operands]
                if None not in parts:
                    one, two = parts
                    assert one is not None
                    assert two is not None
                    if _is_zero(two):
                        return (one,)
                    if _is_zero(one) and isinstance(owner, arith.AddiOp):
                        return (two,)
                    return (at.add(type(owner)(one, two), value),)
            case _:
                pass
        multiple = self._multiple(self.strides[phi], value.type)
        return (at.add(arith.SubiOp(value, multiple)),)

    def _part_of(self, value: SSAValue, anchor: Operation) -> SSAValue | None:
        """What all work-items have in common in an operand, if that is known."""
        common = self._common_part(value, anchor)
        if common is None and self.divergence.is_uniform(value):
            return value
        return common

    def _common_part(self, value: SSAValue, anchor: Operation) -> SSAValue | None:
        """The same of a value that differs, if it is of an id or was rematerialized."""
        owner, at = value.owner, Builder.before(anchor)
        match owner:
            case LocalIdOp():
                return self.pool.number(0, value.type)
            case GlobalIdOp():
                dimension = owner.dimension.data
                size = at.add(EnqueuedLocalSizeOp(dimension))
                return at.add(arith.MuliOp(size, at.add(GroupIdOp(dimension))))
            case _:
                return self._common.get(value)

    def _multiple(self, strides: Strides, type_: Attribute) -> SSAValue:
        """The sum of multiples of local ids, at the head of the kernel."""
        key = strides, type_
        if (known := self._multiples.get(key)) is None:
            at = Builder.at_head(self.entry, self.entry.parent_op())
            total: SSAValue | None = None
            for dimension, stride in zip(Dimension, strides, strict=True):
                if not stride:
                    continue
                product = at.add(LocalIdOp(dimension), f"local_{dimension.value}")
                if stride != 1:
                    factor = self.pool.index(stride)
                    product = at.add(arith.MuliOp(product, factor))
                total = (
                    product if total is None else at.add(arith.AddiOp(total, product))
                )
            assert total is not None, "some stride is not zero"
            if not isinstance(type_, IndexType):
                total = at.add(arith.IndexCastOp(total, type_))
            known = self._multiples[key] = total
        return known


def _is_zero(value: SSAValue) -> bool:
    return constant_index(value) == 0
