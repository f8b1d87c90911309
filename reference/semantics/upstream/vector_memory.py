"""The meaning of `vector` on memory. A lane that is off touches nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

from xdsl.dialects import vector
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import Body, helper, meaning, trap
from spmd.reference.facts import OPAQUE_TO_POISON
from spmd.reference.memory import MemRef
from spmd.reference.scalars import (
    BF16_VALUES,
    F16_VALUES,
    POISON,
    Scalar,
    bf16_bits,
    f16_bits,
    signed,
)
from spmd.reference.semantics.expressions import element
from spmd.reference.semantics.upstream.memref import cell_scalar, memref_type, outside
from spmd.reference.semantics.upstream.vector import vector_type

OPAQUE_TO_POISON.update({vector.LoadOp})


def reader(scalar: Scalar) -> Callable[[Any], Any]:
    """From the contents of a cell to a value."""
    tables: dict[str, Callable[[Any], Any]] = {
        "f16": F16_VALUES.__getitem__,
        "bf16": BF16_VALUES.__getitem__,
    }
    return tables.get(scalar.name, lambda cell: cell)


def writer(scalar: Scalar) -> Callable[[Any], Any]:
    """From a value to the contents of a cell; something undefined leaves garbage."""
    bits: dict[str, Callable[[Any], Any]] = {"f16": f16_bits, "bf16": bf16_bits}
    convert = bits.get(scalar.name, lambda value: value)
    garbage = float("nan") if scalar.is_float else scalar.mask
    return lambda value: convert(garbage if value is POISON else value)


class Lanes:
    """The cells that a vector op means, lane by lane; `None` where it means none."""

    def __init__(self, scalar: Scalar):
        self.read = reader(scalar)
        self.write = writer(scalar)

    def load(
        self, source: MemRef, cells: list[int | None], other: Sequence[Any]
    ) -> Any:
        data, read = source.data, self.read
        return tuple(
            other[lane] if cell is None else read(data[cell])
            for lane, cell in enumerate(cells)
        )

    def store(self, target: MemRef, cells: list[int | None], values: Any) -> None:
        data, write = target.data, self.write
        for cell, value in zip(cells, values, strict=True):
            if cell is not None:
                data[cell] = write(value)


def _on(mask: Any, lane: int, site: int) -> bool:
    if mask is None:
        return True
    if mask[lane] is POISON:
        trap(site, f"undefined mask in lane {lane}")
    return bool(mask[lane])


@helper
def block_cells(
    source: MemRef, indices: tuple[int, ...], shape: Sequence[int], mask: Any, site: int
) -> list[int | None]:
    """The cells of a block of memory that starts at `indices`."""
    cells: list[int | None] = []
    outer = len(source.sizes) - len(shape)
    for lane, offsets in enumerate(product(*map(range, shape))):
        if not _on(mask, lane, site):
            cells.append(None)
            continue
        at = [*indices[:outer], *map(sum, zip(indices[outer:], offsets, strict=True))]
        at = [i & ((1 << 64) - 1) for i in at]
        if any(i >= n for i, n in zip(at, source.sizes, strict=True)):
            outside(site, source, tuple(at))
        cells.append(
            source.offset + sum(i * s for i, s in zip(at, source.strides, strict=True))
        )
    return cells


@helper
def gathered_cells(
    source: MemRef,
    start: tuple[int, ...],
    indices: Any,
    bits: int,
    mask: Any,
    site: int,
) -> list[int | None]:
    """The cells at a distance of `indices` elements from `start`."""
    first = source.offset + sum(
        signed(i, 64) * s for i, s in zip(start, source.strides, strict=True)
    )
    cells: list[int | None] = []
    step = source.strides[-1] if source.strides else 1
    for lane, index in enumerate(indices):
        if not _on(mask, lane, site):
            cells.append(None)
            continue
        if index is POISON:
            trap(site, f"undefined index in lane {lane}")
        cell = first + signed(index, bits) * step
        if not 0 <= cell < len(source.data):
            trap(
                site,
                f"out of bounds: element {cell} of {len(source.data)} in lane {lane} "
                f"of {source.storage.space} memref {source.storage.name}",
            )
        cells.append(cell)
    return cells


def _load_cells(
    body: Body, op: Operation, base: SSAValue, cells: str, other: str
) -> str:
    """A load of the cells as an expression; the checker sees them first."""
    lanes = _lanes(body, op, base)
    source = body.use(base)
    if body.checked:
        name = body.fresh("cells")
        body.line(f"{name} = {cells}")
        body.line(f"check.read_cells(w, {source}, {name}, {body.site(op)})")
        cells = name
    return f"{lanes}.load({source}, {cells}, {other})"


def _store_cells(
    body: Body, op: Operation, base: SSAValue, cells: str, value: SSAValue
) -> None:
    lanes = _lanes(body, op, base)
    target, values = body.use(base), body.use(value)
    if body.checked:
        name = body.fresh("cells")
        body.line(f"{name} = {cells}")
        site = body.site(op)
        body.line(f"check.write_cells(w, {target}, {name}, {values}, {site})")
        cells = name
    body.line(f"{lanes}.store({target}, {cells}, {values})")


def _lanes(body: Body, op: Operation, memory: SSAValue) -> str:
    scalar = cell_scalar(memref_type(memory, op), op)
    return body.program.bind(Lanes(scalar), "lanes")


def _block(
    body: Body, op: Any, memory: SSAValue, type_: Any, mask: SSAValue | None
) -> str:
    body.require(op.indices, op, "index")
    shape = tuple(vector_type(type_, op).get_shape())
    indices = "".join(f"{name}, " for name in body.uses(op.indices))
    on = "None" if mask is None else body.use(mask)
    return (
        f"block_cells({body.use(memory)}, ({indices}), {shape}, {on}, {body.site(op)})"
    )


@meaning(vector.LoadOp)
def _load(body: Body, op: vector.LoadOp) -> None:
    cells = _block(body, op, op.base, op.result.type, None)
    body.let(op.result, _load_cells(body, op, op.base, cells, "()"))


@meaning(vector.MaskedLoadOp)
def _masked_load(body: Body, op: vector.MaskedLoadOp) -> None:
    cells = _block(body, op, op.base, op.result.type, op.mask)
    other = body.use(op.pass_thru)
    body.let(op.result, _load_cells(body, op, op.base, cells, other))


@meaning(vector.StoreOp)
def _store(body: Body, op: vector.StoreOp) -> None:
    cells = _block(body, op, op.base, op.vector.type, None)
    _store_cells(body, op, op.base, cells, op.vector)


@meaning(vector.MaskedStoreOp)
def _masked_store(body: Body, op: vector.MaskedStoreOp) -> None:
    cells = _block(body, op, op.base, op.value_to_store.type, op.mask)
    _store_cells(body, op, op.base, cells, op.value_to_store)


def _gathered(body: Body, op: GatherOp | ScatterOp) -> str:
    body.require(op.offsets, op, "index")
    start = "".join(f"{name}, " for name in body.uses(op.offsets))
    bits = element(op.indices.type, op).bits
    base, indices, mask = body.uses([op.base, op.indices, op.mask])
    return (
        f"gathered_cells({base}, ({start}), {indices}, {bits}, {mask}, {body.site(op)})"
    )


@meaning(GatherOp)
def _gather(body: Body, op: GatherOp) -> None:
    other = body.use(op.pass_thru)
    cells = _gathered(body, op)
    body.let(op.result, _load_cells(body, op, op.base, cells, other))


@meaning(ScatterOp)
def _scatter(body: Body, op: ScatterOp) -> None:
    _store_cells(body, op, op.base, _gathered(body, op), op.value_to_store)


@helper
def transferred_cells(
    source: MemRef,
    indices: tuple[int, ...],
    shape: Sequence[int],
    in_bounds: Sequence[bool],
    mask: Any,
    site: int,
) -> list[int | None]:
    """As `block_cells`, but where bounds are open, what lies outside is off."""
    outer = len(source.sizes) - len(shape)
    on: list[bool] = []
    for lane, offsets in enumerate(product(*map(range, shape))):
        inside = all(
            sure or signed(start, 64) + offset in range(size)
            for sure, start, offset, size in zip(
                in_bounds, indices[outer:], offsets, source.sizes[outer:], strict=True
            )
        )
        on.append(inside and _on(mask, lane, site))
    return block_cells(source, indices, shape, on, site)


def _transfer(body: Body, op: Any, type_: Any) -> str:
    if not isinstance(op.source.type, MemRefType):
        fail(op, f"expected a memref, got {op.source.type}")
    shape = tuple(vector_type(type_, op).get_shape())
    rank = len(memref_type(op.source, op).get_shape())
    minor = AffineMap.minor_identity(rank, len(shape))
    if op.permutation_map.data != minor:
        fail(op, f"expected the permutation map {minor}, got {op.permutation_map.data}")
    body.require(op.indices, op, "index")
    flags = tuple(bool(flag.value.data) for flag in op.in_bounds)
    indices = "".join(f"{name}, " for name in body.uses(op.indices))
    mask = "None" if op.mask is None else body.use(op.mask)
    return (
        f"transferred_cells({body.use(op.source)}, ({indices}), {shape}, {flags}, "
        f"{mask}, {body.site(op)})"
    )


@meaning(vector.TransferReadOp)
def _transfer_read(body: Body, op: vector.TransferReadOp) -> None:
    cells = _transfer(body, op, op.result.type)
    length = prod(vector_type(op.result.type, op).get_shape())
    other = f"({body.use(op.padding)},) * {length}"
    body.let(op.result, _load_cells(body, op, op.source, cells, other))


@meaning(vector.TransferWriteOp)
def _transfer_write(body: Body, op: vector.TransferWriteOp) -> None:
    cells = _transfer(body, op, op.vector.type)
    _store_cells(body, op, op.source, cells, op.vector)
