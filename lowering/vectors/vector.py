"""
`vector`: ops on values alone; accesses to memory are in `vector_memory.py`.

A vector of rank 2 or more is flat here, row after row, so taking it apart is a shuffle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, BFloat16Type, Float32Type
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.element_types import is_vector
from spmd.lowering.masks.wide_masks import some_or_all
from spmd.lowering.ops.arith import FOLDED_AS, combined, fast_math
from spmd.lowering.ops.conversions import (
    NARROW,
    define_computed,
    is_bf16,
    operand_to_compute,
    round_float,
)
from spmd.lowering.writing.addresses import add, is_literal, multiply
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import (
    float_literal,
    shuffle,
    splat_literal,
    vector_literal,
)
from spmd.lowering.writing.registry import emits, emits_named
from spmd.lowering.writing.types import (
    TypeNotLowered,
    element_type,
    is_float,
    lane_count,
    like,
    llvm_type,
    mangled,
)

DYNAMIC = DYNAMIC_INDEX


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a vector; that of a scalar is empty."""
    type_: Attribute = value.type
    return tuple(type_.get_shape()) if is_vector(type_) else ()


def lanes_of(value: SSAValue) -> int:
    """How many elements a vector has."""
    lanes = lane_count(value.type)
    if lanes is None:
        raise TypeNotLowered(f"expected a vector, got {value.type}")
    return lanes


def strides_of(shape: Sequence[int]) -> list[int]:
    """How many lanes apart neighbours are, for each dimension of a vector."""
    return [prod(shape[d + 1 :]) for d in range(len(shape))]


def splat(
    writer: FunctionWriter,
    operand: str,
    scalar: str,
    lanes: int,
    hint: str | None = None,
) -> str:
    """A vector whose lanes are all the same scalar."""
    if not operand.startswith("%"):
        return splat_literal(operand, scalar)
    type_ = like(scalar, lanes)
    one = writer.temp(f"insertelement {type_} poison, {scalar} {operand}, i64 0")
    return writer.temp(shuffle(type_, one, "poison", [0] * lanes), hint)


# Making vectors


@emits(vector.BroadcastOp)
def _broadcast(writer: FunctionWriter, op: vector.BroadcastOp) -> None:
    (source,), (result,) = op.operands, op.results
    lanes = lanes_of(result)
    operand = writer.get(source)
    if not is_vector(source.type):
        scalar = writer.type_of(source)
        writer.set(result, splat(writer, operand, scalar, lanes, result.name_hint))
        return
    # Dimensions are matched from the last one on; one of size one is repeated.
    shape, wanted = shape_of(source), shape_of(result)
    strides = strides_of(shape)
    picks: list[int] = []
    for lane in range(lanes):
        at = 0
        for d in range(1, len(shape) + 1):
            size = wanted[-d]
            lane, coordinate = divmod(lane, size)
            at += strides[-d] * (coordinate if shape[-d] > 1 else 0)
        picks.append(at)
    text = shuffle(writer.type_of(source), operand, "poison", picks)
    writer.define(result, text)


@emits_named("vector.step")
def _step(writer: FunctionWriter, op: Operation) -> None:
    result = op.results[0]
    numbers = [str(lane) for lane in range(lanes_of(result))]
    writer.set(result, vector_literal(numbers, llvm_type(element_type(result.type))))


