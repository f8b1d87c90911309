"""Vectors of a work-item: what it loads, stores, takes out and puts in lies inside."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, VectorType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.utils.hints import isa

from spmd.dialects.compat.memory import GatherOp, ScatterOp, StepOp
from spmd.dialects.interfaces.preconditions import (
    Bits,
    Case,
    Comparison,
    Fault,
    Preconditions,
    Terms,
    described,
    out_of_bounds,
)


def _shape(value: SSAValue) -> tuple[int, ...]:
    type_ = value.type
    assert isa(type_, VectorType)
    return type_.get_shape()


def _in_lanes(terms: Terms, number: SSAValue, lanes: int) -> SSAValue:
    return terms.add(vector.BroadcastOp(number, VectorType(IndexType(), [lanes])))


def _lanes_outside(
    memory: SSAValue,
    start: Sequence[SSAValue],
    last: SSAValue,
    mask: SSAValue | None,
    terms: Terms,
    *,
    axis: int = -1,
    ends: Collection[int] = (),
) -> Fault | None:
    """
    An access by the lanes of a mask, whose index in one dimension, the `axis`, differs.

    `ends` are the dimensions outside of which lanes do nothing. `None`: nothing can be wrong.
    """
    extents = terms.extents(memory)
    axis %= len(extents)
    (lanes,) = _shape(last)
    on: Case = ()
    if mask is not None:
        on = (Comparison("ne", mask, terms.number(0, mask.type)),)
    cases: list[Case] = []
    for dimension, (index, extent) in enumerate(zip(start, extents, strict=True)):
        number = last if dimension == axis else _in_lanes(terms, index, lanes)
        end = _in_lanes(terms, extent, lanes)
        if dimension in ends:
            on = (*on, Comparison("ult", number, end))
        else:
            cases.append((Comparison("uge", number, end),))
    if not cases:
        return None
    words, sizes = described(memory, extents)
    at = ", ".join("{}" for _ in start)
    message = (
        f"access out of bounds: some of {lanes} elements from [{at}] on of {words}"
    )
    return Fault(message, (*start, *sizes), tuple((*on, *case) for case in cases))


def block_outside(op: vector.LoadOp | vector.StoreOp, terms: Terms) -> Sequence[Fault]:
    """Where a block of elements is not inside."""
    value = op.result if isinstance(op, vector.LoadOp) else op.vector
    return [out_of_bounds(op.base, op.indices, terms, _shape(value))]


def masked_outside(
    op: vector.MaskedLoadOp | vector.MaskedStoreOp, terms: Terms
) -> Sequence[Fault]:
    """Where an element of a row that the mask names is not inside."""
    last = _row(terms, op.indices[-1], *_shape(op.mask))
    return _some(_lanes_outside(op.base, op.indices, last, op.mask, terms))


def _row(terms: Terms, first: SSAValue, lanes: int) -> SSAValue:
    """The indices from one on."""
    steps = terms.add(StepOp(VectorType(IndexType(), [lanes])))
    return terms.sum(_in_lanes(terms, first, lanes), steps)


def gathered_outside(op: GatherOp | ScatterOp, terms: Terms) -> Sequence[Fault]:
    """Where an element at an index that the mask names is not inside."""
    (lanes,) = _shape(op.mask)
    wide = VectorType(IndexType(), [lanes])
    indices = op.indices
    if indices.type != wide:
        indices = terms.add(arith.IndexCastOp(indices, wide))
    last = terms.sum(_in_lanes(terms, op.offsets[-1], lanes), indices)
    return _some(_lanes_outside(op.base, op.offsets, last, op.mask, terms))


def _some(*faults: Fault | None) -> Sequence[Fault]:
    return [fault for fault in faults if fault is not None]


def transfer_outside(
    op: vector.TransferReadOp | vector.TransferWriteOp, terms: Terms
) -> Sequence[Fault]:
    """Where an element that the mask names is not inside, though nothing lets it out."""
    value = op.result if isinstance(op, vector.TransferReadOp) else op.vector
    lengths: dict[int, int] = {}
    ends: list[int] = []
    for along, length, inside in zip(
        op.permutation_map.data.results, _shape(value), op.in_bounds, strict=True
    ):
        # Along other dimensions of the vector, each element is the same one.
        if isinstance(along, AffineDimExpr):
            lengths[along.position] = length
            if not inside.value.data:
                ends.append(along.position)
    used = sorted(lengths)
    if op.mask is None and not ends:
        block = range(used[0] if used else len(op.indices), len(op.indices))
        shape = [lengths.get(dimension, 1) for dimension in block]
        return [out_of_bounds(op.source, op.indices, terms, shape)]
    if not used:
        return ()
    *outer, last = used
    faults: list[Fault | None] = []
    # A mask has the dimensions of the memref, in its order.
    for place in product(*(range(lengths[dimension]) for dimension in outer)):
        start, mask = list(op.indices), op.mask
        for dimension, number in zip(outer, place):
            start[dimension] = terms.sum(start[dimension], terms.index(number))
        if mask is not None and outer:
            lanes = VectorType(i1, [lengths[last]])
            mask = terms.add(vector.ExtractOp(mask, place, lanes))
        row = _row(terms, start[last], lengths[last])
        faults.append(
            _lanes_outside(op.source, start, row, mask, terms, axis=last, ends=ends)
        )
    return _some(*faults)


def element_outside(
    op: vector.ExtractOp | vector.InsertOp, terms: Terms
) -> Sequence[Fault]:
    """Where a part of a vector is not one."""
    shape = _shape(op.vector if isinstance(op, vector.ExtractOp) else op.dest)
    numbers = op.static_position.get_values()
    given = iter(op.dynamic_position)
    indices = [(next(given), n) for at, n in zip(numbers, shape) if at == DYNAMIC_INDEX]
    if not indices:
        return ()
    at = ", ".join("{}" if n == DYNAMIC_INDEX else str(n) for n in numbers)
    return [
        Fault(
            f"out of bounds: [{at}] of a vector of {list(shape)}",
            tuple(index for index, _ in indices),
            tuple((Comparison("uge", i, terms.index(n)),) for i, n in indices),
        )
    ]


def _of_any(op: Operation, bits: Bits, terms: Terms) -> SSAValue:
    """The result is undefined where an operand is."""
    return terms.any_of(bits)


Preconditions(block_outside).attach(vector.LoadOp, vector.StoreOp)
Preconditions(masked_outside).attach(vector.MaskedLoadOp, vector.MaskedStoreOp)
Preconditions(gathered_outside).attach(GatherOp, ScatterOp)
Preconditions(element_outside, passed_on=_of_any).attach(
    vector.ExtractOp, vector.InsertOp
)
Preconditions(transfer_outside).attach(vector.TransferReadOp, vector.TransferWriteOp)
