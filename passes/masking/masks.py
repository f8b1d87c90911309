"""Masks, and values that depend on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, i1
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.rewriting import hint, is_poison
from spmd.dialects.spmd import Kind, ReduceOp, Scope


@dataclass(frozen=True)
class Mask:
    """The active lanes."""

    value: SSAValue | None = None
    """An `i1` per lane; `None` if all lanes are active."""

    some: bool = True
    """Whether it is known that at least one lane is active."""

    prefix: bool = True
    """Whether no lane is active after an inactive one."""

    @property
    def first(self) -> bool:
        """Whether it is known that lane 0 is active."""
        return self.some and self.prefix


@dataclass(frozen=True)
class Masks(ABC):
    """Builds masks before an operation; what it remembers of new operations only grows."""

    divergence: Divergence
    """Of the sub-group before masking: new values are none of its business."""

    constants: ConstantPool

    ranges: IntegerRanges = field(default_factory=IntegerRanges, init=False)
    """Of what bounds counted loops, before masking: a loop that is masked is in parts."""

    kept: list[tuple[Operation, Mask]] = field(
        default_factory=list[tuple[Operation, Mask]], init=False
    )
    """Control flow that all lanes go through together, and where it stands."""

    _uniform: set[SSAValue] = field(default_factory=set[SSAValue], init=False)
    """New values that all active lanes have the same of."""

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether all active lanes have the same value, also of one that is new."""
        return value in self._uniform or self.divergence.is_uniform(value)

    def mark_uniform(self, value: SSAValue) -> None:
        """Say that all active lanes have the same `value`, which is new."""
        self._uniform.add(value)

    @abstractmethod
    def mask_block(self, block: Block, mask: Mask) -> None:
        """Make everything in `block` run under `mask` only."""

    def narrowed(self, mask: Mask, condition: SSAValue, anchor: Operation) -> Mask:
        """The lanes of `mask` in which `condition` holds."""
        if mask.value is None:
            return Mask(condition, some=False, prefix=False)
        op = arith.SelectOp(mask.value, condition, self.constants.bit(False))
        return Mask(Builder.before(anchor).add(op, "active"), some=False, prefix=False)

    def without(self, mask: Mask, condition: SSAValue, anchor: Operation) -> Mask:
        """The lanes of `mask` in which `condition` does not hold."""
        op = arith.XOrIOp(condition, self.constants.bit(True))
        name = condition.name_hint
        negated = Builder.before(anchor).add(op, f"not_{name}" if name else "not")
        return self.narrowed(mask, negated, anchor)

    def blended(
        self,
        mask: Mask,
        new: SSAValue,
        old: SSAValue,
        name: SSAValue,
        anchor: Operation,
    ) -> SSAValue:
        """`new` in the lanes of `mask`, `old` in the others, with the name of `name`."""
        if mask.value is None or new is old or is_poison(old):
            return new
        if is_poison(new):
            return old
        return Builder.before(anchor).add(arith.SelectOp(mask.value, new, old), name)

    def read_first_active(
        self, value: SSAValue, mask: SSAValue | None, at: Builder
    ) -> SSAValue:
        """
        What all active lanes have, in all lanes, so that control flow may ask for it.

        The others have garbage until 0 takes its place, and no unsigned number is below.
        """
        bits = value.type
        picked = value
        if isinstance(bits, AnyFloat):
            bits = IntegerType(bits.bitwidth)
            picked = at.add(arith.BitcastOp(picked, bits))
        if mask is not None:
            zero = self.constants.zero(bits)
            picked = at.add(arith.SelectOp(mask, picked, zero))
        kind = Kind.OR if bits == i1 else Kind.MAXUI
        picked = at.add(ReduceOp(kind, picked, Scope.SUB_GROUP))
        if bits != value.type:
            picked = at.add(arith.BitcastOp(picked, value.type))
        self.mark_uniform(picked)
        return hint(picked, value)
