"""
Elementwise ops on arrays, as scalars and as vectors, against NumPy.

One module holds all cases of a file: a function per case and form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tests.execution.lowering.native_functions import DTYPES, Array, NativeFunctions

WIDTHS = (1, 3, 8, 32)
"""Lanes of the vector forms: below, above and not a power of two."""


Unary = Callable[[Array], Any]
Binary = Callable[[Array, Array], Any]
Values = Callable[[str, int], Array]
"""The values of a type to try for the n-th input."""


@dataclass(frozen=True)
class Case:
    """
    One op, or a few, on elements: `%r` from `%a`, `%b`, `%c`.

    In the body, `{0}` is the type of `%a`, `{r}` that of `%r`, and `{bits}` that of a
    comparison; `{mask}` is what stands before the type of `arith.select`.
    """

    name: str
    body: str
    inputs: tuple[str, ...]
    result: str
    expected: Callable[..., Any]
    """From the input arrays."""
    ulps: int = 0
    """How many units in the last place a float may be off; 0 is bit by bit, but NaN."""
    values: Values | None = None
    """Instead of all interesting ones."""

    def text(self, width: int | None) -> str:
        """The function: scalar, or with vectors of so many lanes."""

        def like(scalar: str) -> str:
            return scalar if width is None else f"vector<{width}x{scalar}>"

        arguments = "".join(
            f", %x{k}: memref<?x{scalar}>" for k, scalar in enumerate(self.inputs)
        )
        lines: list[str] = []
        for k, scalar in enumerate(self.inputs):
            load = "memref.load" if width is None else "vector.load"
            suffix = "" if width is None else f", {like(scalar)}"
            lines.append(f"%{'abc'[k]} = {load} %x{k}[%i] : memref<?x{scalar}>{suffix}")
        types = [like(scalar) for scalar in self.inputs]
        bits = like("i1")
        mask = "" if width is None else f"{bits}, "
        result = like(self.result)
        lines.append(self.body.format(*types, r=result, bits=bits, mask=mask))
        if width is None:
            lines.append(f"memref.store %r, %out[%i] : memref<?x{self.result}>")
        else:
            lines.append(
                f"vector.store %r, %out[%i] : memref<?x{self.result}>, {like(self.result)}"
            )
        body = "\n      ".join(lines)
        return f"""
  func.func @{self.name}_{width or "scalar"}(%n: index{arguments}, %out: memref<?x{self.result}>) {{
    %c0 = arith.constant 0 : index
    %step = arith.constant {width or 1} : index
    scf.for %i = %c0 to %n step %step {{
      {body}
    }}
    func.return
  }}"""


INTERESTING_FLOATS = (
    0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 0.1, 1e-3, 7.3, 65504.0, 65520.0, 1e5, 3e38,
    float("inf"), float("nan"), 6e-8, 1e-40, 1e-38, 1e-45, 2.0**24 + 1, 1 / 3,
)  # fmt: skip


def interesting(scalar: str) -> Array:
    """Values of a type at which ops go wrong."""
    dtype = DTYPES[scalar]
    if scalar == "i1":
        return np.array([False, True])
    if scalar[0] in "fb":
        both = [*INTERESTING_FLOATS, *[-value for value in INTERESTING_FLOATS]]
        with np.errstate(all="ignore"):
            values = np.array(both).astype(dtype)
        if scalar == "f64":
            values = np.concatenate([values, [5e-324, 1.7e308, -5e-324, 2.0**53 + 2]])
        return values
    info = np.iinfo(dtype)
    small = [0, 1, -1, 2, -2, 3, 5, 7, -7, 13, 100, -100]
    return np.array(
        [*small, info.max, info.min, info.max - 1, info.min + 1, info.max // 3],
        dtype=dtype,
    )


@lru_cache(16)
def _inputs_and_expected(case: Case) -> tuple[list[Array], Array]:
    """What goes into all forms of a case, and what comes out of them."""
    inputs = _inputs(case)
    with np.errstate(all="ignore"):
        expected = np.asarray(case.expected(*inputs)).astype(DTYPES[case.result])
    return inputs, expected


def _inputs(case: Case) -> list[Array]:
    """All pairs of values; of three inputs, a good part of all triples."""
    values = [
        case.values(scalar, k) if case.values else interesting(scalar)
        for k, scalar in enumerate(case.inputs)
    ]
    if len(values) == 3 and max(map(len, values)) > 20:
        rng = np.random.default_rng(1)
        return [rng.choice(array, 6000) for array in values]
    grids = np.meshgrid(*values, indexing="ij")
    return [np.ascontiguousarray(grid.reshape(-1)) for grid in grids]


def check(functions: NativeFunctions, case: Case, width: int | None) -> None:
    """Compares one form of a case with NumPy."""
    inputs, expected = _inputs_and_expected(case)
    step = width or 1
    count = -(-inputs[0].size // step) * step
    *inputs, expected = (np.resize(array, count) for array in (*inputs, expected))
    # Both ends must stay as they are.
    out = np.zeros(count + 2, dtype=expected.dtype)
    functions(f"{case.name}_{width or 'scalar'}", count, *inputs, out[1:-1])
    assert not out[0], "an element before the array was changed"
    assert not out[-1], "an element after the array was changed"
    wrong = ~equal(out[1:-1], expected, case.ulps)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise AssertionError(
            f"{case.name} {width or 'scalar'}: {int(wrong.sum())} of {count} are wrong; "
            f"of {[array[at] for array in inputs]} expected {expected[at]!r}, "
            f"got {out[1 + at]!r}"
        )


def bits(array: Array) -> Array:
    """Floats as the integers of their bits."""
    return array.view(f"u{array.itemsize}")


def equal(got: Array, expected: Array, ulps: int = 0) -> Array:
    """Where two arrays agree: NaN with NaN, else bit by bit or within some ulps."""
    if got.dtype.kind in "bi":
        return got == expected
    with np.errstate(all="ignore"):
        nan = np.isnan(got) & np.isnan(expected)
        if not ulps:
            return nan | (bits(got) == bits(expected))
        near = np.abs(_ordered(got) - _ordered(expected)) <= ulps
    return nan | near


def _ordered(array: Array) -> Array:
    """Floats as integers such that neighbours differ by one."""
    signed = array.view(f"i{array.itemsize}").astype(np.int64)
    smallest = np.int64(-(2 ** (8 * array.itemsize - 1)))
    return np.where(signed < 0, smallest - signed, signed)


def compile_cases(cases: Sequence[Case]) -> NativeFunctions:
    """All forms of all cases in one module."""
    texts = [case.text(width) for case in cases for width in (None, *WIDTHS)]
    return NativeFunctions("builtin.module {" + "".join(texts) + "\n}")
