"""Casts that change the width of their operand in the right direction; predicates."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IndexType,
)
from xdsl.ir import Attribute
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.element_types import INDEX_BYTES


def _width(type_: Attribute) -> int:
    element = get_element_type_or_self(type_)
    if isinstance(element, IndexType):
        return 8 * INDEX_BYTES
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth


def why_not_wider(op: arith.ExtFOp) -> str | None:
    """Why a cast that extends does not; of integers, verifiers look."""
    source, result = op.input.type, op.result.type
    if _width(source) < _width(result):
        return None
    return f"expected a result wider than {source}, got {result}"


def why_not_narrower(op: arith.TruncFOp) -> str | None:
    """Why a cast that truncates does not."""
    source, result = op.input.type, op.result.type
    if _width(source) > _width(result):
        return None
    return f"expected a result narrower than {source}, got {result}"


def why_not_same_width(op: arith.BitcastOp) -> str | None:
    """Why a bitcast cannot keep all bits."""
    source, result = op.input.type, op.result.type
    if _width(source) == _width(result):
        return None
    return f"expected a result as wide as {source}, got {result}"


def why_no_comparison(op: arith.CmpiOp | arith.CmpfOp) -> str | None:
    """Why there is no such predicate, or nothing that it could compare."""
    if op.lhs.type != op.rhs.type:
        return f"expected operands of one type, got {op.lhs.type} and {op.rhs.type}"
    known = 10 if isinstance(op, arith.CmpiOp) else 16
    predicate = op.predicate.value.data
    if 0 <= predicate < known:
        return None
    return f"expected a predicate from 0 to {known - 1}, got {predicate}"
