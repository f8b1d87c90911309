"""
A vector laid over a part of a memref: which element each lane stands for.

    vector<4x8xf32> at x[i, j], dimensions (0, 1)   lane (a, b) is x[i + a, j + b]
    the same with dimensions (1, none)              lane (a, b) is x[i, j + a]

Rows of neighbouring elements are accessed as such; anything else is a gather or scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from spmd.dialects.element_types import is_vector
from spmd.lowering.vectors.vector import lanes_below, splat, strides_of
from spmd.lowering.writing.access import Access, Typed
from spmd.lowering.writing.addresses import add, element_address, is_literal
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import shuffle, vector_literal
from spmd.lowering.writing.memref_value import MemRefValue
from spmd.lowering.writing.types import TypeNotLowered, like, storage_type


class Window:
    """A vector of some shape whose first lane is the element `at`."""

    def __init__(
        self,
        writer: FunctionWriter,
        base: MemRefValue,
        at: Sequence[str],
        shape: Sequence[int],
        dimensions: Sequence[int | None],
        hints: str = "",
        *,
        cached: bool = False,
    ):
        """
        `dimensions`: which one of the memref each of the vector runs along, if any.

        `hints`, `cached`: of the accesses to memory.
        """
        if is_vector(base.layout.element):
            raise TypeNotLowered(
                f"expected a memref of scalars, got one of {base.layout.element}"
            )
        self.writer = writer
        self.base = base
        self.at = list(at)
        self.shape = tuple(shape)
        self.dimensions = tuple(dimensions)
        self.lanes = prod(self.shape)
        element = base.layout.element
        self.access = Access(writer, element, self.lanes, hints=hints, cached=cached)

    def coordinates(self, d: int) -> list[int]:
        """Each lane's coordinate along a dimension of the vector."""
        stride, size = strides_of(self.shape)[d], self.shape[d]
        return [lane // stride % size for lane in range(self.lanes)]

    def _is_in_rows(self) -> bool:
        """Whether the last dimension of the vector runs along neighbouring elements."""
        if not self.shape:
            return True
        last = self.dimensions[-1]
        return last is not None and self.base.strides[last] == "1"

    def bounds(self, checked: Sequence[bool]) -> str | None:
        """The mask of lanes inside the memref, along dimensions of the vector to check."""
        writer, mask = self.writer, None
        for d, (dimension, check) in enumerate(
            zip(self.dimensions, checked, strict=True)
        ):
            if not check or dimension is None:
                continue
            start, size = self.at[dimension], self.base.sizes[dimension]
            if is_literal(start) and is_literal(size):
                left = str(int(size) - int(start))
            else:
                left = writer.temp(f"sub i64 {size}, {start}")
            here = lanes_below(writer, self.coordinates(d), left, self.shape[d])
            mask = both(writer, self.lanes, mask, here)
        return mask

    def is_one_row(self) -> bool:
        """Whether all lanes are neighbouring elements."""
        return self._is_in_rows() and self._rows() <= 1

    # Reading and writing

    def read(self, result: SSAValue, mask: str | None, pass_thru: str) -> None:
        """Defines the vector; inactive lanes get `pass_thru`."""
        if mask is None and self._is_in_rows() and self._rows() > 1:
            text = self._read_rows()
        else:
            text = self.access.read(self._place(mask), mask, pass_thru)
        self.access.define(result, text)

    def write(self, operand: str, mask: str | None) -> None:
        """Stores the active lanes."""
        if mask is None and self._is_in_rows() and self._rows() > 1:
            self._write_rows(operand)
        else:
            self.access.write(operand, self._place(mask), mask)

    def _place(self, mask: str | None) -> Typed:
        """Where the lanes are: from one address on, or anywhere."""
        if not self.is_one_row():
            return self._addresses()
        return "ptr", self.start(in_bounds=mask is None)

    def start(self, *, in_bounds: bool = False) -> str:
        """The address of the first lane."""
        return element_address(self.writer, self.base, self.at, in_bounds=in_bounds)

    # Rows

    def _rows(self) -> int:
        return prod(self.shape[:-1])

    def _row_addresses(self) -> list[str]:
        writer, base = self.writer, self.base
        width = self.shape[-1]
        addresses: list[str] = []
        for row in range(self._rows()):
            at = list(self.at)
            for d, dimension in enumerate(self.dimensions[:-1]):
                if dimension is not None:
                    step = self.coordinates(d)[row * width]
                    at[dimension] = add(writer, at[dimension], str(step))
            addresses.append(element_address(writer, base, at))
        return addresses

    def _row(self) -> Access:
        whole, width = self.access, self.shape[-1]
        hints, cached = whole.hints, whole.cached
        return Access(self.writer, whole.element, width, hints=hints, cached=cached)

    def _read_rows(self) -> str:
        writer, row, held = self.writer, self._row(), self.shape[-1]
        addresses = self._row_addresses()
        whole, *parts = [writer.temp(row.read(("ptr", at))) for at in addresses]
        text = ""
        for part in parts:
            if text:
                # LLVM shuffles vectors of equal length.
                spread = [*range(self.shape[-1]), *[-1] * (held - self.shape[-1])]
                whole = writer.temp(text)
                part = writer.temp(shuffle(row.stored, part, "poison", spread))
            type_ = like(storage_type(row.element), held)
            held += self.shape[-1]
            text = shuffle(type_, whole, part, range(held))
        return text

    def _write_rows(self, operand: str) -> None:
        row, width = self._row(), self.shape[-1]
        for number, address in enumerate(self._row_addresses()):
            picks = range(number * width, (number + 1) * width)
            text = shuffle(self.access.held, operand, "poison", picks)
            row.write(self.writer.temp(text), ("ptr", address))

    # Anything else

    def _addresses(self) -> Typed:
        """The address of each lane's element."""
        writer = self.writer
        type_ = f"<{self.lanes} x i64>"
        known = [0] * self.lanes
        total: str | None = None
        for d, dimension in enumerate(self.dimensions):
            if dimension is None:
                continue
            stride, coordinates = self.base.strides[dimension], self.coordinates(d)
            if is_literal(stride):
                known = [
                    sum_ + int(stride) * at
                    for sum_, at in zip(known, coordinates, strict=True)
                ]
                continue
            steps = splat(writer, stride, "i64", self.lanes)
            numbers = vector_literal([str(at) for at in coordinates], "i64")
            term = writer.temp(f"mul {type_} {steps}, {numbers}")
            total = (
                term if total is None else writer.temp(f"add {type_} {total}, {term}")
            )
        distances = vector_literal([str(distance) for distance in known], "i64")
        if total is not None:
            distances = writer.temp(f"add {type_} {total}, {distances}")
        first = element_address(writer, self.base, self.at, in_bounds=False)
        return self.access.addresses(first, type_, distances)


def both(writer: FunctionWriter, lanes: int, a: str | None, b: str) -> str:
    """Lanes that are active in two masks."""
    return b if a is None else writer.temp(f"and <{lanes} x i1> {a}, {b}")
