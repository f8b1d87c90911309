"""What memory an operation may touch, and whether two memrefs may overlap."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    RecursiveMemoryEffect,
)

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.element_types import memref_type
from spmd.dialects.enclosing import argument_attribute, is_terminator
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.names import NOALIAS
from spmd.dialects.rewriting import has_no_effect
from spmd.dialects.spmd import LOCAL, KernelOp, LocalAllocOp


@dataclass(frozen=True)
class Accesses:
    """
    The memrefs that an operation, with all inside of it, may read and write.

    `unknown` says that it may have any other effect as well: read or write any memory,
    synchronise, stop the program.
    """

    reads: tuple[SSAValue, ...] = ()
    writes: tuple[SSAValue, ...] = ()
    allocates: bool = False
    unknown: bool = False


NOTHING = Accesses()
_UNKNOWN = Accesses(unknown=True)


def accesses_of(op: Operation) -> Accesses:
    """What `op`, with all inside of it, may read and write."""
    if not op.regions:
        return _own_accesses(op)
    reads: list[SSAValue] = []
    writes: list[SSAValue] = []
    allocates = False
    for inner in op.walk():
        if inner.regions and inner.get_trait(RecursiveMemoryEffect) is not None:
            continue
        one = _own_accesses(inner)
        if one.unknown:
            return _UNKNOWN
        reads.extend(one.reads)
        writes.extend(one.writes)
        allocates = allocates or one.allocates
    return Accesses(tuple(reads), tuple(writes), allocates)


def _own_accesses(op: Operation) -> Accesses:
    if has_no_effect(op):
        return NOTHING
    access = MemoryAccess.of(op)
    if access is not None:
        return (
            _UNKNOWN if access.atomic else Accesses(access.reads(op), access.writes(op))
        )
    effects: set[EffectInstance] = set()
    traits = op.get_traits_of_type(MemoryEffect)
    for trait in traits:
        own = trait.get_effects(op)
        if own is None:
            return _UNKNOWN
        effects.update(own)
    if not effects:
        return NOTHING if traits or is_terminator(op) else _UNKNOWN
    if all(effect.kind is MemoryEffectKind.ALLOC for effect in effects):
        return Accesses(allocates=True)
    return _UNKNOWN


def may_overlap(a: SSAValue, b: SSAValue) -> bool:
    """Whether the memrefs `a` and `b` may share an element."""
    a, b = underlying_object(a), underlying_object(b)
    if a is b:
        return True
    if _is_own_storage(a) and _is_own_storage(b):
        return False
    if _is_own_storage(a) or _is_own_storage(b):
        other = b if _is_own_storage(a) else a
        # Only what may itself be one of several memrefs can be the other's storage.
        return not is_argument(other)
    if _is_local(a) != _is_local(b):
        return False
    return not (_is_noalias(a) or _is_noalias(b))


def _is_own_storage(memory: SSAValue) -> bool:
    return isinstance(memory.owner, LocalAllocOp | memref.AllocaOp)


def is_argument(memory: SSAValue) -> bool:
    """Whether a caller gives `memory` to a kernel or function; what blocks pass on is none."""
    if not isinstance(memory, BlockArgument):
        return False
    function = memory.block.parent_op()
    return (
        isinstance(function, KernelOp | func.FuncOp)
        and function.body.blocks[0] is memory.block
    )


def _is_local(memory: SSAValue) -> bool:
    type_ = memory.type
    return isinstance(type_, MemRefType) and type_.memory_space == LOCAL


def _is_noalias(memory: SSAValue) -> bool:
    return argument_attribute(memory, NOALIAS) is not None


def is_inside(op: memref.LoadOp | memref.StoreOp, ranges: IntegerRanges) -> bool:
    """Whether `op` accesses an element that exists, whatever its indices are."""
    shape = memref_type(op.memref).get_shape()
    return DYNAMIC_INDEX not in shape and all(
        ranges.of(index).low >= 0 and ranges.of(index).high < size
        for index, size in zip(op.indices, shape, strict=True)
    )
