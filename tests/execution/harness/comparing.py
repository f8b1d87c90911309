"""How results are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Tolerance:
    """How far floats may be off; integers never are."""

    ulps: int = 0
    relative: float = 0.0
    any_nan: bool = True
    """Whether every NaN agrees with every other."""


EXACT = Tolerance()
BITS = Tolerance(any_nan=False)


def ordered_bits(array: Array) -> NDArray[np.int64]:
    """Floats as integers in the same order; neighbours differ by one."""
    size = array.dtype.itemsize
    bits = np.ascontiguousarray(array).view(f"i{size}").astype(np.int64)
    return np.where(bits < 0, -(bits & ((1 << (8 * size - 1)) - 1)), bits)


def close(got: Array, want: Array, tolerance: Tolerance) -> NDArray[np.bool_]:
    """Which elements agree."""
    if got.dtype.kind in "biu":
        return got == want
    if not tolerance.any_nan:
        size = got.dtype.itemsize
        return got.view(f"u{size}") == want.view(f"u{size}")
    with np.errstate(all="ignore"):
        wide_got, wide_want = got.astype(np.float64), want.astype(np.float64)
        nan = np.isnan(wide_want)
        distance = np.abs(ordered_bits(got) - ordered_bits(want))
        near = distance <= tolerance.ulps
        if tolerance.relative:
            near |= np.isclose(
                wide_got, wide_want, rtol=tolerance.relative, atol=tolerance.relative
            )
    return np.where(nan, np.isnan(wide_got), near)


def assert_same(
    got: Sequence[Any], want: Sequence[Any], tolerance: Tolerance, what: str
) -> None:
    """Every array as expected, or an error that shows the first elements that differ."""
    for number, (a, b) in enumerate(zip(got, want, strict=True)):
        if not isinstance(a, np.ndarray):
            continue
        left, right = cast(Array, a), cast(Array, b)
        same = close(left, right, tolerance)
        if not same.all():
            wrong = np.argwhere(~same)
            shown = [
                f"[{', '.join(map(str, at))}]: expected {right[tuple(at)]}, "
                f"got {left[tuple(at)]}"
                for at in wrong[:5]
            ]
            raise AssertionError(
                f"{what}: argument {number} differs in {len(wrong)} of {left.size} "
                f"elements\n  " + "\n  ".join(shown)
            )
