"""Vectors that a work-item loads and stores: all elements lie inside."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.compat.memory import GatherOp, ScatterOp, StepOp
from spmd.dialects.interfaces.preconditions import (
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
    mask: SSAValue,
    terms: Terms,
) -> Fault:
    """An access by the lanes of a mask, whose index in the last dimension differs."""
    extents = terms.extents(memory)
    (lanes,) = _shape(mask)
    on = Comparison("ne", mask, terms.number(0, mask.type))
    cases: list[Case] = [
        (on, Comparison("uge", index, _in_lanes(terms, extent, lanes)))
        for index, extent in zip(
            (*(_in_lanes(terms, each, lanes) for each in start[:-1]), last),
            extents,
            strict=True,
        )
    ]
    words, sizes = described(memory, extents)
    at = ", ".join("{}" for _ in start)
    message = (
        f"access out of bounds: some of {lanes} elements from [{at}] on of {words}"
    )
    return Fault(message, (*start, *sizes), tuple(cases))


def block_outside(op: vector.LoadOp | vector.StoreOp, terms: Terms) -> Sequence[Fault]:
    """Where a block of elements is not inside."""
    value = op.result if isinstance(op, vector.LoadOp) else op.vector
    return [out_of_bounds(op.base, op.indices, terms, _shape(value))]


def masked_outside(
    op: vector.MaskedLoadOp | vector.MaskedStoreOp, terms: Terms
) -> Sequence[Fault]:
    """Where an element of a row that the mask names is not inside."""
    (lanes,) = _shape(op.mask)
    steps = terms.add(StepOp(VectorType(IndexType(), [lanes])))
    last = terms.sum(_in_lanes(terms, op.indices[-1], lanes), steps)
    return [_lanes_outside(op.base, op.indices, last, op.mask, terms)]


def gathered_outside(op: GatherOp | ScatterOp, terms: Terms) -> Sequence[Fault]:
    """Where an element at an index that the mask names is not inside."""
    (lanes,) = _shape(op.mask)
    wide = VectorType(IndexType(), [lanes])
    indices = op.indices
    if indices.type != wide:
        indices = terms.add(arith.IndexCastOp(indices, wide))
    last = terms.sum(_in_lanes(terms, op.offsets[-1], lanes), indices)
    return [_lanes_outside(op.base, op.offsets, last, op.mask, terms)]


def transfer_outside(
    op: vector.TransferReadOp | vector.TransferWriteOp, terms: Terms
) -> Sequence[Fault]:
    """Where a block that is said to lie inside does not."""
    value = op.result if isinstance(op, vector.TransferReadOp) else op.vector
    shape = _shape(value)
    if op.mask is not None:
        return ()
    # In an open dimension only the first element has to be inside of the others.
    inside = [bool(flag.value.data) for flag in op.in_bounds]
    if not all(inside):
        return ()
    return [out_of_bounds(op.source, op.indices, terms, shape)]


Preconditions(block_outside).attach(vector.LoadOp, vector.StoreOp)
Preconditions(masked_outside).attach(vector.MaskedLoadOp, vector.MaskedStoreOp)
Preconditions(gathered_outside).attach(GatherOp, ScatterOp)
Preconditions(transfer_outside).attach(vector.TransferReadOp, vector.TransferWriteOp)
