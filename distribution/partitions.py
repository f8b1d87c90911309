"""What a user says about an array whose footprint is not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Halo:
    """
    A promise: groups read no more than this many elements beyond those that they write.

    `before` and `after` count elements on either side, in each dimension.
    """

    before: int
    after: int


def halo(before: int, after: int | None = None) -> Halo:
    """For `partition={"x": halo(1)}`: `after` is `before` if it is not given."""
    return Halo(before, before if after is None else after)


Partition = Literal["replicate"] | Halo
