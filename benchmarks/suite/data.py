"""Random data, and how far results are from what they must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from benchmarks.suite.case import Array, Results


def random() -> np.random.Generator:
    """The same numbers in every process."""
    return np.random.default_rng(12345)


def uniform(*shape: int, low: float = -1.0, high: float = 1.0) -> Array:
    """Uniform random numbers in single precision."""
    return random().uniform(low, high, shape).astype(np.float32)


def farthest(expected: Mapping[str, Array]) -> Callable[[Results], float]:
    """
    The largest difference, relative to the largest expected magnitude.

    An expected array may be shorter than the result, whose rest is not looked at then.
    """

    def error(results: Results) -> float:
        worst = 0.0
        for name, want in expected.items():
            got = results(name).reshape(-1)[: want.size].astype(np.float64)
            scale = max(float(np.max(np.abs(want))), 1e-30)
            difference = np.max(np.abs(got - want.reshape(-1)))
            worst = float(np.fmax(worst, difference / scale))
            if np.isnan(difference):
                return float("nan")
        return worst

    return error


def differing(expected: Mapping[str, Array]) -> Callable[[Results], float]:
    """The share of the elements that are not as expected."""

    def error(results: Results) -> float:
        return max(
            np.count_nonzero(results(name).reshape(-1) != want.reshape(-1)) / want.size
            for name, want in expected.items()
        )

    return error


TYPES = {
    "i32": (np.int32, "int"),
    "i64": (np.int64, "long"),
    "f32": (np.float32, "float"),
    "f64": (np.float64, "double"),
}
"""Element types in MLIR, NumPy and C."""


def numbers(n: int, type_: str, generator: np.random.Generator) -> Array:
    """`n` numbers between -1 and 1, or between -100 and 100 for integers."""
    values = generator.uniform(-1, 1, n)
    return (values if type_.startswith("f") else values * 100).astype(TYPES[type_][0])


def in_type(stem: str, type_: str) -> dict[str, Any]:
    """
    What of a `Case` says that its kernel is for elements of `type_`.

    `STEM.mlir` is for f32 and `STEM_integer.mlir` for i32; in OpenCL C and C the type is T.
    """
    floating = type_.startswith("f")
    return {
        "mlir": stem if floating else f"{stem}_integer",
        "types": {"f32" if floating else "i32": type_},
        "defines": {"T": TYPES[type_][1]},
    }
