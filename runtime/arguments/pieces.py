"""A piece of an array that a kernel sees as if it were the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Piece:
    """
    The elements from `start` on of an array of sizes `shape`, which are in `elements`.

    The kernel uses the indices and sizes of the whole array; that it stays within the piece
    is up to who makes it. Without copies: the pointer is moved back by where the piece
    starts, and the strides are those of the piece; elements of a row lie side by side.
    """

    elements: Array
    start: tuple[int, ...]
    shape: tuple[int, ...]
