"""
Masks that control flow passes on, where a machine has no registers for them.

With AVX2 a comparison gives as many bits for each lane as it compares, which is what blends and
masked accesses take. But an `i1` that crosses from one block to the next is a byte for LLVM, so that
loops would pack the masks of lanes that are left in each iteration, and unpack them again. ispc has
masks of 32 bits for such machines (Pharr, Mark, "ispc: A SPMD Compiler for High-Performance CPU
Programming", 2012, section 5.2). So control flow passes on integers as long as what is compared, and
what follows from them by `and`, `or` and `xor` consists of integers, too: LLVM would make `i1` again
of those that are extended and compared at once.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from spmd.dialects.element_types import is_vector
from spmd.dialects.rewriting import splat_number
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import shuffle, splat_literal
from spmd.lowering.writing.types import element_type, lane_count, like, scalar_bits

DEFAULT_BITS = 32
"""Of masks in functions that compare no vectors."""

_TESTS = {256: "llvm.x86.avx.ptest{}.256", 128: "llvm.x86.sse41.ptest{}"}
"""By the bits of a register: whether the `and` of two is zero, or with the other's complement."""


def mask_bits(function: Operation) -> int:
    """How long the integers are in `function`: as most of what it compares."""
    found = Counter(
        scalar_bits(element_type(op.operands[0].type))
        for op in function.walk()
        if isinstance(op, arith.CmpiOp | arith.CmpfOp)
        and is_vector(op.operands[0].type)
    )
    found.pop(1, None)
    return max(found, key=found.__getitem__, default=DEFAULT_BITS)


def write_logic(writer: FunctionWriter, op: Operation, name: str) -> bool:
    """Whether `and`, `or` or `xor` of integers is written for `op`, as one operand is of those."""
    if name not in ("and", "or", "xor") or not any(map(writer.is_wide, op.operands)):
        return False
    (type_, a), (_, b) = map(writer.wide, op.operands)
    writer.define_wide(op.results[0], f"{name} {type_} {a}, {b}")
    return True


def write_select(writer: FunctionWriter, op: arith.SelectOp) -> bool:
    """Whether a choice between masks, one of which is a constant, is written with integers."""
    condition, if_true, if_false = op.operands
    if not any(map(writer.is_wide, op.operands)) or op.result.type != condition.type:
        return False
    if splat_number(if_false) == 0:
        name, other = "and", if_true
    elif splat_number(if_true):
        name, other = "or", if_false
    else:
        return False
    (type_, first), (_, second) = map(writer.wide, (condition, other))
    # Where the condition decides, the other one may be poison.
    frozen = writer.temp(f"freeze {type_} {second}")
    writer.define_wide(op.result, f"{name} {type_} {first}, {frozen}")
    return True


def some_or_all(writer: FunctionWriter, mask: SSAValue, kind: str) -> str:
    """The instruction that tells whether some lanes are active (`or`), or all (`and`)."""
    type_, lanes = writer.wide(mask)
    length, bits = lane_count(mask.type) or 1, writer.mask_bits
    register = writer.module.machine.vector_bits
    while length % 2 == 0 and length * bits > max(register, 128):
        length //= 2
        low, high = (
            writer.temp(shuffle(type_, lanes, "poison", range(at, at + length)))
            for at in (0, length)
        )
        type_ = like(f"i{bits}", length)
        lanes = writer.temp(f"{kind} {type_} {low}, {high}")
    some, test = kind == "or", _TESTS.get(length * bits)
    if test is None or register < 256:
        active = writer.temp(f"icmp slt {type_} {lanes}, zeroinitializer")
        number = writer.temp(f"bitcast {like('i1', length)} {active} to i{length}")
        predicate, other = ("ne", 0) if some else ("eq", -1)
        return f"icmp {predicate} i{length} {number}, {other}"
    # LLVM would share a comparison with other blocks, and make bytes of its results for that.
    given = like("i64", length * bits // 64)
    lanes = writer.temp(f"bitcast {type_} {lanes} to {given}")
    with_ = lanes if some else splat_literal("-1", "i64")
    name = test.format("z" if some else "c")
    bit = writer.temp(writer.call(name, "i32", [(given, lanes), (given, with_)]))
    return f"icmp {'eq' if some else 'ne'} i32 {bit}, 0"
