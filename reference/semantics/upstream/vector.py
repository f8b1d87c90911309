"""The meaning of `vector` on values: making, taking apart, combining."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Any

from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from spmd.dialects.compat.memory import StepOp
from spmd.dialects.diagnostics import fail
from spmd.dialects.interfaces.computation import floats_ruled_out, words_of_floats
from spmd.reference.compiler import Body, as_tuple, helper, meaning, trap
from spmd.reference.facts import poison_source
from spmd.reference.scalars import (
    FROM_BITS,
    POISON,
    TO_BITS,
    Scalar,
    as_vector,
    length_of,
)
from spmd.reference.semantics.expressions import (
    Combine,
    combination,
    element,
    first_float,
)


def vector_type(type_: Attribute, op: Operation) -> VectorType[Attribute]:
    """A vector type of fixed length."""
    vector = as_vector(type_)
    if vector is None or any(bool(flag.value.data) for flag in vector.scalable_dims):
        fail(op, f"expected a vector of fixed length, got {type_}")
    return vector


@meaning(StepOp)
def _step(body: Body, op: StepOp) -> None:
    (length,) = vector_type(op.result.type, op).get_shape()
    body.names[op.result] = body.program.bind(tuple(range(length)), "step")


@meaning(vector.BroadcastOp)
def _broadcast(body: Body, op: vector.BroadcastOp) -> None:
    shape = vector_type(op.vector.type, op).get_shape()
    source = body.use(op.source)
    if as_vector(op.source.type) is None:
        body.let(op.vector, f"({source},) * {prod(shape)}")
        return
    inner = vector_type(op.source.type, op).get_shape()
    padded = (1,) * (len(shape) - len(inner)) + tuple(inner)
    chosen: list[int] = []
    for index in product(*map(range, shape)):
        at = 0
        for i, size in zip(index, padded, strict=True):
            at = at * size + (i if size > 1 else 0)
        chosen.append(at)
    body.let(op.vector, f"tuple([{source}[i] for i in {chosen}])")


@helper
def leading(sizes: Sequence[int], shape: Sequence[int]) -> tuple[bool, ...]:
    """A mask that is set where each index is below the size (a signed number)."""
    limits = [0 if size >> 63 else size for size in sizes]
    return tuple(
        all(i < limit for i, limit in zip(index, limits, strict=True))
        for index in product(*map(range, shape))
    )


@meaning(vector.CreateMaskOp)
def _create_mask(body: Body, op: vector.CreateMaskOp) -> None:
    body.require(op.mask_dim_sizes, op, "size")
    shape = tuple(vector_type(op.mask_vector.type, op).get_shape())
    sizes = as_tuple(body.uses(op.mask_dim_sizes))
    body.let(op.mask_vector, f"leading({sizes}, {shape})")


# --- elements ------------------------------------------------------------------------


poison_source(vector.ExtractOp, vector.InsertOp)(lambda op: bool(op.dynamic_position))


@helper
def element_position(indices: Sequence[int], shape: Sequence[int], site: int) -> int:
    """Where in a flat vector the part at `indices` begins."""
    at = 0
    for index, size in zip(indices, shape, strict=False):
        if index >= size:
            trap(site, f"out of bounds: {list(indices)} of a vector of {list(shape)}")
        at = at * size + index
    return at * prod(shape[len(indices) :])


def _position(
    body: Body, op: vector.ExtractOp | vector.InsertOp, shape: Sequence[int]
) -> str:
    body.require(op.dynamic_position, op, "index")
    numbers = op.static_position.get_values()
    if not op.dynamic_position:
        return str(element_position(numbers, shape, 0))
    indices = as_tuple(body.mixed(numbers, op.dynamic_position))
    return f"element_position({indices}, {tuple(shape)}, {body.site(op)})"


@meaning(vector.ExtractOp)
def _extract(body: Body, op: vector.ExtractOp) -> None:
    shape = vector_type(op.vector.type, op).get_shape()
    at = _position(body, op, shape)
    part = f"{body.use(op.vector)}[{at}]"
    if as_vector(op.result.type) is not None:
        start = body.fresh("start")
        body.line(f"{start} = {at}")
        end = f"{start} + {length_of(op.result.type)}"
        part = f"{body.use(op.vector)}[{start}:{end}]"
    body.let(op.result, part)


@meaning(vector.InsertOp)
def _insert(body: Body, op: vector.InsertOp) -> None:
    shape = vector_type(op.dest.type, op).get_shape()
    at = _position(body, op, shape)
    source, target = body.use(op.source), body.use(op.dest)
    length = length_of(op.source.type)
    if as_vector(op.source.type) is None:
        source = f"({source},)"
    start = body.fresh("start")
    body.line(f"{start} = {at}")
    body.let(
        op.result, f"{target}[:{start}] + {source} + {target}[{start} + {length}:]"
    )


poison_source(vector.ShuffleOp)(lambda op: -1 in op.mask.get_values())


@meaning(vector.ShuffleOp)
def _shuffle(body: Body, op: vector.ShuffleOp) -> None:
    first, second = body.uses([op.v1, op.v2])
    trailing = vector_type(op.v1.type, op).get_shape()[1:]
    length = prod(trailing)
    both = body.fresh("both")
    chosen = [int(number) for number in op.mask.get_values()]
    body.line(f"{both} = {first} + {second}")
    if length != 1:
        parts = [f"{both}[{i * length}:{(i + 1) * length}]" for i in chosen]
        body.let(op.result, " + ".join(parts))
    else:
        parts = ["POISON" if i < 0 else f"{both}[{i}]" for i in chosen]
        body.let(op.result, f"({', '.join(parts)},)")


# --- combining -----------------------------------------------------------------------


@helper
def fold(combine: Combine, values: Sequence[Any], flags: str) -> Any:
    if any(value is POISON for value in values):
        return POISON
    return first_float((reduce(combine, values), *values), flags)


@meaning(vector.ReductionOp)
def _reduction(body: Body, op: vector.ReductionOp) -> None:
    """In order, from the accumulator on."""
    scalar = element(op.dest.type, op)
    kind = op.kind.data.value
    kind = {"minsi": "min", "maxsi": "max"}.get(kind, kind)
    combine = combination(kind, scalar)
    values = body.use(op.vector)
    if op.acc is not None:
        values = f"({body.use(op.acc)},) + {values}"
    flags = floats_ruled_out(op)
    text = f"fold({combine}, {values}, {','.join(flags)!r})"
    if flags:
        text = body.defined(op, text, words_of_floats(flags))
    body.let(op.dest, text)


@helper
def cast_bits(values: Sequence[Any], source: Scalar, target: Scalar) -> tuple[Any, ...]:
    """The bits of a vector read as elements of another type, little-endian."""
    if any(value is POISON for value in values):
        return (POISON,) * (len(values) * source.bits // target.bits)
    total = 0
    for i, value in enumerate(values):
        bits = TO_BITS[source.name](value) if source.is_float else int(value)
        total |= bits << (i * source.bits)
    parts = [
        (total >> (i * target.bits)) & target.mask
        for i in range(len(values) * source.bits // target.bits)
    ]
    return tuple(FROM_BITS[target.name](p) if target.is_float else p for p in parts)


@meaning(vector.BitcastOp)
def _bitcast(body: Body, op: vector.BitcastOp) -> None:
    source = body.program.bind(element(op.source.type, op), "scalar")
    target = body.program.bind(element(op.result.type, op), "scalar")
    body.let(op.result, f"cast_bits({body.use(op.source)}, {source}, {target})")
