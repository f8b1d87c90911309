"""Native code divides by 1 where a division has no result; the checker says where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd

OPERATIONS = (
    "divsi",
    "divui",
    "remsi",
    "remui",
    "floordivsi",
    "ceildivsi",
    "ceildivui",
)
FORMS: tuple[dict[str, Any], ...] = ({"vectorize": False}, {"width": 4}, {})
TYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64}


def kernel(operation: str, type_: str) -> str:
    return f"""
spmd.kernel @divide(%a: memref<?x{type_}>, %b: memref<?x{type_}>, %x: memref<?x{type_}>) {{
  %i = spmd.global_id x
  %p = memref.load %a[%i] : memref<?x{type_}>
  %q = memref.load %b[%i] : memref<?x{type_}>
  %r = arith.{operation} %p, %q : {type_}
  memref.store %r, %x[%i] : memref<?x{type_}>
  spmd.return
}}
"""


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_ends_the_process(operation: str, type_: str):
    source, dtype = kernel(operation, type_), TYPES[type_]
    least = np.iinfo(dtype).min
    a = np.resize(np.array([7, least, least, -1, 0], dtype), 19)
    by_zero, by_minus_one = np.zeros(19, dtype), np.full(19, -1, dtype)
    by_minus_one[a != least] = 0
    for b in (by_zero, by_minus_one) if operation[-2] == "s" else (by_zero,):
        want = np.zeros(19, dtype) if operation.startswith("rem") else a
        for form in FORMS:
            x = np.ones(19, dtype)
            spmd.compile(source, **form)["divide"](a, b, x, global_size=19)
            assert (x == want).all(), form
    x = np.zeros(19, dtype)
    report = spmd.check(source, a, by_zero, x, global_size=19)
    assert "division by zero" in str(report)
