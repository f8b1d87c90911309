"""Matrices of elements in registers, row by row, become the same column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from spmd.dialects.building import Builder, joined, shuffle
from spmd.dialects.element_types import size_in_bytes

BLOCK = 16
"""The bytes that machines mix in one instruction; longer vectors move as blocks of them."""


def transposed(at: Builder, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """
    The columns of a matrix of which `rows` are the rows, built by `at`.

    Both sides are powers of two. Square parts are transposed side by side, in as many steps as
    the logarithm of their side: each step takes two vectors and makes two others of them, so
    that one bit of a row's number changes places with one of a column's. J. O. Eklundh, "A Fast
    Computer Method for Matrix Transposing", IEEE Transactions on Computers, 1972; the order of
    bits is that of `unpack` and `zip` instructions in blocks, and of `shuf` of whole blocks.
    """
    width = cast(VectorType[Attribute], rows[0].type).get_shape()[0]
    return exchanged(at, joined_rows(at, rows, width), len(rows), width)


def joined_rows(at: Builder, rows: Sequence[SSAValue], width: int) -> list[SSAValue]:
    """The rows of a matrix, as vectors with a row of each of its square parts."""
    side = min(len(rows), width)
    return [joined(at, rows[row::side]) for row in range(side)]


def exchanged(
    at: Builder, vectors: list[SSAValue], height: int, width: int
) -> list[SSAValue]:
    """The columns of a matrix of `joined_rows`; `vectors` is used up."""
    type_, name = cast(VectorType[Attribute], vectors[0].type), vectors[0]
    side = min(height, width)
    steps = side.bit_length() - 1
    block = max(1, BLOCK // size_in_bytes(type_.element_type))
    inside = min(steps, block.bit_length() - 1)
    for step in range(steps):
        away, into = (inside - 1, step) if step < inside else (inside, steps - 1)
        for first in range(side):
            if first >> step & 1:
                continue
            other = first | 1 << step
            pair = vectors[first], vectors[other]
            for number, place in enumerate((first, other)):
                picks = _exchange(max(height, width), away, into, number)
                vectors[place] = at.add(shuffle(*pair, picks), name)
    columns: list[SSAValue] = []
    for column in range(width):
        part, number = divmod(column, side)
        low = sum((number >> bit & 1) << inside - 1 - bit for bit in range(inside))
        whole = vectors[number >> inside << inside | low]
        if height < width:
            places = range(part * side, (part + 1) * side)
            whole = at.add(shuffle(whole, whole, places), name)
        columns.append(whole)
    return columns


def _exchange(lanes: int, away: int, into: int, number: int) -> list[int]:
    """
    What a vector takes of two: elements whose bit `away` is `number`.

    Instead, bit `into` of an element's new place says from which of the two it is.
    """
    picks: list[int] = []
    for place in range(lanes):
        operand = place >> into & 1
        rest = place >> into + 1 << into | place & (1 << into) - 1
        old = rest >> away << away + 1 | number << away | rest & (1 << away) - 1
        picks.append(operand * lanes + old)
    return picks
