"""
What is known of one value in neighbouring lanes: the stride-alignment lattice.

A shape describes the signed integers that the lanes `t = 0, 1, 2, ...` hold:

| shape           | the value of lane `t`                                        |
| --------------- | ------------------------------------------------------------ |
| `undef`         | no lane has one (yet)                                        |
| `(s, a)`        | `a*k + s*t` for one integer `k`: *strided*                   |
| `(s, a)` wrapping | the same modulo `2^N`, `N` the width of the type           |
| `varying a`     | `a*k_t` for any integers `k_t`                               |

*Uniform* is stride 0, *contiguous* is stride 1; alignment 0 means that the first lane
holds 0. Floats, booleans and memrefs use only uniform and varying, with alignment 1.

A shape speaks of lanes that define the value. A value in a branch that only some lanes
take can be uniform although the other lanes have no value at all.

*Wrapping.* `(1, a)` of an `i32` says that no two neighbours lie on both sides of the
largest `i32`, so that the value stays contiguous when it is extended to 64 bits, and
that comparing it with a bound selects a prefix of the lanes. A wrapping shape promises
neither: an addition that may overflow gives one. To address memory, contiguous modulo
`2^64` is enough, because addresses are computed modulo `2^64` as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import gcd

from spmd.analysis.ranges.integer_range import power_of_two_part


@dataclass(frozen=True, slots=True)
class Shape:
    """An element of the lattice; made by `undef`, `uniform`, `strided` and `varying`."""

    stride: int | None
    """The difference between neighbouring lanes; `None` if it is not known."""

    alignment: int
    """Divides the first lane (strided) or every lane (varying); -1 for undef."""

    wraps: bool = False
    """Whether the stride holds only modulo the width of the type."""

    # Construction

    @staticmethod
    def uniform(alignment: int = 1) -> Shape:
        return Shape.strided(0, alignment)

    @staticmethod
    def contiguous(alignment: int = 1) -> Shape:
        return Shape.strided(1, alignment)

    @staticmethod
    def strided(stride: int, alignment: int = 1, *, wraps: bool = False) -> Shape:
        """A strided shape; a wrapping one keeps the power of two of its alignment."""
        alignment = abs(alignment)
        if wraps:
            alignment = power_of_two_part(alignment)
        return Shape(stride, alignment, wraps and stride != 0)

    @staticmethod
    def varying(alignment: int = 1) -> Shape:
        """A varying shape; if all lanes are multiples of 0 they are all 0."""
        return Shape(None, abs(alignment)) if alignment else Shape(0, 0)

    # Predicates

    @property
    def is_undef(self) -> bool:
        return self.alignment < 0

    @property
    def is_uniform(self) -> bool:
        """All lanes hold the same value (or none has one yet)."""
        return self.stride == 0 or self.is_undef

    @property
    def is_strided(self) -> bool:
        """Neighbouring lanes differ by a known number; uniform is strided too."""
        return self.stride is not None

    @property
    def is_varying(self) -> bool:
        return self.stride is None and not self.is_undef

    @property
    def is_zero(self) -> bool:
        """All lanes hold 0."""
        return self.stride == 0 and self.alignment == 0

    @property
    def lane_alignment(self) -> int:
        """A number that divides the value of every lane."""
        if self.is_undef:
            return 0
        if self.stride is None:
            return self.alignment
        common = gcd(self.stride, self.alignment)
        return power_of_two_part(common) if self.wraps else common

    # Order

    def join(self, other: Shape) -> Shape:
        """The least shape that describes the lanes of both."""
        if self == other or other.is_undef:
            return self
        if self.is_undef:
            return other
        if self.stride is None or self.stride != other.stride:
            return Shape.varying(gcd(self.lane_alignment, other.lane_alignment))
        return Shape.strided(
            self.stride,
            gcd(self.alignment, other.alignment),
            wraps=self.wraps or other.wraps,
        )

    def __le__(self, other: Shape) -> bool:
        """Whether `other` says nothing that this shape does not say."""
        return self.join(other) == other

    def diverged(self) -> Shape:
        """The shape after lanes mixed values of this shape from different times."""
        return self if self.is_undef else Shape.varying(self.lane_alignment)

    # Text

    def __str__(self) -> str:
        if self.is_undef:
            return "undef"
        names = {None: "varying", 0: "uniform", 1: "contiguous"}
        words = [names.get(self.stride, f"stride {self.stride}")]
        if self.alignment != 1:
            words.append(f"align {self.alignment}")
        if self.wraps:
            words.append("wrapping")
        return " ".join(words)


UNDEF = Shape(None, -1)
UNIFORM = Shape(0, 1)
CONTIGUOUS = Shape(1, 1)
VARYING = Shape(None, 1)
ZERO = Shape(0, 0)


def join_all(shapes: Iterable[Shape]) -> Shape:
    """The join of any number of shapes."""
    return reduce(Shape.join, shapes, UNDEF)
