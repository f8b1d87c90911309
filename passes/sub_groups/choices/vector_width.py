"""
How many lanes a sub-group gets.

The best width is not the register width but a small multiple of it: independent
registers hide the latency of divergent loops, and masks and loop control are paid once
for all of them. Wide element types and calls into the vector math library, which work
register by register, want fewer, and gathers that few lanes need at a time want one. So do
elements loaded with a step, as x, y and z of one item, where a register of each takes several
shuffles: all that is loaded waits in registers until the last of them is made. Loops that carry
many values, as the sums of a tile, want no more than registers hold. Stores around the caches
want some cache lines of one array before those of another, and of all no more than wait together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Literal, NamedTuple

from xdsl.dialects import math, memref, scf
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.ranges.written_out import (
    has_few_operations,
    is_in_registers,
    with_numbers_of,
)
from spmd.dialects.diagnostics import KernelError
from spmd.dialects.element_types import memref_type
from spmd.dialects.enclosing import is_streamed, terminator, used_from_outside
from spmd.dialects.interfaces.cost import CostClass, is_library_function
from spmd.dialects.limits import MAX_LANES, MAX_SUB_GROUP_SIZE
from spmd.passes.sub_groups.choices.elements import element_bits, widest_element
from spmd.passes.sub_groups.choices.latency import is_near, recurrence_latency
from spmd.passes.sub_groups.choices.waiting import (
    gathers_in,
    gathers_where_lanes_wait,
    goes_along_rows,
)
from spmd.passes.targets import (
    LATENCY,
    LONGEST_STEP,
    REGISTERS,
    REGISTERS_AT_CALLS,
    REGISTERS_AT_GATHERS,
    REGISTERS_AT_SEARCHES,
    ROWS_AT_ONCE,
    STREAMED_AT_ONCE,
    STREAMED_IN_ALL,
    Target,
)

Width = int | Literal["auto"]

GENERIC_REGISTER_BITS = 128
"""What every 64-bit CPU with vectors has."""


def check_width(width: Width) -> None:
    """Fails if `width` is not allowed, and says what is."""
    if width != "auto" and (
        not 1 <= width <= MAX_SUB_GROUP_SIZE or width & (width - 1)
    ):
        raise KernelError(
            f"expected a width that is auto or a power of two from 1 to {MAX_SUB_GROUP_SIZE}, "
            f"got {width}"
        )


def check_shape(shape: tuple[int, ...], width: Width, what: str = "shape") -> None:
    """Fails if `shape` is not allowed, or a width is given as well; `what` it is called."""
    powers = all(extent > 0 and not extent & (extent - 1) for extent in shape)
    if len(shape) > 3 or not powers or prod(shape) > MAX_LANES:
        raise KernelError(
            f"expected a {what} of at most three powers of two with a product of at most "
            f"{MAX_LANES}, got {','.join(map(str, shape))}"
        )
    if shape and width != "auto":
        numbers = ",".join(map(str, shape))
        raise KernelError(
            f"expected a width or a {what}, got both: {width} and {numbers}"
        )


def lanes_in_registers(widest: int, target: Target) -> int:
    """The lanes of elements of `widest` bits that half of all registers hold."""
    return target.registers // 2 * target.register_bits // widest


def lanes_in(registers: int, widest: int, target: Target) -> int:
    """The lanes that fill so many registers, with elements of `widest` bits."""
    return max(4, min(MAX_SUB_GROUP_SIZE, registers * target.register_bits // widest))


def lanes_of(loop: scf.ForOp, target: Target, analyze: Callable[[], Divergence]) -> int:
    """The lanes of one work-item loop: `analyze` says where its work-items diverge."""
    registers, widest, _ = demand(loop.body, target, analyze)
    lanes = lanes_in(registers, widest, target)
    if lanes > _most_rows(widest, target) and goes_along_rows(loop, analyze):
        return _most_rows(widest, target)
    return lanes


def _most_rows(widest: int, target: Target) -> int:
    """As many as the first cache keeps apart, but those of one register."""
    return max(ROWS_AT_ONCE, target.register_bits // widest)


def why_width(
    loop: scf.ForOp,
    width: Width,
    lanes: int,
    target: Target,
    analyze: Callable[[], Divergence],
) -> str:
    """Why the last of a nest of work-item loops gets so many `lanes` where `width` was asked for."""
    registers, widest, reason = demand(loop.body, target, analyze)
    wanted = lanes_in(registers, widest, target) if width == "auto" else width
    if lanes < wanted:
        if width == "auto" and lanes == lanes_of(loop, target, analyze):
            return "as many as go along rows of memory that the first cache keeps apart"
        return "there are not more work-items"
    if width != "auto":
        return f"width={width}"
    if lanes > wanted:
        return "as many as registers hold, with fewer or longer accesses to memory"
    filled = "1 register" if registers == 1 else f"{registers} registers"
    why = f", where {reason}" if reason else ""
    return (
        f"width=auto, {filled} of {target.register_bits} bits with elements of {widest} bits"
        f"{why}"
    )


class Demand(NamedTuple):
    """How many registers a value should fill."""

    registers: int
    widest: int
    """The bits of the widest element."""
    reason: str
    """Why not as many as usual; empty if so."""


def demand(body: Region, target: Target, analyze: Callable[[], Divergence]) -> Demand:
    """What lanes that run `body` demand; `analyze` says where they diverge, if that matters."""
    widest, calls = widest_element(body), any(map(_is_call, body.walk()))
    if gathers_where_lanes_wait(body, analyze):
        reason = "more lanes would wait at gathers in loops"
        return Demand(REGISTERS_AT_GATHERS, widest, reason)
    registers, reason = REGISTERS_AT_CALLS if calls else REGISTERS, ""
    if not calls and any(_follows_gathers(op, analyze) for op in body.walk()):
        registers, reason = (
            REGISTERS_AT_SEARCHES,
            "each turn of a loop waits for a gather",
        )
    if streams := _streams(body, analyze):
        bits = min(STREAMED_AT_ONCE, STREAMED_IN_ALL // streams)
        most = max(1, min(bits // target.register_bits, target.registers // 2))
        registers, reason = 1 << most.bit_length() - 1, "stores go around the caches"
    held = _interleaved(body, widest, analyze, memref.LoadOp)
    room = target.registers // 2
    if held and target.shuffles_two:  # which needs no registers in between
        held += _interleaved(body, widest, analyze, memref.StoreOp)
        room = target.registers
    private = _held_arrays(body, target.registers)
    kept = _kept(body, widest, target.registers // registers, target, analyze)
    fewer = registers
    for registers_of_each, most, what in (
        (held, room, "what lanes load with a step"),
        (private, target.registers // 2, "private arrays"),
        (kept, target.registers - 1, "what loops keep"),
    ):
        while fewer > 1 and fewer * registers_of_each > most:
            fewer, reason = fewer // 2, f"more would not hold {what}"
    return Demand(fewer, widest, reason)


def _streams(body: Region, analyze: Callable[[], Divergence]) -> int:
    """How many arrays go around the caches, if all that `body` does is to compute them."""
    ops = list(body.block.ops)
    stores = [op for op in ops if isinstance(op, memref.StoreOp)]
    if any(op.regions or _is_call(op) for op in ops) or not all(
        is_streamed(op.memref) and access_pattern(analyze(), op).stride == 1
        for op in stores
    ):
        return 0
    return len({op.memref for op in stores})


def _kept(
    body: Region,
    widest: int,
    least: int,
    target: Target,
    analyze: Callable[[], Divergence],
) -> float:
    """
    The most that a lane has for itself in all of a loop, if `least`, in the `widest` elements.

    Loops carry values, or get them from the code around; for lanes that leave one after the
    other, see `_kept_of_leaving`. Of those of a loop that gathers, half may be on the stack: it
    waits longer for memory, and the less, the more it asks for at a time.
    """

    def size(value: SSAValue) -> float:
        bits = element_bits(value.type)
        return bits / widest if bits > 1 and is_vector(value, analyze()) else 0

    found = 0.0
    for loop in body.walk():
        if not isinstance(loop, scf.ForOp | scf.WhileOp):
            continue
        around = (
            value
            for region in loop.regions
            for value in used_from_outside(region.block)
            if body.is_ancestor(value.owner) and not loop.is_ancestor(value.owner)
        )
        kept = (*loop.regions[0].block.args, *around)
        if len(kept) + 1 + len(loop.results) >= max(least, found + 1):
            own = sum(map(size, kept)) + _kept_of_leaving(loop, target, analyze())
            if own > found and _waits_for_gathers(loop, analyze()):
                own /= 2
            found = max(found, own)
    return found


def is_vector(value: SSAValue, divergence: Divergence) -> bool:
    """Whether lanes have different values, which are no steps from lane to lane."""
    return not all(divergence.shape(value, d).is_strided for d in range(3))


def _kept_of_leaving(
    loop: scf.ForOp | scf.WhileOp, target: Target, divergence: Divergence
) -> int:
    """
    What a lane has besides where lanes leave `loop` one after the other.

    That is whether it is still there, or its own end; and what it left with, where the loop
    goes on with the same value for all lanes.
    """
    if not divergence.is_divergent(loop):
        return 0
    if isinstance(loop, scf.ForOp):
        return 1
    forwarded = terminator(loop.before_region.block).operands[1:]
    left_with = sum(
        bool(result.uses)
        and not divergence.is_uniform(result)
        and isinstance(value.owner, Block)
        and divergence.is_uniform(value)
        for result, value in zip(loop.results, forwarded, strict=True)
    )
    return left_with + (not target.has_mask_registers)


def _follows_gathers(op: Operation, analyze: Callable[[], Divergence]) -> bool:
    """Whether `op` is a loop that goes on from what it gathers, as searches and lists do."""
    return (
        isinstance(op, scf.ForOp | scf.WhileOp)
        and _waits_for_gathers(op, analyze())
        and recurrence_latency(op) >= LATENCY[CostClass.MEMORY]
    )


def _waits_for_gathers(loop: Operation, divergence: Divergence) -> bool:
    """Whether lanes that run `loop` load from anywhere in memory that may be far."""
    return any(
        isinstance(op, memref.LoadOp) and not is_near(op.memref)
        for op in gathers_in(loop, divergence)
    )


def _held_arrays(body: Region, most: int) -> int:
    """
    How many elements private arrays have that registers hold, once loops are written out.

    These are at most so many.
    """
    arrays = [op for op in body.walk() if isinstance(op, memref.AllocaOp)]
    if not arrays:
        return 0
    numbers, ranges = with_numbers_of(body.block, set()), IntegerRanges()

    def is_held(op: Operation) -> bool:
        if not is_in_registers(op, numbers):
            return False
        loop = _outermost_loop(op, body)
        return loop is None or has_few_operations(loop, numbers, ranges)

    sizes = (
        prod(memref_type(array.memref).get_shape())
        for array in arrays
        if not array.dynamic_sizes
        and all(is_held(use.operation) for use in array.memref.uses)
    )
    return sum(size for size in sizes if size <= most)


def _outermost_loop(op: Operation, body: Region) -> scf.ForOp | None:
    """The outermost of the loops around `op` in `body`."""
    found, around = None, op.parent_op()
    while around is not None and around is not body.parent:
        found = around if isinstance(around, scf.ForOp) else found
        around = around.parent_op()
    return found


def _interleaved(
    body: Region,
    widest: int,
    analyze: Callable[[], Divergence],
    kind: type[memref.LoadOp | memref.StoreOp],
) -> float:
    """
    The registers of what a register of lanes loads with a step, and of what comes of it; or of
    what it stores so. Of elements that are not the `widest`, a register has more.
    """
    beside = Counter(
        (op.parent, op.memref) for op in body.walk() if isinstance(op, kind)
    )
    if max(beside.values(), default=0) < 2:
        return 0
    found = Counter[tuple[Block | None, SSAValue, int]]()
    for op in body.walk():
        if isinstance(op, kind) and beside[op.parent, op.memref] > 1:
            pattern = access_pattern(analyze(), op)
            if pattern.stride is not None and not pattern.private:
                found[op.parent, op.memref, abs(pattern.stride)] += 1
    whole = kind is memref.LoadOp
    return max(
        (
            (step * whole + min(members, step))
            * element_bits(memref_type(array).element_type)
            / widest
            for (_, array, step), members in found.items()
            if members > 1 < step <= LONGEST_STEP
        ),
        default=0,
    )


def _is_call(op: Operation) -> bool:
    """Whether `op` becomes a call of the vector math library, and no code in line."""
    if isinstance(op, math.ExpOp | math.LogOp):
        return op.results[0].type != Float32Type()
    return is_library_function(op)
