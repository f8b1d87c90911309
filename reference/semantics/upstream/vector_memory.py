"""The meaning of `vector` on memory. An inactive lane touches nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from operator import ge
from typing import Any

from xdsl.dialects import vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import Body, as_tuple, helper, meaning, trap
from spmd.reference.facts import OPAQUE_TO_POISON
from spmd.reference.memory import MemRef
from spmd.reference.scalars import POISON, length_of, signed
from spmd.reference.semantics.expressions import element
from spmd.reference.semantics.upstream.memref import (
    element_in_memory,
    loaded,
    memref_type,
    outside,
    stored,
)
from spmd.reference.semantics.upstream.vector import vector_type

OPAQUE_TO_POISON.update({vector.LoadOp})


MASK_64 = (1 << 64) - 1


def _is_active(mask: Any, lane: int, site: int) -> bool:
    if mask is None:
        return True
    if mask[lane] is POISON:
        trap(site, f"undefined mask in lane {lane}")
    return bool(mask[lane])


@helper
def block_positions(
    source: MemRef,
    indices: tuple[int, ...],
    shape: Sequence[int],
    in_bounds: Sequence[bool],
    mask: Any,
    site: int,
) -> list[int | None]:
    """
    The positions of a block of memory that starts at `indices`, lane by lane.

    `None` for inactive lanes; what lies outside of an open bound counts as inactive.
    """
    positions: list[int | None] = []
    outer = len(source.sizes) - len(shape)
    may_leave = [outer + d for d, sure in enumerate(in_bounds) if not sure]
    for lane, offsets in enumerate(product(*map(range, shape))):
        inner = zip(indices[outer:], offsets, strict=True)
        at = (*indices[:outer], *(sum(pair) & MASK_64 for pair in inner))
        left = any(at[d] >= source.sizes[d] for d in may_leave)
        if left or not _is_active(mask, lane, site):
            positions.append(None)
            continue
        if any(map(ge, at, source.sizes)):
            if not -source.before <= signed(at[0], 64) < 0:
                outside(site, source, at)
            at = (signed(at[0], 64),)
        positions.append(source.position(at))
    return positions


@helper
def gathered_positions(
    source: MemRef,
    start: tuple[int, ...],
    indices: Any,
    bits: int,
    mask: Any,
    site: int,
) -> list[int | None]:
    """The positions at a distance of `indices` elements from `start`."""
    first = source.position([signed(i, 64) for i in start])
    positions: list[int | None] = []
    step = source.strides[-1] if source.strides else 1
    for lane, index in enumerate(indices):
        if not _is_active(mask, lane, site):
            positions.append(None)
            continue
        if index is POISON:
            trap(site, f"undefined index in lane {lane}")
        position = first + signed(index, bits) * step
        if not 0 <= position < len(source.data):
            trap(
                site,
                f"out of bounds: element {position} of {len(source.data)} in lane "
                f"{lane} of {source.storage.space} memref {source.storage.name}",
            )
        positions.append(position)
    return positions


def _load_from(
    body: Body, op: Operation, base: SSAValue, positions: str, other: str | None
) -> None:
    """The result is what lies there; inactive lanes get `other`."""
    scalar = element_in_memory(memref_type(base, op), op)
    at, source = body.fresh("at"), body.use(base)
    body.line(f"{at} = {positions}")
    if body.checked:
        body.line(f"check.read_all(w, {source}, {at}, {body.site(op)})")
    value = loaded(scalar, f"{source}.data[p]")
    if other is None:
        text = f"{value} for p in {at}"
    else:
        text = f"{value} if p is not None else o for p, o in zip({at}, {other})"
    body.let(op.results[0], f"tuple([{text}])")


def _store_to(
    body: Body, op: Operation, base: SSAValue, positions: str, value: SSAValue
) -> None:
    scalar = element_in_memory(memref_type(base, op), op)
    at, target, values = body.fresh("at"), body.use(base), body.use(value)
    body.line(f"{at} = {positions}")
    if body.checked:
        body.line(f"check.write_all(w, {target}, {at}, {values}, {body.site(op)})")
    with body.suite(f"for p, o in zip({at}, {values})"):
        body.line(f"if p is not None: {target}.data[p] = {stored(scalar, 'o', True)}")


def _block(
    body: Body,
    op: Any,
    memory: SSAValue,
    value: SSAValue,
    mask: SSAValue | None = None,
    in_bounds: Sequence[bool] | None = None,
) -> str:
    body.require(op.indices, op, "index")
    shape = tuple(vector_type(value.type, op).get_shape())
    flags = (True,) * len(shape) if in_bounds is None else tuple(in_bounds)
    active = "None" if mask is None else body.use(mask)
    return (
        f"block_positions({body.use(memory)}, {as_tuple(body.uses(op.indices))}, "
        f"{shape}, {flags}, {active}, {body.site(op)})"
    )


@meaning(vector.LoadOp)
def _load(body: Body, op: vector.LoadOp) -> None:
    _load_from(body, op, op.base, _block(body, op, op.base, op.result), None)


@meaning(vector.MaskedLoadOp)
def _masked_load(body: Body, op: vector.MaskedLoadOp) -> None:
    positions = _block(body, op, op.base, op.result, op.mask)
    _load_from(body, op, op.base, positions, body.use(op.pass_thru))


@meaning(vector.StoreOp)
def _store(body: Body, op: vector.StoreOp) -> None:
    positions = _block(body, op, op.base, op.vector)
    _store_to(body, op, op.base, positions, op.vector)


@meaning(vector.MaskedStoreOp)
def _masked_store(body: Body, op: vector.MaskedStoreOp) -> None:
    positions = _block(body, op, op.base, op.value_to_store, op.mask)
    _store_to(body, op, op.base, positions, op.value_to_store)


def _gathered(body: Body, op: GatherOp | ScatterOp) -> str:
    body.require(op.offsets, op, "index")
    start = as_tuple(body.uses(op.offsets))
    bits = element(op.indices.type, op).bits
    operands = f"{body.use(op.base)}, {start}, {body.use(op.indices)}, {bits}"
    return f"gathered_positions({operands}, {body.use(op.mask)}, {body.site(op)})"


@meaning(GatherOp)
def _gather(body: Body, op: GatherOp) -> None:
    _load_from(body, op, op.base, _gathered(body, op), body.use(op.pass_thru))


@meaning(ScatterOp)
def _scatter(body: Body, op: ScatterOp) -> None:
    _store_to(body, op, op.base, _gathered(body, op), op.value_to_store)


def _transfer(
    body: Body, op: vector.TransferReadOp | vector.TransferWriteOp, value: SSAValue
) -> str:
    if not isinstance(op.source.type, MemRefType):
        fail(op, f"expected a memref, got {op.source.type}")
    rank = len(memref_type(op.source, op).get_shape())
    minor = AffineMap.minor_identity(rank, len(vector_type(value.type, op).get_shape()))
    if op.permutation_map.data != minor:
        fail(op, f"expected the permutation map {minor}, got {op.permutation_map.data}")
    flags = [bool(flag.value.data) for flag in op.in_bounds]
    return _block(body, op, op.source, value, op.mask, flags)


@meaning(vector.TransferReadOp)
def _transfer_read(body: Body, op: vector.TransferReadOp) -> None:
    positions = _transfer(body, op, op.result)
    other = f"({body.use(op.padding)},) * {length_of(op.result.type)}"
    _load_from(body, op, op.source, positions, other)


@meaning(vector.TransferWriteOp)
def _transfer_write(body: Body, op: vector.TransferWriteOp) -> None:
    positions = _transfer(body, op, op.vector)
    _store_to(body, op, op.source, positions, op.vector)
