"""
Elements of a vector in an order that is known only at run time, without memory.

Nothing in `vector` says so: code stores the vector to an array of its own and gathers from it.
Where that is seen, or where the array is a table that registers hold, x86 with AVX2 does it in
one instruction (`vpermd`) for a vector that fits a register, and halves of elements of 64 bits.
AVX-512 has one for two registers, too. A longer vector is cut into registers: each part of the
result is chosen from permutations of all parts of the source. LLVM would find the instructions itself in extracts of
each element, but not in a loop around them, out of which it moves extracts of indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import memref, vector
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.memory.tables import operations_of_look_up, table_length
from spmd.dialects.compat.memory import GatherOp
from spmd.dialects.element_types import is_vector, memref_type
from spmd.dialects.remarks import Permuted, remark
from spmd.dialects.rewriting import constant_index, splat_number
from spmd.lowering.writing.access import Access
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
    if not is_vector(type_ := op.result.type) or not splat_number(op.mask):
        return None
    extents = memref_type(op.base).get_shape()
    if len(extents) != 1 or len(type_.get_shape()) != 1:
        return None
    if any(constant_index(each) != 0 for each in op.offsets):
        return None
    users = [use.operation for use in op.base.uses]
    before = op.prev_op
    for _ in range(NEAR):
        if isinstance(before, vector.StoreOp) and before.base == op.base:
            at_start = all(constant_index(each) == 0 for each in before.indices)
            stored = before.vector.type
            whole = is_vector(stored) and stored.get_shape() == extents
            return before.vector if at_start and whole and len(users) == 2 else None
        before = before and before.prev_op
    return None


def permute(writer: FunctionWriter, op: Operation, source: SSAValue) -> bool:
    """Define the result of `op` as elements of `source`, if this machine has permutations."""
    result, indices = op.results[0], op.operands[-3]
    lanes, length = lane_count(result.type), lane_count(source.type)
    assert lanes is not None, "a gather gives a vector"
    assert length is not None, "a vector was stored"
    permutation = _permutation(writer, element_type(result.type), lanes, length)
    if permutation is None:
        return False
    remark(Permuted, op)
    writer.define(result, permutation.call(writer, writer.typed(source), indices))
    return True


def look_up(writer: FunctionWriter, op: Operation) -> bool:
    """
    Define the result of `op`, a gather, as elements of a table that registers hold.

    All of it is loaded, whatever the lanes ask for: an array of a size that its type fixes is
    there as a whole.
    """
    array, *offsets, indices, mask, pass_thru = op.operands
    result = op.results[0]
    lanes, length = lane_count(result.type), table_length(array)
    assert lanes is not None, "a gather gives a vector"
    if length is None or any(constant_index(offset) != 0 for offset in offsets):
        return False
    element = element_type(result.type)
    registers = writer.module.machine.vector_bits
    if operations_of_look_up(length, scalar_bits(element), registers) is None:
        return False
    permutation = _permutation(writer, element, lanes, length)
    if permutation is None:
        return False
    remark(Permuted, op)
    table = Access(writer, element, length)
    loaded = writer.temp(table.read(("ptr", writer.memref(array).aligned)))
    text = permutation.call(writer, f"{table.held} {loaded}", indices)
    if not splat_number(mask):
        found = f"{writer.type_of(result)} {writer.temp(text)}"
        text = f"select {writer.typed(mask)}, {found}, {writer.typed(pass_thru)}"
    writer.define(result, text)
    return True


def _permutation(
    writer: FunctionWriter, element: Attribute, lanes: int, length: int
) -> _Permutation | None:
    """How `lanes` take elements of so many, if this machine does so without memory."""
    instruction = _instruction(writer.module.machine.vector_bits, scalar_bits(element))
    if instruction is None:
        return None
    most = MOST_PARTS * instruction.elements // instruction.pieces
    if lanes & (lanes - 1) or length > most:
        return None
    return _Permutation(element, lanes, length, instruction)


class _Instruction(NamedTuple):
    """What permutes a register; indices take the lowest bits of elements as wide."""

    name: str
    bits: int
    elements: int
    pieces: int = 1
    """How many of its elements make one of the vector."""
    of_two: str = ""
    """What permutes two registers: the first, the indices, the second."""

    @property
    def index_bits(self) -> int:
        return self.bits * self.pieces

    @property
    def type(self) -> str:
        return f"<{self.elements} x i{self.bits}>"


class _Permutation(NamedTuple):
    """Elements of a vector of a `length` that so many lanes take."""

    element: Attribute
    lanes: int
    length: int
    instruction: _Instruction

    def call(self, writer: FunctionWriter, source: str, indices: SSAValue) -> str:
        """The instruction for the lanes; `source` is an operand with its type."""
        scalar, instruction = llvm_type(self.element), self.instruction
        whole = like(scalar, self.lanes)
        places = f"<{self.lanes} x i{instruction.index_bits}>"
        part = instruction.type
        writer.module.declare(instruction.name, part, [part, part], "nounwind")
        if instruction.of_two:
            writer.module.declare(instruction.of_two, part, 3 * [part], "nounwind")
        suffix = "" if self.length == self.lanes else f".{self.length}"
        name = writer.module.helper(
            f"spmd.permute.{mangled(whole)}{suffix}",
            lambda: "\n".join(_helper(scalar, self, suffix)),
        )
        numbers, given = writer.get(indices), scalar_bits(element_type(indices.type))
        if given != instruction.index_bits:
            change = "trunc" if given > instruction.index_bits else "zext"
            numbers = writer.temp(f"{change} {writer.typed(indices)} to {places}")
        return f"call {whole} @{name}({source}, {places} {numbers})"


def _instruction(register: int, bits: int) -> _Instruction | None:
    """What permutes elements of so many bits, which smaller ones are extended to."""
    match register, bits:
        case 512, 64:
            of_two = "llvm.x86.avx512.vpermi2var.q.512"
            return _Instruction("llvm.x86.avx512.permvar.di.512", 64, 8, 1, of_two)
        case 512, _:
            of_two = "llvm.x86.avx512.vpermi2var.d.512"
            return _Instruction("llvm.x86.avx512.permvar.si.512", 32, 16, 1, of_two)
        case 256, 8 | 16 | 32:
            return _Instruction("llvm.x86.avx2.permd", 32, 8)
        case 256, 64:
            return _Instruction("llvm.x86.avx2.permd", 32, 8, 2)
        case _:
            return None


def _helper(scalar: str, permutation: _Permutation, suffix: str) -> Iterator[str]:
    """The text of a function that permutes a vector, by registers."""
    _, lanes, length, instruction = permutation
    bits = scalar_bits(permutation.element) // instruction.pieces
    whole, given = like(scalar, lanes), f"<{lanes} x i{instruction.index_bits}>"
    source = like(scalar, length)
    name = f"spmd.permute.{mangled(whole)}{suffix}"
    at = "%x" if instruction.pieces == 1 else "%at"
    head = f"define internal {whole} @{name}({source} %v, {given} {at})"
    yield f"{head} alwaysinline nounwind {{"
    lanes, length = lanes * instruction.pieces, length * instruction.pieces
    long, wide = (f"<{each} x i{instruction.bits}>" for each in (length, lanes))
    if instruction.pieces == 2:
        # Elements 2 * i and 2 * i + 1 are the lower and the upper half of element i.
        yield f"  %lower = shl {given} %at, {splat_literal('1', 'i64')}"
        yield f"  %upper = shl {given} %at, {splat_literal('33', 'i64')}"
        yield f"  %both = or disjoint {given} %lower, %upper"
        one = splat_literal(str(1 << 32), "i64")
        yield f"  %pairs = or disjoint {given} %both, {one}"
        yield f"  %x = bitcast {given} %pairs to {wide}"
    yield f"  %b = bitcast {source} %v to <{length} x i{bits}>"
    extends = bits < instruction.bits
    yield f"  %w = {'zext' if extends else 'bitcast'} <{length} x i{bits}> %b to {long}"
    yield from _registers(instruction, "%w", long, length)
    yield from _registers(instruction, "%x", wide, lanes)
    joined = "poison"
    for to in range(0, lanes, instruction.elements):
        yield from _picked(instruction, to, range(0, length, instruction.elements))
        inside = range(to, to + instruction.elements)
        spread = [k - to if k in inside else -1 for k in range(lanes)]
        yield f"  %r{to} = {shuffle(instruction.type, f'%f{to}', 'poison', spread)}"
        merged = [lanes + k if k in inside else k for k in range(lanes)]
        yield f"  %j{to} = {shuffle(wide, joined, f'%r{to}', merged)}"
        joined = f"%j{to}"
    integers = f"<{lanes} x i{bits}>"
    yield f"  %n = {'trunc' if extends else 'bitcast'} {wide} {joined} to {integers}"
    yield f"  %result = bitcast {integers} %n to {whole}"
    yield f"  ret {whole} %result"
    yield "}"


def _registers(
    instruction: _Instruction, value: str, type_: str, length: int
) -> Iterator[str]:
    """Cuts a vector into registers, `%w0`, `%w8` and so on."""
    for start in range(0, length, instruction.elements):
        # Nothing fills up a register: LLVM takes wrong elements where the first is repeated.
        end = start + instruction.elements
        picks = [k if k < length else -1 for k in range(start, end)]
        yield f"  {value}{start} = {shuffle(type_, value, 'poison', picks)}"


def _picked(instruction: _Instruction, to: int, starts: range) -> Iterator[str]:
    """One register of results, `%f0`, chosen from permutations of those of the source."""
    part, found = instruction.type, ""
    groups = starts[:: 2 if instruction.of_two else 1]
    for start in groups:
        picked = f"%p{to}.{start}" if len(groups) > 1 else f"%f{to}"
        second = start + instruction.elements
        if instruction.of_two and second in starts:
            operands = f"{part} %w{start}, {part} %x{to}, {part} %w{second}"
            yield f"  {picked} = call {part} @{instruction.of_two}({operands})"
        else:
            operands = f"{part} %w{start}, {part} %x{to}"
            yield f"  {picked} = call {part} @{instruction.name}({operands})"
        if found:
            limit = splat_literal(str(start), f"i{instruction.bits}")
            last = start == groups[-1]
            on, chosen = f"%on{to}.{start}", f"%f{to}" if last else f"%c{to}.{start}"
            mask = like("i1", instruction.elements)
            yield f"  {on} = icmp uge {part} %x{to}, {limit}"
            choice = f"select {mask} {on}, {part} {picked}, {part} {found}"
            yield f"  {chosen} = {choice}"
            picked = chosen
        found = picked
