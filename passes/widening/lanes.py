"""
How the lanes of one value are held.

| held as    | what is kept                   | lane `i` has              |
| ---------- | ------------------------------ | ------------------------- |
| `Uniform`  | one scalar                     | the scalar                |
| `Strided`  | the scalar of lane 0, a stride | `first + i * stride`      |
| `Prefix`   | a scalar count (of an `i1`)    | true if `i < count`       |
| `Varying`  | a vector                       | element `i`               |
| `Rows`     | the lanes of each row          | that of its row           |

A sub-group of several dimensions has rows: lanes that differ in the first dimension alone.
Lane `i` of a row is lane `row * width + i` of the sub-group.

Scalars become vectors where somebody needs one, and then once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import SSAValue


@dataclass(frozen=True, slots=True)
class Uniform:
    """The same value in all lanes (of those that have one)."""

    scalar: SSAValue


@dataclass(frozen=True, slots=True)
class Strided:
    """An integer that grows by `stride` from lane to lane, modulo the width of its type."""

    first: SSAValue
    stride: int


@dataclass(frozen=True, slots=True)
class Prefix:
    """A condition that the first `count` lanes fulfil; none if it is negative."""

    count: SSAValue
    name: str | None = field(default=None, compare=False)
    """What the mask is called if one is made of it."""


@dataclass(frozen=True, slots=True)
class Varying:
    """A vector with one element per lane."""

    vector: SSAValue


Row = Uniform | Strided | Prefix | Varying
"""What one row has, or a sub-group of one dimension."""


@dataclass(frozen=True, slots=True)
class Rows:
    """
    What each row has: other scalars in each, or one vector that all have.

    Vectors that differ are joined to one, which is `Varying`; but not those of conditions, as
    accesses need the masks of rows, and masks are costly to join and to cut.
    """

    rows: tuple[Row, ...]


Lanes = Row | Rows


@dataclass(frozen=True, slots=True)
class Active:
    """The active lanes."""

    mask: Lanes | None = None
    """An `i1` per lane; `None` if all lanes are active."""

    some: bool = True
    """Whether it is known that at least one lane is active."""

    @property
    def all(self) -> bool:
        return self.mask is None

    @property
    def first(self) -> bool:
        """Whether it is known that lane 0 is active, so that its value means something."""
        return self.mask is None or (self.some and isinstance(self.mask, Prefix))
