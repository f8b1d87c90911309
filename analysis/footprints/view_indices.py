"""Indices in a view as indices in what it is a view of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from spmd.analysis.footprints.expressions import Expression
from spmd.analysis.footprints.parameters import Parameters
from spmd.analysis.footprints.rules import floor_of, result
from spmd.analysis.memory.polynomials import Polynomial
from spmd.analysis.op_table import OpTable
from spmd.dialects.element_types import memref_layout, memref_type, mixed_numbers

Lookup = Callable[[SSAValue], Expression]
Indices = list[Expression]

RULES: OpTable[Callable[[Operation, Indices, Lookup], Indices | None]] = OpTable()


def indices_in_source(view: SSAValue, at: Indices, lookup: Lookup) -> Indices | None:
    """Where the element `at` of `view` lies in its source; `None` if that is not known."""
    owner = view.owner
    rule = RULES.get(type(owner)) if isinstance(owner, Operation) else None
    return None if rule is None else rule(owner, at, lookup)  # pyright: ignore


@RULES.of(memref.CastOp, memref.MemorySpaceCastOp, memref.AssumeAlignmentOp)
def _same(op: Operation, at: Indices, lookup: Lookup) -> Indices | None:
    return at


@RULES.of(memref.SubviewOp)
def _subview(op: Operation, at: Indices, lookup: Lookup) -> Indices | None:
    assert isinstance(op, memref.SubviewOp)
    sizes = list(mixed_numbers(op.static_sizes, op.sizes))
    kept = _kept(sizes, len(at))
    if kept is None:
        return None
    found: Indices = []
    rest = iter(at)
    offsets = mixed_numbers(op.static_offsets, op.offsets)
    strides = mixed_numbers(op.static_strides, op.strides)
    for axis, (offset, stride) in enumerate(zip(offsets, strides, strict=True)):
        start, step = _number(offset, lookup), _number(stride, lookup)
        if axis not in kept:
            found.append(start)
            continue
        index = next(rest)
        total = result(start.value + step.value * index.value, (start, step, index))
        if total is None:
            return None
        found.append(total)
    return found


def _kept(sizes: Sequence[int | SSAValue], rank: int) -> Sequence[int] | None:
    """The dimensions that a subview of this rank keeps; `None` if that is not clear."""
    if len(sizes) == rank:
        return range(rank)
    long = [axis for axis, size in enumerate(sizes) if size != 1]
    return long if len(long) == rank else None


@RULES.of(memref.ExpandShapeOp)
def _expand(op: Operation, at: Indices, lookup: Lookup) -> Indices | None:
    """A dimension becomes several: together they count its elements."""
    assert isinstance(op, memref.ExpandShapeOp)
    layout = memref_layout(memref_type(op.result))
    if layout is None:
        return None
    found: Indices = []
    for axes in _groups(op.reassociation):
        total = Expression(Polynomial.of(0))
        for position, axis in enumerate(axes):
            sizes = [layout.sizes[inner] for inner in axes[position + 1 :]]
            if None in sizes:
                return None
            step = prod(size for size in sizes if size is not None)
            more = result(total.value + at[axis].value * step, (total, at[axis]))
            if more is None:
                return None
            total = more
        found.append(total)
    return found


@RULES.of(memref.CollapseShapeOp)
def _collapse(op: Operation, at: Indices, lookup: Lookup) -> Indices | None:
    """Several dimensions become one: its index counts their elements."""
    assert isinstance(op, memref.CollapseShapeOp)
    layout = memref_layout(memref_type(op.src))
    if layout is None:
        return None
    found: Indices = []
    for index, axes in zip(at, _groups(op.reassociation), strict=True):
        rest, inner = index.value, list[Polynomial]()
        for axis in reversed(axes[1:]):
            size = layout.sizes[axis]
            if size is None or size < 1:
                return None
            quotient = floor_of(rest, Polynomial.of(size))
            inner.append(rest - quotient * size)
            rest = quotient
        found += [Expression(v, index.requires) for v in (rest, *reversed(inner))]
    return found


def sizes_of(
    memory: SSAValue, lookup: Lookup, parameters: Parameters
) -> Indices | None:
    """The sizes of a memref; `None` if one is not known."""
    layout = memref_layout(memref_type(memory))
    if layout is None:
        return None
    dynamic: Sequence[int | SSAValue | None] = layout.sizes
    owner = memory.owner
    if isinstance(owner, memref.SubviewOp):
        given = list(mixed_numbers(owner.static_sizes, owner.sizes))
        kept = _kept(given, len(layout.sizes))
        if kept is None:
            return None
        dynamic = [given[axis] for axis in kept]
    found: Indices = []
    for axis, size in enumerate(dynamic):
        known = (
            parameters.extent(memory, axis) if size is None else _number(size, lookup)
        )
        if known is None:
            return None
        found.append(known)
    return found


def _number(number: int | SSAValue, lookup: Lookup) -> Expression:
    return (
        Expression(Polynomial.of(number)) if isinstance(number, int) else lookup(number)
    )


def _groups(reassociation: ArrayAttr[ArrayAttr[IntegerAttr]]) -> Iterator[list[int]]:
    """For each dimension of the smaller rank those of the larger one."""
    for group in reassociation:
        yield [axis.value.data for axis in group]
