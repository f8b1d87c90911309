"""`exp` and `log` in line: every 4,099th f32 against f64, on new and old CPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spmd.lowering.llvm_binding import llvm
from spmd.lowering.machine import machine_for
from tests.execution.lowering.native_functions import NativeFunctions

LANES = 32

LIMIT = 1.1
"""Units in the last place, as documented; 0.5 is a correctly rounded result."""

FUNCTIONS: dict[str, Callable[[Any], Any]] = {"exp": np.exp, "log": np.log}

SPECIAL = np.array(
    [
        0.0,
        -0.0,
        1.0,
        np.inf,
        -np.inf,
        np.nan,
        88.7228,
        88.73,
        89.5,
        3e38,
        -87.4,
        -103.9,
        -104.1,
        -3e38,
        1e-45,
        -1e-45,
        1.1754942e-38,
        0.70710677,
        1.4142135,
        -1.0,
    ],
    dtype=np.float32,
)


def sample() -> np.ndarray[Any, np.dtype[np.float32]]:
    patterns = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32)
    values = np.concatenate([SPECIAL, patterns.view(np.float32)])
    return values[: len(values) // LANES * LANES]


def text(function: str) -> str:
    vector = f"vector<{LANES}xf32>"
    return f"""
      func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {{
        %c0 = arith.constant 0 : index
        %lanes = arith.constant {LANES} : index
        scf.for %i = %c0 to %n step %lanes {{
          %v = vector.load %x[%i] : memref<?xf32>, {vector}
          %r = math.{function} %v : {vector}
          vector.store %r, %y[%i] : memref<?xf32>, {vector}
        }}
        func.return
      }}"""


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", "host"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_error(function: str, cpu: str):
    features: dict[str, bool] = llvm.get_host_cpu_features()
    if cpu == "x86-64-v3" and not features.get("avx2"):
        pytest.skip(f"this host is no {cpu}")
    x = sample()
    y = np.empty_like(x)
    functions = NativeFunctions(
        f"builtin.module {{{text(function)}}}", machine_for(cpu=cpu)
    )
    functions("f", x, y, x.size)

    with np.errstate(all="ignore"):
        exact = FUNCTIONS[function](x.astype(np.float64))
        rounded = exact.astype(np.float32)
    ordinary = np.isfinite(rounded)
    np.testing.assert_array_equal(y[~ordinary], rounded[~ordinary])
    unit = np.spacing(np.abs(rounded[ordinary])).astype(np.float64)
    error = np.abs(y[ordinary].astype(np.float64) - exact[ordinary]) / unit
    assert error.max() <= LIMIT, x[ordinary][error.argmax()]
