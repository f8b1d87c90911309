"""
How operations without regions compute the shape of their results.

A transfer function gets the shapes of the operands in one dimension and returns the shape
of every result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.ranges.integer_range import bit_width, power_of_two_part
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.shapes.shape import UNIFORM, VARYING, Shape
from spmd.dialects.spmd import Scope


@dataclass(frozen=True)
class Lanes:
    """The lanes of one dimension: what a transfer function may know besides the shapes."""

    dimension: int
    """Which neighbour the stride leads to: 0 for x, 1 for y, 2 for z."""

    extent: int | None
    """The largest number of lanes in this dimension, if it is known."""

    scope: Scope
    """Whether the lanes are the work-items of a work-group or those of a sub-group."""

    ranges: IntegerRanges

    lane_id: Shape = VARYING
    """The number of a lane of a sub-group."""

    def constant(self, value: SSAValue) -> int | None:
        """The only integer that `value` can be, if there is one."""
        if bit_width(value.type) is None:
            return None
        return self.ranges.of(value).value

    def is_exact(self, shape: Shape, value: SSAValue) -> bool:
        """Whether the lanes are strided as signed integers, not only modulo `2^N`."""
        if shape.stride is None or not shape.wraps:
            return True
        width = bit_width(value.type)
        if width is None:
            return False
        # Two neighbours differ by the stride modulo 2^N; if their range is too narrow
        # for any other difference, they differ by the stride.
        known = self.ranges.of(value)
        return known.high - known.low < (1 << width) - abs(shape.stride)

    def is_exact_unsigned(self, shape: Shape, value: SSAValue) -> bool:
        """The same for the lanes as unsigned integers."""
        return self.is_exact(shape, value) and self.ranges.of(value).is_non_negative

    def stays_below(self, shape: Shape, step: int) -> bool:
        """
        Whether no multiple of `step` lies above the first lane, up to the last one.

        The first lane must be a multiple of `step` for this to be used.
        """
        if shape.stride is None or shape.stride < 0:
            return False
        if shape.stride == 0:
            return True
        return self.extent is not None and shape.stride * (self.extent - 1) < step


TransferFunction: TypeAlias = Callable[[Operation, Sequence[Shape], Lanes], Shape]


def strided(stride: int, alignment: int, width: int, *, exact: bool) -> Shape:
    """A strided shape of an `N`-bit integer, in the one way to write it."""
    if exact:
        return Shape.strided(stride, alignment)
    half = 1 << (width - 1)
    stride = (stride + half) % (1 << width) - half
    return Shape.strided(stride, power_of_two_part(alignment), wraps=True)


def fit_to_type(shape: Shape, type_: Attribute) -> Shape:
    """Only integers and `index` have strides and alignments."""
    width = bit_width(type_)
    if (width is not None and width > 1) or shape.is_undef:
        return shape
    return UNIFORM if shape.is_uniform else VARYING


def elementwise(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> Shape:
    """Uniform operands give uniform results: the rule of everything pure."""
    return UNIFORM if all(shape.is_uniform for shape in operands) else VARYING
