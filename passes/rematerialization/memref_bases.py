"""
The memory that memrefs chosen at run time look at: known everywhere, numbered, and found by
its number.
"""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType, i1, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from spmd.analysis.contexts.memref_phis import Family, MemrefPhi
from spmd.analysis.graphs.dominators import dominates, immediate_dominators
from spmd.analysis.graphs.traversal import successors_of
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import memref_type
from spmd.dialects.enclosing import op_of
from spmd.dialects.rewriting import named
from spmd.dialects.spmd import KernelOp, LocalAllocOp


class MemrefBases:
    """The bases of phis in the kernel that begins with `entry`."""

    def __init__(self, entry: Block):
        self.entry = entry
        self._pool = ConstantPool(entry)
        self._buffers: dict[tuple[SSAValue, Attribute], SSAValue] = {}

    def let_dominate(self, base: SSAValue, phi: MemrefPhi) -> None:
        """See to it that `base` is known wherever the memref of `phi` is rematerialized."""
        owner = base.owner
        if isinstance(owner, Block):
            if owner is not self.entry:
                at = op_of(phi.values[0])
                fail(at, f"expected {at.name} to pass on memrefs of the kernel's own")
            return
        match owner:
            case memref.AllocaOp():
                for value in phi.values:
                    if _is_around(value, owner):
                        fail(
                            owner,
                            "expected a private array that ends with the iteration that "
                            "makes it, got one that the next iteration uses; make it "
                            "before the loop",
                        )
                if not owner.dynamic_sizes:
                    self._move_to_head(owner)
                elif not self._move_outside(owner, phi):
                    fail(
                        owner,
                        "expected a private array of static size, or of a size known "
                        "before the control flow that forwards it, got "
                        f"{owner.memref.type}: it is used after a barrier",
                    )
                return
            case LocalAllocOp() | memref.GetGlobalOp():
                self._move_to_head(owner)
                return
            case _:
                pass
        for value in phi.values:
            if not _dominates(owner, value):
                fail(
                    owner,
                    f"expected {owner.name} before the control flow that chooses its "
                    "memref, which is used after a barrier",
                )

    def _move_to_head(self, op: Operation) -> None:
        if op.parent is not self.entry:
            Builder.at_head(self.entry).move((op,))

    def _move_outside(self, op: memref.AllocaOp, phi: MemrefPhi) -> bool:
        """Move `op` before control flow around it, as far as `phi` needs it."""
        for size in op.dynamic_sizes:
            if isinstance(size.owner, arith.ConstantOp):
                self._move_to_head(size.owner)
        anchor: Operation = op
        while not all(_is_enough(anchor, value) for value in phi.values):
            parent = anchor.parent_op()
            if parent is None or isinstance(parent, KernelOp):
                return False
            anchor = parent
        if not all(_dominates(size.owner, anchor) for size in op.dynamic_sizes):
            return False
        if anchor is not op:
            Builder.before(anchor).move((op,))
        return True

    def _buffer_of(self, base: SSAValue, space: Attribute) -> SSAValue:
        """The memory of `base` from its first address on, as a memref without dimensions."""
        if (known := self._buffers.get((base, space))) is None:
            owner = base.owner
            at = Builder.at_head(self.entry)
            if isinstance(owner, Operation):
                at = Builder(InsertPoint.after(owner))
            at.like = at.point.insert_before
            op = memref.ExtractStridedMetaDataOp(base)
            known = at.add(op, named(base, "base"))
            type_ = memref_type(op.base_buffer)
            if type_.memory_space != space:
                to = MemRefType(type_.element_type, (), type_.layout, space)
                known = at.add(memref.MemorySpaceCastOp(known, to))
            self._buffers[base, space] = known
        return known

    def memory_of(
        self, phi: MemrefPhi, which: SSAValue | None, anchor: Operation
    ) -> SSAValue:
        """The memory that the memref of `phi` looks at."""
        bases = tuple(phi.bases)
        if which is None:
            return bases[0]
        space = phi.type.memory_space
        chosen = self._buffer_of(bases[-1], space)
        for base in reversed(bases[:-1]):
            number = phi.family.bases[base]
            buffer = self._buffer_of(base, space)
            if which.type == i1:
                # Of two: the number of this one is 0 or 1.
                one, two = (chosen, buffer) if number == 0 else (buffer, chosen)
                op = arith.SelectOp(which, one, two)
            else:
                constant = self.number(phi.family, base)
                equal = Builder.before(anchor).add(arith.CmpiOp(which, constant, "eq"))
                op = arith.SelectOp(equal, buffer, chosen)
            chosen = Builder.before(anchor).add(op)
        return chosen

    def number(self, family: Family, base: SSAValue | None) -> SSAValue:
        """The constant that stands for `base`; any, if there is none."""
        number = 0 if base is None else family.bases[base]
        type_ = number_type(family)
        return (
            self._pool.bit(bool(number))
            if type_ == i1
            else self._pool.number(number, type_)
        )


def number_type(family: Family) -> Attribute:
    """A type that tells the bases of `family` apart."""
    return i1 if len(family.bases) <= 2 else i32


def _is_enough(anchor: Operation, value: SSAValue) -> bool:
    """Whether what stands before `anchor` is known where `value` is rematerialized."""
    owner = value.owner
    at = owner if isinstance(owner, Operation) else _first(value)
    return anchor.is_ancestor(at) or _dominates(anchor, value)


def _is_around(value: SSAValue, op: Operation) -> bool:
    """Whether `op` runs again while `value` is known that an earlier run may have made."""
    block = value.owner
    return isinstance(block, Block) and _dominates(block, op)


def _dominates(one: Operation | Block, other: SSAValue | Operation) -> bool:
    """Whether `one`, or the begin of a block, always runs before `other`."""
    if isinstance(other, SSAValue):
        other = other.owner if isinstance(other.owner, Operation) else _first(other)
    block = one if isinstance(one, Block) else one.parent
    assert block is not None
    at = block.find_ancestor_op_in_block(other)
    if at is not None:
        return isinstance(one, Block) or (one is not at and one.is_before_in_block(at))
    region, parent = block.parent, other.parent
    assert region is not None
    assert parent is not None
    used_in = region.find_ancestor_block_in_region(parent)
    if used_in is None:
        return False
    dominator = immediate_dominators(region.blocks[0], successors_of)
    return used_in in dominator and dominates(dominator, block, used_in)


def _first(value: SSAValue) -> Operation:
    assert isinstance(value, BlockArgument)
    first = value.block.first_op
    assert first is not None, "a block has a terminator"
    return first
