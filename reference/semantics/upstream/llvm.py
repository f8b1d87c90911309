"""
The meaning of the atomic instructions that `lower-atomics` leaves at level 4.

A pointer is a memref and a distance in bytes from its first element. The number that
upstream has in between is an address, which says which memref it was made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import Body, helper, named_meaning, trap
from spmd.reference.memory import MemRef
from spmd.reference.semantics.expressions import combined, element
from spmd.reference.semantics.upstream.memref import loaded, stored

if TYPE_CHECKING:
    from xdsl.dialects.llvm import ExtractValueOp, GEPOp, IntToPtrOp

    from spmd.dialects.compat.atomics import AtomicCmpXchgOp, AtomicRMWOp

Pointer = tuple[MemRef, int]

_KINDS = {
    "xchg": "exchange",
    "add": "add",
    "sub": "sub",
    "_and": "and",
    "_or": "or",
    "_xor": "xor",
    "max": "max",
    "min": "min",
    "umax": "maxui",
    "umin": "minui",
    "fadd": "add",
    "fsub": "sub",
    "fmaximum": "max",
    "fminimum": "min",
}
"""The kinds of `spmd.atomic_rmw` that those of `llvm.atomicrmw` are."""


@helper
def pointer_to(memories: dict[int, MemRef], address: int, site: int) -> Pointer:
    memory = memories.get(address)
    if memory is None:
        trap(site, f"expected the address of a memref, got {address}")
    return memory, 0


@helper
def pointed_at(pointer: Pointer, size: int, site: int) -> int:
    """The position in the data of the memref."""
    memory, distance = pointer
    position, rest = divmod(distance, size)
    if rest or not 0 <= position < len(memory.data):
        trap(site, f"out of bounds: {distance} bytes after the start of a memref")
    return position


@named_meaning("llvm.inttoptr")
def _int_to_ptr(body: Body, op: IntToPtrOp) -> None:
    address = body.use(op.input)
    body.let(op.output, f"pointer_to(memories, {address}, {body.site(op)})")


@named_meaning("llvm.getelementptr")
def _get_element_ptr(body: Body, op: GEPOp) -> None:
    from xdsl.dialects.llvm import GEP_USE_SSA_VAL

    constants = op.rawConstantIndices.get_values()
    if len(constants) != 1:
        fail(op, f"expected one index, got {len(constants)}")
    if constants[0] == GEP_USE_SSA_VAL:
        body.require(op.ssa_indices, op, "index")
        at = f"signed({body.use(op.ssa_indices[0])}, 64)"
    else:
        at = str(constants[0])
    start, size = body.use(op.ptr), element(op.elem_type, op).size
    body.let(op.result, f"({start}[0], {start}[1] + {at} * {size})")


def _position(body: Body, pointer: SSAValue, size: int, site: int) -> tuple[str, str]:
    """The memory, and where in it the element lies."""
    at, name = body.fresh("at"), body.use(pointer)
    body.line(f"{at} = pointed_at({name}, {size}, {site})")
    return f"{name}[0]", at


@named_meaning("llvm.atomicrmw")
def _atomic_rmw(body: Body, op: AtomicRMWOp) -> None:
    scalar = element(op.val.type, op)
    if op.kind not in _KINDS:
        fail(op, f"expected a kind that the interpreter knows, got {op.kind}")
    body.require([op.val], op, "operand")
    target, at = _position(body, op.ptr, scalar.size, body.site(op))
    old = body.new(op.res)
    body.line(f"{old} = {loaded(scalar, f'{target}.data[{at}]')}")
    new = combined(_KINDS[op.kind], scalar, old, body.use(op.val))
    body.line(f"{target}.data[{at}] = {stored(scalar, new)}")


@named_meaning("llvm.cmpxchg")
def _compare_exchange(body: Body, op: AtomicCmpXchgOp) -> None:
    scalar = element(op.val.type, op)
    body.require([op.cmp, op.val], op, "operand")
    target, at = _position(body, op.ptr, scalar.size, body.site(op))
    pair, old = body.new(op.res), body.fresh("old")
    body.line(f"{old} = {loaded(scalar, f'{target}.data[{at}]')}")
    body.line(f"{pair} = ({old}, {old} == {body.use(op.cmp)})")
    new = stored(scalar, body.use(op.val))
    body.line(f"if {pair}[1]: {target}.data[{at}] = {new}")


@named_meaning("llvm.extractvalue")
def _extract_value(body: Body, op: ExtractValueOp) -> None:
    position = "".join(f"[{n}]" for n in op.position.get_values())
    body.let(op.res, f"{body.use(op.container)}{position}")
