"""
Accesses by tiles of lanes whose neighbours in memory are no neighbours in a row.

Lanes that go along the other dimension of an array access a vector for each column of their tile,
and the tile is transposed in registers: as many vector accesses as there are columns, and a
few shuffles, where rows would gather.

    lanes x 0..3, y 0..3 of a[x, y]     column x: a[x, 0..3]     row y: a[0..3, y]

As the tensor brushes of S. Moll, *Vectorization System for Unstructured Codes with a Data-parallel
Compiler IR*, 2021, chapter 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import i1, i8
from xdsl.ir import Operation, SSAValue

from spmd.analysis.divergence.access_patterns import Pattern
from spmd.dialects.building import Rematerializer
from spmd.dialects.element_types import vector_type
from spmd.dialects.interfaces.speculation import is_speculatable_from
from spmd.passes.memory.accesses.transposition import transposed
from spmd.passes.targets import LONGEST_STEP
from spmd.passes.widening.accesses.addresses import (
    LaneAddresses,
    has_unit_stride,
    remark,
)
from spmd.passes.widening.lanes import Active, Lanes, Row, Uniform, Varying
from spmd.passes.widening.state import Widening

AnyAccess = memref.LoadOp | memref.StoreOp

LONGEST_INDEX = 8
"""How many operations are repeated for the index of a column."""


def column_dimension(widening: Widening, op: AnyAccess, active: Active) -> int | None:
    """
    The dimension of lanes along which `op` had better be done, if that is not along rows.

    A column begins at the address of its first lane, which may be an inactive one: then the
    address must follow from which lane it is.
    """
    extents = widening.group.lane_shape
    if widening.row is not None or widening.rows == 1 or op.memref in widening.private:
        return None
    first, *others = widening.strides(op)
    for dimension, stride in enumerate(others, 1):
        if stride == 1 and extents[dimension] > 1:
            break
    else:
        return None
    if first is not None and abs(first) <= LONGEST_STEP > extents[dimension]:
        return None  # Rows make whole vectors of such steps.
    lanes = widening.group.body.block

    def is_known(value: SSAValue) -> bool:
        return value.owner is lanes or isinstance(widening.of(value), Uniform)

    if active.mask is None or all(
        is_speculatable_from(index, is_known) for index in op.indices
    ):
        return dimension
    return None


def load_columns(
    widening: Widening, op: memref.LoadOp, active: Active, along: int
) -> None:
    """Load the columns of each tile, and hold its rows."""
    element = op.res.type
    rows: dict[int, Row] = {}
    for tile in _tiles(widening, op, active, along):
        type_ = vector_type(element, len(tile.rows))
        off = widening.constants.dense(0, element, len(tile.rows))
        columns: list[SSAValue] = []
        for to, mask in zip(tile.columns, tile.masks, strict=True):
            load = (
                vector.LoadOp(to.array, to.first, type_)
                if mask is None
                else vector.MaskedLoadOp(to.array, to.first, mask, off)
            )
            columns.append(widening.add(load, op.res))
            _tell(op, load, len(columns) == 1)
        lanes = transposed(widening, columns)
        rows |= zip(tile.rows, map(Varying, lanes), strict=True)
    widening.lanes[op.res] = widening.of_rows([rows[row] for row in sorted(rows)])


def store_columns(
    widening: Widening, op: memref.StoreOp, active: Active, along: int
) -> None:
    """Store the columns of each tile."""
    value = widening.of(op.value)
    for tile in _tiles(widening, op, active, along):
        columns = transposed(widening, _rows_of(widening, value, tile.rows))
        for number, (column, to, mask) in enumerate(
            zip(columns, tile.columns, tile.masks, strict=True)
        ):
            store = (
                vector.StoreOp(column, to.array, to.first)
                if mask is None
                else vector.MaskedStoreOp(to.array, to.first, mask, column)
            )
            widening.append(store)
            _tell(op, store, number == 0)


@dataclass(frozen=True)
class _Tile:
    """Lanes along the dimension of rows and one other."""

    rows: range
    """The numbers of its rows."""
    columns: list[LaneAddresses]
    masks: list[SSAValue | None]
    """Where the columns are, and who is active in them."""


def _tiles(
    widening: Widening, op: AnyAccess, active: Active, along: int
) -> Iterator[_Tile]:
    """All lanes of an access, as tiles with columns in the dimension `along`."""
    extents, array = widening.group.lane_shape, widening.array(op.memref)
    stays_in_row = has_unit_stride(op.memref) and all(
        widening.shape(index, along).is_uniform for index in op.indices[:-1]
    )
    step = prod(extents[1:along])
    for start in range(widening.rows):
        if start // step % extents[along]:
            continue
        rows = range(start, start + step * extents[along], step)
        columns: list[LaneAddresses] = []
        for column in range(widening.row_width):
            first = _indices_of(widening, op, start * widening.row_width + column)
            columns.append(
                LaneAddresses(array, Pattern.CONTIGUOUS, first)
                if stays_in_row
                else LaneAddresses.through_rows(widening, array, first)
            )
        masks: list[SSAValue | None] = [None] * len(columns)
        if active.mask is not None:
            masks[:] = _masks(widening, active.mask, rows)
        yield _Tile(rows, columns, masks)


def _masks(widening: Widening, mask: Lanes, rows: range) -> Iterator[SSAValue]:
    """The masks of columns: bits are transposed as bytes."""
    bytes_ = vector_type(i8, widening.row_width)
    bits = vector_type(i1, len(rows))
    parts = [
        widening.add(arith.ExtSIOp(part, bytes_))  # pyright: ignore[reportArgumentType]
        for part in _rows_of(widening, mask, rows)
    ]
    for column in transposed(widening, parts):
        yield widening.add(arith.TruncIOp(column, bits))  # pyright: ignore[reportArgumentType]


def _rows_of(widening: Widening, lanes: Lanes, rows: range) -> list[SSAValue]:
    """The vectors of some rows."""
    vectors: list[SSAValue] = []
    for row in rows:
        with widening.in_row(row):
            vectors.append(widening.vector(widening.row_of(lanes, row)))
    return vectors


def _indices_of(widening: Widening, op: AnyAccess, lane: int) -> list[SSAValue]:
    """The indices of one lane; those that are vectors are computed again if that is short."""

    def is_scalar(value: SSAValue) -> bool:
        return not isinstance(widening.of(value), Varying)

    def known(value: SSAValue) -> SSAValue | None:
        if not is_scalar(value) and is_speculatable_from(
            value, is_scalar, LONGEST_INDEX
        ):
            return None
        return widening.of_lane(widening.of(value), lane)

    again = Rematerializer(widening, known)
    return [again.get(index) for index in op.indices]


def _tell(op: AnyAccess, new: vector.LoadOp | vector.StoreOp | Operation, first: bool):
    """Say what a column is, once for all of them."""
    if isinstance(new, vector.LoadOp | vector.StoreOp):
        new.nontemporal = op.nontemporal
    why = "a row of lanes goes across rows of memory, and a column along them"
    remark(new, "transposed" if first else "row", why)
