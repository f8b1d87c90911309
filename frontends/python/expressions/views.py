"""
Slices of arrays: views of the same memory, as NumPy makes them.

A slice ends at the end of the array, as in Python, but only constants count from there: a
bound that is known at run time has to be 0 or more, as an index has.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

from xdsl.dialects import memref
from xdsl.dialects.builtin import StridedLayoutAttr
from xdsl.ir import SSAValue

from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.arithmetic import binary
from spmd.frontends.python.expressions.functions import extreme
from spmd.frontends.python.expressions.memory import element, load, place, size
from spmd.frontends.python.types import INT, Array
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    integer,
)

_WHOLE = Host(slice(None))


class _Part(NamedTuple):
    """What a view has of one dimension: elements `first`, `first + step` and so on."""

    first: Scalars
    size: Scalars
    step: int


def subscript(e: Emitter, array: Value, index: Value) -> Number | Memory:
    """`array[index]`: an element, or a view if there is a slice or an index is left out."""
    memory = e.memory(array, "before [")
    given = list(index.values) if isinstance(index, Items) else [index]
    rank = len(memory.type.shape)
    dots = [
        d
        for d, each in enumerate(given)
        if isinstance(each, Host) and each.value is ...
    ]
    if len(dots) > 1:
        e.fail("expected at most one ... in an index, got several")
    missing = rank - (len(given) - len(dots))
    if missing < 0:
        e.fail(
            f"expected at most {rank} {'index' if rank == 1 else 'indices'} for "
            f"{memory.type}, got {len(given)}"
        )
    at = dots[0] if dots else len(given)
    given[at : at + 1] = [_WHOLE] * missing
    if not any(map(_is_slice, given)):
        return load(e, *element(e, memory, Items(tuple(given))))
    if all(_is_slice(each) and each.value == slice(None) for each in given):
        return memory
    return _view(e, memory, given)


def _is_slice(value: Value) -> TypeGuard[Host]:
    return isinstance(value, Host) and isinstance(value.value, slice)


def _view(e: Emitter, source: Memory, given: Sequence[Value]) -> Memory:
    """The view; a dimension with an index is left out of it."""
    strides = source.type.ir.get_strides()
    assert strides is not None, "all arrays of kernels have strides"
    parts: list[_Part] = []
    kept: list[int] = []
    for d, each in enumerate(given):
        if _is_slice(each):
            parts.append(_part(e, source, d, each.value))
            kept.append(d)
        else:
            parts.append(_Part(Number(INT, place(e, source, d, each)), integer(1), 1))
    steps = [part.step for part in parts]
    layout = [s and s * step for s, step in zip(strides, steps, strict=True)]
    sizes = [part.size for part in parts]
    type_ = Array(
        source.type.element,
        tuple(
            each.value if isinstance(each, Constant) else None
            for each in (sizes[d] for d in kept)
        ),
        source.type.space,
        StridedLayoutAttr([layout[d] for d in kept], None),
    )
    op = memref.SubviewOp.get(
        source.ssa,
        [_operand(e, part.first) for part in parts],
        [_operand(e, each) for each in sizes],
        steps,
        type_.ir,
    )
    return Memory(type_, e.add(op), tuple(sizes[d] for d in kept))


def _operand(e: Emitter, number: Scalars) -> SSAValue | int:
    return number.value if isinstance(number, Constant) else number.ssa


def _part(
    e: Emitter, array: Memory, dimension: int, given: slice[Any, Any, Any]
) -> _Part:
    step = integer(1) if given.step is None else given.step
    if not isinstance(step, Constant) or not step.type.is_integer or not step.value:
        got = step.value if isinstance(step, Constant) else described(step.type)
        e.fail(f"expected a constant other than 0 as step of a slice, got {got}")
    length = size(e, array, dimension)
    before = integer(0 if step.value > 0 else -1)

    def bound(value: Value) -> Scalars:
        whole = e.convert(e.integer(value, "bound of a slice"), INT)
        if isinstance(whole, Constant) and whole.value < 0:
            from_end = _of_two(e, ast.Add(), length, whole)
            return extreme(e, max, INT, from_end, before)
        return whole

    if step.value > 0:
        first = integer(0) if given.start is None else bound(given.start)
        end = length
        if given.stop is not None:
            end = smaller(e, bound(given.stop), length)
        distance = _of_two(e, ast.Sub(), end, first)
    else:
        first = _of_two(e, ast.Sub(), length, integer(1))
        if given.start is not None:
            first = smaller(e, bound(given.start), first)
        end = integer(-1) if given.stop is None else bound(given.stop)
        distance = _of_two(e, ast.Sub(), first, end)
    if distance.low is None or distance.low < 0:
        distance = extreme(e, max, INT, distance, integer(0))
    by = abs(step.value)
    if by > 1:
        above = _of_two(e, ast.Add(), distance, integer(by - 1))
        distance = _of_two(e, ast.FloorDiv(), above, integer(by))
    return _Part(first, distance, step.value)


def _of_two(e: Emitter, op: ast.operator, one: Scalars, other: Scalars) -> Scalars:
    if isinstance(other, Constant) and other.value == 0 and isinstance(op, ast.Sub):
        return one
    return e.scalar(binary(e, op, one, other), "in a slice")


def smaller(e: Emitter, one: Scalars, other: Scalars) -> Scalars:
    """The smaller one of two whole numbers."""
    return extreme(e, min, INT, one, other)
