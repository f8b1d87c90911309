"""Vectors of which lengths and positions agree; reductions of what can be reduced so."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, VectorType
from xdsl.ir import Attribute
from xdsl.utils.type import get_element_type_or_self


def _shape(type_: Attribute) -> tuple[int, ...]:
    if not isinstance(type_, VectorType):
        return ()
    return cast(VectorType[Attribute], type_).get_shape()


def why_no_masked_load(op: vector.MaskedLoadOp) -> str | None:
    """Why mask, values that are kept and result do not have the same lanes."""
    if (
        _shape(op.mask.type) == _shape(op.result.type)
        and op.pass_thru.type == op.result.type
    ):
        return None
    return (
        f"expected a mask and a value for each lane of {op.result.type}, got "
        f"{op.mask.type} and {op.pass_thru.type}"
    )


def why_no_masked_store(op: vector.MaskedStoreOp) -> str | None:
    """Why mask and values do not have the same lanes."""
    if _shape(op.mask.type) == _shape(op.value_to_store.type):
        return None
    return (
        f"expected a mask for each lane of {op.value_to_store.type}, got {op.mask.type}"
    )


def _why_not_within(
    whole: Attribute, part: Attribute, positions: tuple[int, ...]
) -> str | None:
    shape, element = _shape(whole), get_element_type_or_self(whole)
    for position, size in zip(positions, shape, strict=False):
        if position != DYNAMIC_INDEX and not 0 <= position < size:
            return f"expected a position below {size} in {whole}, got {position}"
    wanted = shape[len(positions) :]
    if get_element_type_or_self(part) != element or wanted != _shape(part):
        sizes = "x".join(map(str, (*wanted, element)))
        return f"expected a part {sizes} of {whole}, got {part}"
    return None


def why_no_extract(op: vector.ExtractOp) -> str | None:
    """Why the result is not what stands at the position."""
    positions = op.static_position.get_values()
    return _why_not_within(op.vector.type, op.result.type, positions)


def why_no_insert(op: vector.InsertOp) -> str | None:
    """Why the source does not fit the position."""
    positions = op.static_position.get_values()
    return _why_not_within(op.dest.type, op.source.type, positions)


def why_no_broadcast(op: vector.BroadcastOp) -> str | None:
    """Why the source cannot be repeated to give the result."""
    source, result = _shape(op.source.type), _shape(op.vector.type)
    tail = result[len(result) - len(source) :]
    if len(source) <= len(result) and all(
        a in (1, b) for a, b in zip(source, tail, strict=True)
    ):
        return None
    return f"expected a source that can be repeated to {op.vector.type}, got {op.source.type}"


def why_no_reduction(op: vector.ReductionOp) -> str | None:
    """Why elements cannot be combined so."""
    kind = op.kind.data.value
    if kind in ("add", "mul"):
        return None
    is_float = isinstance(get_element_type_or_self(op.vector.type), AnyFloat)
    if is_float == kind.endswith("f"):
        return None
    wanted = "integers" if is_float else "floats"
    return f"expected {wanted} for <{kind}>, got {op.vector.type}"
