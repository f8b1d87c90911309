"""Masks, and values that depend on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import AnyFloat, IntegerType, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.building import ConstantPool
from spmd.dialects.enclosing import parent_block
from spmd.dialects.rewriting import hint, locate
from spmd.dialects.spmd import Kind, ReduceOp, Scope


@dataclass(frozen=True)
class Mask:
    """The lanes that are on."""

    value: SSAValue | None = None
    """An `i1` per lane; `None` if all lanes are on."""

    some: bool = True
    """Whether it is known that at least one lane is on."""

    prefix: bool = True
    """Whether no lane is on behind one that is off."""

    @property
    def first(self) -> bool:
        """Whether it is known that lane 0 is on."""
        return self.some and self.prefix

    def known(self) -> Mask:
        """This mask where it has been tested that some lane is on."""
        return replace(self, some=True)


class Masks(ABC):
    """Builds masks in front of an operation."""

    def __init__(self, divergence: Divergence, constants: ConstantPool):
        self.divergence = divergence
        self.constants = constants
        self._uniform: set[SSAValue] = set()
        self.kept: list[tuple[Operation, Mask]] = []
        """Control flow that all lanes go through together, and where it stands."""

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
        insert(op, anchor)
        return Mask(hint(op.result, "on"), some=False, prefix=False)

    def without(self, mask: Mask, condition: SSAValue, anchor: Operation) -> Mask:
        """The lanes of `mask` in which `condition` does not hold."""
        op = arith.XOrIOp(condition, self.constants.bit(True))
        insert(op, anchor)
        name = condition.name_hint
        return self.narrowed(
            mask, hint(op.result, f"not_{name}" if name else "not"), anchor
        )

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
        op = arith.SelectOp(mask.value, new, old)
        insert(op, anchor)
        return hint(op.result, name)

    def picking(self, value: SSAValue, mask: SSAValue | None) -> list[Operation]:
        """
        Operations, not inserted, the last of which gives what all lanes that are on have.

        The others have garbage until 0 takes its place, and no unsigned number is below.
        """
        old = value.type
        number: Attribute = old
        ops: list[Operation] = []
        if isa(number, AnyFloat):
            bits: Attribute = IntegerType(number.bitwidth)
            number = bits
            ops.append(arith.BitcastOp(value, bits))
            value = ops[-1].results[0]
        if mask is not None:
            ops.append(arith.SelectOp(mask, value, self.constants.zero(number)))
            value = ops[-1].results[0]
        kind = Kind.OR if number == i1 else Kind.MAXUI
        ops.append(ReduceOp(kind, value, Scope.SUB_GROUP))
        if number != old:
            ops.append(arith.BitcastOp(ops[-1].results[0], old))
        return ops


def is_poison(value: SSAValue) -> bool:
    """Whether nothing depends on `value`, so that any other one will do."""
    return isinstance(value.owner, ub.PoisonOp)


def insert(op: Operation, anchor: Operation) -> None:
    """Insert `op` before `anchor`, with its location."""
    locate(op, anchor)
    block = parent_block(anchor)
    block.insert_op_before(op, anchor)


def detach(block: Block) -> None:
    """Take `block` out of its region, to be put into another."""
    if block.parent is not None:
        block.parent.detach_block(block)
