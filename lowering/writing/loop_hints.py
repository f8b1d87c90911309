"""What LLVM is told of a loop that counts."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from spmd.analysis.memory.accesses import accesses_of, may_overlap
from spmd.analysis.ranges.written_out import (
    has_few_operations,
    makes_registers,
    numbers_in,
    written_out,
)
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import is_vector
from spmd.dialects.enclosing import enclosing, is_outside, terminator
from spmd.dialects.interfaces.computation import fast_math_flags
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.interfaces.speculation import is_speculatable_from
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.rewriting import trip_count
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.types import scalar_bits

_MOST_INSTRUCTIONS = 2000
"""Of a loop that is written out: a third of what Zen 4 holds decoded."""

_WRITTEN_OUT = 100
"""Iterations of a load and a sum that LLVM writes out at most: 300 operations."""

_HIDES_COUNTING = 8
"""Operations on whole registers beside which a counter and a branch cost nothing."""

_SMALLEST_REGISTER = 128
"""Bits of a vector register of a machine that does not say so."""


def loop_hints(writer: FunctionWriter, loop: scf.ForOp) -> Sequence[str]:
    """
    The properties of `loop` as metadata.

    What it combines in any order is for LLVM's vectorizer, which comes after short loops are
    written out: then only a chain of scalars is left. It combines several vectors at once, or
    each would wait for the one before. A loop that stays is as fast if it is not written out,
    and compiled in less time.
    """
    properties: list[str] = []
    if _iterates_at_most(loop, _WRITTEN_OUT) and any(
        map(_combines_in_any_order, loop.body.block.ops)
    ):
        done = writer.module.metadata('!"llvm.loop.isvectorized", i32 1')
        properties.append(f'!"llvm.loop.vectorize.followup_vectorized", {done}')
        if (at_once := _vectors_at_once(writer, loop)) > 1:
            properties.append(f'!"llvm.loop.interleave.count", i32 {at_once}')
    if properties or _stays_a_loop(writer, loop) or _would_spill(writer, loop):
        return (*properties, '!"llvm.loop.unroll.disable"')
    return ('!"llvm.loop.unroll.full"',) if _is_written_out(writer, loop) else ()


def _is_written_out(writer: FunctionWriter, loop: scf.ForOp) -> bool:
    """
    Whether `loop` is written out, as the same on scalars would be.

    LLVM counts instructions, which are several for one operation on lanes, and does not see
    arrays become registers when it decides.
    """
    known = writer.written_out.get(loop)
    if known is None:
        around = enclosing(loop, scf.ForOp)
        known = (around is not None and _is_written_out(writer, around)) or _is_short(
            writer, loop
        )
        writer.written_out[loop] = known
    return known


def _is_short(writer: FunctionWriter, loop: scf.ForOp) -> bool:
    """Whether `loop` is short enough, and its counter more than the place of other lanes."""
    if trip_count(loop) is None or not any(
        is_vector(each.type) for op in loop.walk() for each in op.results
    ):
        return False
    numbers = numbers_in(loop)
    if not has_few_operations(loop, numbers, writer.ranges):
        return False
    if not loop.iter_args and not makes_registers(loop, numbers):
        return False
    bits = _register_bits(writer)

    def instructions(op: Operation) -> float:
        values = (*op.operands, *op.results)
        if isinstance(op, GatherOp | ScatterOp):
            return 2 * max(_lanes(value.type) for value in values)
        return max([1, *(-(-_bits(value.type) // bits) for value in values)])

    return written_out(loop, numbers, writer.ranges, instructions) <= _MOST_INSTRUCTIONS


def _vectors_at_once(writer: FunctionWriter, loop: scf.ForOp) -> int:
    """How many vectors hide what an addition takes, if the iterations are as many or more."""
    combined = filter(_combines_in_any_order, loop.body.block.ops)
    bits = max((scalar_bits(op.results[0].type) for op in combined), default=1)
    lanes = writer.module.machine.vector_bits // bits
    count = trip_count(loop) or 0
    return next((n for n in (4, 2) if lanes and count % (n * lanes) == 0), 1)


def _stays_a_loop(writer: FunctionWriter, loop: scf.ForOp) -> bool:
    """
    Whether LLVM would win nothing by writing out iterations of `loop`.

    Each has vectors enough to hide what counting costs, passes on none as they are, and does
    not share memory of this function with others, which could become registers.
    """
    body = loop.body.block
    if any(op.regions for op in body.ops) or _passes_on(body):
        return False
    # Of a few iterations that hand on values, all of them are written out and folded.
    few = _WRITTEN_OUT if loop.iter_args else 2
    if not _hides_counting(writer, body) or _iterates_at_most(loop, few):
        return False
    accesses = accesses_of(loop)
    return not accesses.unknown and all(
        isinstance(underlying_object(memory), BlockArgument)
        for memory in (*accesses.reads, *accesses.writes)
    )


def _hides_counting(writer: FunctionWriter, body: Block) -> bool:
    """Whether there are enough operations on registers beside a counter and a branch."""
    bits = sum(
        max((_bits(value.type) for value in (*op.operands, *op.results)), default=0)
        for op in body.ops
    )
    return bits >= _HIDES_COUNTING * _register_bits(writer)


def _would_spill(writer: FunctionWriter, loop: scf.ForOp) -> bool:
    """
    Whether what `loop`, written out, reads is too much to stay in registers in the loop around.

    LLVM would read all of it before that loop, and keep it on the stack.
    """
    around, count = enclosing(loop, scf.ForOp), trip_count(loop)
    while around is not None and trip_count(around) == 1:
        around = enclosing(around, scf.ForOp)
    if (
        around is None
        or count is None
        or not _hides_counting(writer, loop.body.block)
        or _is_written_out(writer, around)
    ):
        return False
    counter = loop.body.block.args[0]

    def stays(value: SSAValue) -> bool:
        return value is counter or is_outside(value, around)

    register = _register_bits(writer)
    read, registers = list[SSAValue](), 0
    for op in loop.body.block.ops:
        access = MemoryAccess.of(op)
        if (
            access is not None
            and access.reads(op)
            and not all(is_outside(value, loop) for value in op.operands)
            and all(is_speculatable_from(value, stays) for value in op.operands)
        ):
            read += access.reads(op)
            registers += sum(
                -(-_bits(each.type) // register) or 1 for each in op.results
            )
    if count * registers <= writer.module.machine.registers or makes_registers(
        loop, numbers_in(loop)
    ):
        return False
    accesses = accesses_of(around)
    return not accesses.unknown and not any(
        may_overlap(written, memory) for written in accesses.writes for memory in read
    )


def _passes_on(body: Block) -> bool:
    """Whether values go on to the next iteration as they are: written out, they need no move."""
    return any(
        value in body.args and value is not carried
        for carried, value in zip(body.args[1:], terminator(body).operands, strict=True)
    )


def _register_bits(writer: FunctionWriter) -> int:
    return writer.module.machine.vector_bits or _SMALLEST_REGISTER


def _bits(type_: Attribute) -> int:
    """How many bits a vector has; 0 for all else."""
    if not is_vector(type_):
        return 0
    return type_.element_count() * scalar_bits(type_.element_type)


def _lanes(type_: Attribute) -> int:
    return type_.element_count() if is_vector(type_) else 1


def _iterates_at_most(loop: scf.ForOp, times: int) -> bool:
    """Whether it is known that `loop` has no more iterations."""
    count = trip_count(loop)
    return count is not None and count <= times


def _combines_in_any_order(op: Operation) -> bool:
    """Whether `op` combines two floats, where its order with others does not matter."""
    return FastMathFlag.REASSOC in fast_math_flags(op) and isinstance(
        op.results[0].type, AnyFloat
    )
