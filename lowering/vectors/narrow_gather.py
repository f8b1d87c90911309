"""
Gathers of elements of 8 or 16 bits, which no x86 has.

LLVM loads them lane by lane, and under a mask asks for each whether it is active, and branches.
With AVX-512 words of 32 bits are gathered in less than half of the time, and a fifth of it
under masks: those in which the elements lie, at addresses that are multiples of four. Such a word
lies in one page, so that all of it can be read where one of its bytes can. With AVX2 a gather
takes as long as loads.
"""

from __future__ import annotations

from spmd.lowering.machine import Machine
from spmd.lowering.vectors.vector import splat
from spmd.lowering.writing.access import Access, Typed
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import splat_literal
from spmd.lowering.writing.types import like, natural_alignment, storage_bytes

WORD = 4
"""Bytes."""


def gathers_words(machine: Machine, access: Access) -> bool:
    """Whether `access` is to narrow elements, and the machine is fast at gathering words."""
    is_fast = machine.is_x86 and machine.vector_bits >= 512
    is_aligned = access.alignment >= natural_alignment(access.element)
    return is_fast and is_aligned and storage_bytes(access.element) < WORD


def gather_words(
    writer: FunctionWriter,
    access: Access,
    start: str,
    distances: Typed,
    mask: str,
    pass_thru: str,
) -> str:
    """
    The instruction that has the active elements at `distances` from the address `start` on.

    `distances` are integers that count elements.
    """
    (type_, index), lanes, size = distances, access.lanes, storage_bytes(access.element)
    scalar = type_.rpartition(" ")[2].rstrip(">")
    words, addresses, active = (like(each, lanes) for each in ("i32", "ptr", "i1"))
    per_word = WORD // size

    def number(value: int) -> str:
        return splat_literal(str(value), scalar)

    def vector(name: str, left: str, right: str) -> str:
        return writer.temp(f"{name} {type_} {left}, {right}")

    declare = writer.module.declare
    declare("llvm.ptrmask.p0.i64", "ptr", ["ptr", "i64"])
    first = writer.temp(
        f"call ptr @llvm.ptrmask.p0.i64(ptr {start}, i64 {-WORD})", "word"
    )
    address = writer.temp(f"ptrtoint ptr {start} to {scalar}")
    ahead = writer.temp(f"and {scalar} {address}, {WORD - 1}", "ahead")
    aheads = splat(writer, ahead, scalar, lanes or 1)
    # In bytes, from the first word on: whatever the distance is, nothing wraps.
    inside = vector("and", index, number(per_word - 1))
    place = vector("add", vector("mul", inside, number(size)), aheads)
    before = vector("ashr", index, number(per_word.bit_length() - 1))
    which = vector("add", before, vector("lshr", place, number(2)))
    at = writer.temp(f"getelementptr i32, ptr {first}, {type_} {which}")
    given = [(addresses, at), (active, mask), (words, splat_literal("0", "i32"))]
    found = writer.temp(
        writer.call(
            f"llvm.masked.gather.v{lanes}i32.v{lanes}p0",
            words,
            given,
            parameters=[f"{addresses} align {WORD}", active, words],
        )
    )
    bits = vector("shl", vector("and", place, number(WORD - 1)), number(3))
    if scalar != "i32":
        change = "trunc" if scalar == "i64" else "zext"
        bits = writer.temp(f"{change} {type_} {bits} to {words}")
    shifted = writer.temp(f"lshr {words} {found}, {bits}")
    integers = like(f"i{8 * size}", lanes)
    element = writer.temp(f"trunc {words} {shifted} to {integers}")
    if integers != access.stored:
        element = writer.temp(f"bitcast {integers} {element} to {access.stored}")
    kept = access.to_memory(pass_thru)
    return f"select {active} {mask}, {access.stored} {element}, {access.stored} {kept}"