@emits(vector.CreateMaskOp)
def _create_mask(writer: FunctionWriter, op: vector.CreateMaskOp) -> None:
    result = op.results[0]
    shape = shape_of(result)
    lanes = lanes_of(result)
    if not shape:
        # A mask of rank 0 has one lane, which is on if the operand is positive.
        shape = (1,)
    mask: str | None = None
    for d, (size, stride) in enumerate(zip(shape, strides_of(shape), strict=True)):
        coordinates = [lane // stride % size for lane in range(lanes)]
        count = writer.get(op.operands[d])
        here = lanes_below(writer, coordinates, count, size)
        if mask is None:
            mask = here
        else:
            mask = writer.temp(f"and <{lanes} x i1> {mask}, {here}")
    assert mask is not None, "a mask has at least one dimension"
    writer.set(result, mask)


def lanes_below(
    writer: FunctionWriter, coordinates: Sequence[int], count: str, size: int
) -> str:
    """The mask of the lanes whose coordinate, from 0 to `size - 1`, is below `count`."""
    lanes = len(coordinates)
    if is_literal(count):
        bits = ["true" if at < int(count) else "false" for at in coordinates]
        return vector_literal(bits, "i1")
    # In 32 bits, which compare twice as many lanes at once as 64 do.
    arguments = [("i64", count), ("i64", "0")]
    positive = writer.temp(writer.call("llvm.smax.i64", "i64", arguments))
    arguments = [("i64", positive), ("i64", str(size))]
    limited = writer.temp(writer.call("llvm.umin.i64", "i64", arguments))
    narrow = writer.temp(f"trunc i64 {limited} to i32")
    limit = splat(writer, narrow, "i32", lanes)
    numbers = vector_literal([str(at) for at in coordinates], "i32")
    return writer.temp(f"icmp ult <{lanes} x i32> {numbers}, {limit}")


# Taking vectors apart


class _Position:
    """Where a part of a vector starts: a lane that is known, or an operand."""

    def __init__(
        self,
        writer: FunctionWriter,
        shape: Sequence[int],
        static: Sequence[int],
        dynamic: Sequence[SSAValue],
    ):
        rest = iter(dynamic)
        start = "0"
        for stride, number in zip(strides_of(shape), static, strict=False):
            at = writer.get(next(rest)) if number == DYNAMIC else str(number)
            start = add(writer, start, multiply(writer, at, str(stride)))
        self.start = start
        self.count = prod(shape[len(static) :])
        """How many lanes the part has."""
        self.is_scalar = len(static) == len(shape)

    def lane(self, writer: FunctionWriter, number: int) -> str:
        """The operand of one lane of the part."""
        return add(writer, self.start, str(number))


@emits(vector.ExtractOp)
def _extract(writer: FunctionWriter, op: vector.ExtractOp) -> None:
    source, result = op.operands[0], op.results[0]
    position = _Position(
        writer, shape_of(source), op.static_position.get_values(), op.operands[1:]
    )
    type_, whole = writer.type_of(source), writer.get(source)
    if position.is_scalar and not is_vector(result.type):
        writer.define(result, f"extractelement {type_} {whole}, i64 {position.start}")
        return
    if is_literal(position.start):
        first = int(position.start)
        if position.count == lanes_of(source):
            writer.alias(result, source)
            return
        picks = range(first, first + position.count)
        writer.define(result, shuffle(type_, whole, "poison", picks))
        return
    scalar = llvm_type(element_type(source.type))
    part = "poison"
    for number in range(position.count):
        lane = position.lane(writer, number)
        one = writer.temp(f"extractelement {type_} {whole}, i64 {lane}")
        text = f"insertelement {writer.type_of(result)} {part}, {scalar} {one}"
        part = writer.temp(f"{text}, i64 {number}")
    writer.set(result, part)


@emits(vector.InsertOp)
def _insert(writer: FunctionWriter, op: vector.InsertOp) -> None:
    source, dest, *dynamic = op.operands
    result = op.results[0]
    position = _Position(
        writer, shape_of(dest), op.static_position.get_values(), dynamic
    )
    type_, whole = writer.type_of(dest), writer.get(dest)
    if not is_vector(source.type):
        text = f"insertelement {type_} {whole}, {writer.typed(source)}"
        writer.define(result, f"{text}, i64 {position.start}")
        return
    part, part_type = writer.get(source), writer.type_of(source)
    if not is_literal(position.start):
        scalar = llvm_type(element_type(source.type))
        for number in range(position.count):
            one = writer.temp(f"extractelement {part_type} {part}, i64 {number}")
            lane = position.lane(writer, number)
            text = f"insertelement {type_} {whole}, {scalar} {one}, i64 {lane}"
            whole = writer.temp(text)
        writer.set(result, whole)
        return
    lanes, first = lanes_of(dest), int(position.start)
    if position.count == lanes:
        writer.alias(result, source)
        return
    # LLVM shuffles vectors of equal length: the part is put in its place first.
    inside = range(first, first + position.count)
    spread = [lane - first if lane in inside else -1 for lane in range(lanes)]
    placed = writer.temp(shuffle(part_type, part, "poison", spread))
    picks = [lanes + lane if lane in inside else lane for lane in range(lanes)]
    writer.define(result, shuffle(type_, whole, placed, picks))


@emits(vector.ShuffleOp)
def _shuffle(writer: FunctionWriter, op: vector.ShuffleOp) -> None:
    v1, v2 = op.operands
    result = op.results[0]
    row = prod(shape_of(v1)[1:])
    first, second = lanes_of(v1), lanes_of(v2)
    lanes = max(first, second)
    picks: list[int] = []
    for number in op.mask.get_values():
        start = number * row
        # Lanes of the second operand are counted after those of the first, which LLVM
        # takes to be as many.
        start += lanes - first if start >= first else 0
        picks += [-1 if number < 0 else start + k for k in range(row)]
    a, b = _lengthened(writer, v1, lanes), _lengthened(writer, v2, lanes)
    type_ = like(llvm_type(element_type(v1.type)), lanes)
    writer.define(result, shuffle(type_, a, b, picks))


def _lengthened(writer: FunctionWriter, value: SSAValue, lanes: int) -> str:
    present = lanes_of(value)
    if present == lanes:
        return writer.get(value)
    picks = [*range(present), *[-1] * (lanes - present)]
    text = shuffle(writer.type_of(value), writer.get(value), "poison", picks)
    return writer.temp(text)


# Reductions

_COMBINED_BY = {
    "minui": "umin",
    "minsi": "smin",
    "maxui": "umax",
    "maxsi": "smax",
    "minimumf": "minimum",
    "maximumf": "maximum",
    "minnumf": "minnum",
    "maxnumf": "maxnum",
}
"""Kind -> what combines two lanes, if that has another name."""


@emits(vector.ReductionOp)
def _reduction(writer: FunctionWriter, op: vector.ReductionOp) -> None:
    source, *acc = op.operands
    kind, element = op.kind.data.value, element_type(source.type)
    if writer.is_wide(source) and kind in ("and", "or") and not acc:
        writer.define(op.results[0], some_or_all(writer, source, kind))
        return
    if is_float(element) and kind in ("add", "mul"):
        reduce = _reduce_bf16 if is_bf16(source) else _reduce_in_order
        reduce(writer, op, kind)
        return
    # LLVM may take the first of two halves twice, in code that is not optimised, where no
    # instruction converts them.
    wide = operand_to_compute(writer, source, NARROW)
    start = [operand_to_compute(writer, value, NARROW) for value in acc]
    scalar = "float" if isinstance(element, NARROW) else llvm_type(element)
    flags, step = fast_math(op), _COMBINED_BY.get(kind, kind)
    name = f"llvm.vector.reduce.{FOLDED_AS.get(step, step)}.{mangled(wide[0])}"
    text = writer.call(name, scalar, [wide], flags=flags)
    for _, operand in start:
        text = combined(writer, step, scalar, writer.temp(text), operand, flags)
    define_computed(writer, op.results[0], text, NARROW)


def _reduce_in_order(writer: FunctionWriter, op: vector.ReductionOp, kind: str) -> None:
    """In the order of the lanes, unless `reassoc` is among the flags."""
    source, *acc = op.operands
    type_, element = writer.type_of(source), element_type(source.type)
    neutral = float_literal(-0.0 if kind == "add" else 1.0, element)
    scalar, start = llvm_type(element), writer.get(acc[0]) if acc else neutral
    arguments = [(scalar, start), (type_, writer.get(source))]
    name = f"llvm.vector.reduce.f{kind}.{mangled(type_)}"
    text = writer.call(name, scalar, arguments, flags=fast_math(op))
    writer.define(op.results[0], text)


def _reduce_bf16(writer: FunctionWriter, op: vector.ReductionOp, kind: str) -> None:
    """One lane after the other, rounded to bf16 each time."""
    source, *acc = op.operands
    bf16, f32 = BFloat16Type(), Float32Type()
    type_, lanes = operand_to_compute(writer, source)
    total = writer.get(acc[0]) if acc else None
    for lane in range(lanes_of(source)):
        one = writer.temp(f"extractelement {type_} {lanes}, i64 {lane}")
        if total is not None:
            before = round_float(writer, total, bf16, f32, None)
            one = writer.temp(f"f{kind} {fast_math(op)}float {before}, {one}")
        total = round_float(writer, one, f32, bf16, None)
    assert total is not None, "a vector has at least one lane"
    writer.set(op.results[0], total)
