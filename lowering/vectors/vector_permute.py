"""
Elements of a vector in an order that is known only at run time, without memory.

Nothing in `vector` says so: code stores the vector to an array of its own and gathers from it.
Where that is seen, x86 with AVX2 does it in one instruction (`vpermd`) for a vector that fits a
register, and halves of elements of 64 bits. A longer vector is cut into registers: each part of the result is chosen from
permutations of all parts of the source. LLVM would find the instructions itself in extracts of
each element, but not in a loop around them, out of which it moves extracts of indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.compat.memory import GatherOp
from spmd.dialects.element_types import memref_type
from spmd.dialects.remarks import Permuted, remark
from spmd.dialects.rewriting import constant_index, splat_number
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import shuffle, splat_literal
from spmd.lowering.writing.types import (
    element_type,
    lane_count,
    like,
    llvm_type,
    mangled,
    scalar_bits,
)

NEAR = 8
"""How many operations before a gather the store may stand."""

MOST_PARTS = 4
"""Registers of a vector beyond which memory is faster: the work grows by their square."""


def permuted_vector(op: Operation) -> SSAValue | None:
    """The vector that `op`, a gather, permutes, because it was stored for nothing else."""
    if not isinstance(op, GatherOp) or not isinstance(op.base.owner, memref.AllocaOp):
        return None
    type_ = op.result.type
    if not isa(type_, VectorType[Attribute]):
        return None
    whole = memref_type(op.base).get_shape() == type_.get_shape()
    if not whole or len(type_.get_shape()) != 1 or not splat_number(op.mask):
        return None
    if any(constant_index(each) != 0 for each in op.offsets):
        return None
    users = [use.operation for use in op.base.uses]
    before = op.prev_op
    for _ in range(NEAR):
        if isinstance(before, vector.StoreOp) and before.base == op.base:
            at_start = all(constant_index(each) == 0 for each in before.indices)
            same = before.vector.type == type_ and len(users) == 2
            return before.vector if at_start and same else None
        before = before and before.prev_op
    return None


def permute(writer: FunctionWriter, op: Operation, source: SSAValue) -> bool:
    """Define the result of `op` as elements of `source`, if this machine has permutations."""
    result, indices = op.results[0], op.operands[2]
    lanes = lane_count(result.type)
    element = element_type(result.type)
    assert lanes is not None, "a gather gives a vector"
    instruction = _instruction(writer.module.machine.vector_bits, scalar_bits(element))
    if instruction is None:
        return False
    most = MOST_PARTS * instruction.elements // instruction.pieces
    if lanes & (lanes - 1) or lanes > most:
        return False
    scalar = llvm_type(element)
    whole, places = like(scalar, lanes), f"<{lanes} x i{instruction.index_bits}>"
    remark(Permuted, op)
    part = instruction.type
    writer.module.declare(instruction.name, part, [part, part], "nounwind")
    name = writer.module.helper(
        f"spmd.permute.{mangled(whole)}",
        lambda: "\n".join(_helper(scalar, scalar_bits(element), lanes, instruction)),
    )
    numbers, type_ = writer.get(indices), writer.type_of(indices)
    given = scalar_bits(element_type(indices.type))
    if given != instruction.index_bits:
        change = "trunc" if given > instruction.index_bits else "zext"
        numbers = writer.temp(f"{change} {type_} {numbers} to {places}")
    call = f"call {whole} @{name}({writer.typed(source)}, {places} {numbers})"
    writer.define(result, call)
    return True


class _Instruction(NamedTuple):
    """What permutes a register; indices take the lowest bits of elements as wide."""

    name: str
    bits: int
    elements: int
    pieces: int = 1
    """How many of its elements make one of the vector."""

    @property
    def index_bits(self) -> int:
        return self.bits * self.pieces

    @property
    def type(self) -> str:
        return f"<{self.elements} x i{self.bits}>"


def _instruction(register: int, bits: int) -> _Instruction | None:
    """What permutes elements of so many bits, which smaller ones are extended to."""
    match register, bits:
        case 512, 64:
            return _Instruction("llvm.x86.avx512.permvar.di.512", 64, 8)
        case 512, _:
            return _Instruction("llvm.x86.avx512.permvar.si.512", 32, 16)
        case 256, 8 | 16 | 32:
            return _Instruction("llvm.x86.avx2.permd", 32, 8)
        case 256, 64:
            return _Instruction("llvm.x86.avx2.permd", 32, 8, 2)
        case _:
            return None


def _helper(
    scalar: str, bits: int, lanes: int, instruction: _Instruction
) -> Iterator[str]:
    """The text of a function that permutes vectors of so many `lanes`, by registers."""
    whole, given = like(scalar, lanes), f"<{lanes} x i{instruction.index_bits}>"
    name = f"spmd.permute.{mangled(whole)}"
    at = "%x" if instruction.pieces == 1 else "%at"
    head = f"define internal {whole} @{name}({whole} %v, {given} {at})"
    yield f"{head} alwaysinline nounwind {{"
    lanes, bits = lanes * instruction.pieces, bits // instruction.pieces
    wide = f"<{lanes} x i{instruction.bits}>"
    integers, part = f"<{lanes} x i{bits}>", instruction.type
    if instruction.pieces == 2:
        # Elements 2 * i and 2 * i + 1 are the lower and the upper half of element i.
        yield f"  %lower = shl {given} %at, {splat_literal('1', 'i64')}"
        yield f"  %upper = shl {given} %at, {splat_literal('33', 'i64')}"
        yield f"  %both = or disjoint {given} %lower, %upper"
        one = splat_literal(str(1 << 32), "i64")
        yield f"  %pairs = or disjoint {given} %both, {one}"
        yield f"  %x = bitcast {given} %pairs to {wide}"
    yield f"  %b = bitcast {whole} %v to {integers}"
    extends = bits < instruction.bits
    yield f"  %w = {'zext' if extends else 'bitcast'} {integers} %b to {wide}"
    starts = range(0, lanes, instruction.elements)
    for start in starts:
        # Nothing fills up a register: LLVM takes wrong elements where the first is repeated.
        picks = [
            k if k < lanes else -1 for k in range(start, start + instruction.elements)
        ]
        yield f"  %w{start} = {shuffle(wide, '%w', 'poison', picks)}"
        yield f"  %x{start} = {shuffle(wide, '%x', 'poison', picks)}"
    joined = "poison"
    for to in starts:
        found = ""
        for start in starts:
            picked = f"%p{to}.{start}"
            operands = f"{part} %w{start}, {part} %x{to}"
            yield f"  {picked} = call {part} @{instruction.name}({operands})"
            if found:
                limit = splat_literal(str(start), f"i{instruction.bits}")
                on, chosen = f"%on{to}.{start}", f"%c{to}.{start}"
                mask = like("i1", instruction.elements)
                yield f"  {on} = icmp uge {part} %x{to}, {limit}"
                choice = f"select {mask} {on}, {part} {picked}, {part} {found}"
                yield f"  {chosen} = {choice}"
                picked = chosen
            found = picked
        inside = range(to, to + instruction.elements)
        spread = [k - to if k in inside else -1 for k in range(lanes)]
        yield f"  %r{to} = {shuffle(part, found, 'poison', spread)}"
        merged = [lanes + k if k in inside else k for k in range(lanes)]
        yield f"  %j{to} = {shuffle(wide, joined, f'%r{to}', merged)}"
        joined = f"%j{to}"
    yield f"  %n = {'trunc' if extends else 'bitcast'} {wide} {joined} to {integers}"
    yield f"  %result = bitcast {integers} %n to {whole}"
    yield f"  ret {whole} %result"
    yield "}"
