"""Numbers among the arguments as constants of the code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass, Words

SOURCE = """
spmd.kernel @sum(%n: index, %a: f32, %b: bf16, %h: f16, %d: f64, %s: i8, %w: i64,
                 %flag: i1, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %zero = arith.constant 0.0 : f64
  %wide = arith.extf %a : f32 to f64
  %sum = scf.for %t = %c0 to %n step %c1 iter_args(%v = %zero) -> (f64) {
    %next = arith.addf %v, %wide : f64
    scf.yield %next : f64
  }
  %b64 = arith.extf %b : bf16 to f64
  %h64 = arith.extf %h : f16 to f64
  %s64 = arith.sitofp %s : i8 to f64
  %w64 = arith.sitofp %w : i64 to f64
  %one = arith.addf %b64, %h64 : f64
  %two = arith.addf %s64, %w64 : f64
  %three = arith.addf %one, %two : f64
  %four = arith.divf %three, %d : f64
  %chosen = arith.select %flag, %four, %sum : f64
  memref.store %chosen, %x[%i] : memref<?xf64>
  spmd.return
}
func.func @twice(%n: index, %x: memref<?xf64>) {
  func.return
}
"""
NAMES = ("n", "a", "b", "h", "d", "s", "w", "flag")


@pytest.mark.parametrize(
    ("small", "d", "flag"),
    [
        (-3, -0.0, True),
        (253, np.inf, True),
        (-3, np.nan, True),
        (127, 0.1, True),
        (1, 1.0, False),
    ],
)
def test_values_are_those_of_the_arguments(small: int, d: float, flag: bool):
    kernel = spmd.compile(SOURCE).kernels["sum"]
    numbers = (3, 0.1, 0.3, 1 / 3, d, small, 1 << 63, flag)
    want, got = np.empty((2, 20))
    kernel(*numbers, want, global_size=20)
    kernel(*numbers, got, global_size=20, constants=NAMES)
    assert_array_equal(got, want)


def test_one_version_for_each_value(monkeypatch: pytest.MonkeyPatch):
    compiled: list[Words] = []
    original = SpmdSpecializePass.apply

    def counted(self: SpmdSpecializePass, *rest: Any) -> None:
        compiled.append(self.constants)
        original(self, *rest)

    monkeypatch.setattr(SpmdSpecializePass, "apply", counted)
    monkeypatch.setattr("spmd.runtime.entry_point._MAX_CONSTANTS", 2)
    monkeypatch.setenv("SPMD_CACHE_DIR", "")
    kernel = spmd.compile(SOURCE).kernels["sum"]
    x = np.empty(20)

    def run(n: int, *constants: str) -> None:
        kernel(n, 1, 0, 0, 1, 0, 0, False, x, global_size=20, constants=constants)
        assert_array_equal(x, np.full(20, n))

    run(1)
    run(2)
    assert compiled == [()]
    for n in (3, 4, 3, 4):
        run(n, "n")
    assert compiled[1:] == [("0=3",), ("0=4",)]
    run(5, "n", "flag")
    run(4, "n")
    assert compiled[3:] == [("0=5", "7=0")]
    run(3, "n")  # the oldest has been given up
    run(1)
    assert compiled[4:] == [("0=3",)]


def test_bound_launches_and_code_for_all_sizes():
    kernel = spmd.compile(SOURCE, specialize=False).kernels["sum"]
    x = np.empty(20)
    numbers = (3, 1, 0, 0, 1, 0, 0, False)
    launch = kernel.bind(*numbers, x, global_size=20, constants="n")
    launch()
    assert_array_equal(x, np.full(20, 3.0))


def test_what_is_no_number_of_a_kernel():
    program = spmd.compile(SOURCE)
    numbers = (3, 1, 0, 0, 1, 0, 0, False)
    for names in (("x",), "m", ("n", "q")):
        with pytest.raises(spmd.LaunchError, match=r"arguments \(n, a, b, h, d, s, w"):
            program["sum"](*numbers, np.empty(4), global_size=4, constants=names)
    with pytest.raises(spmd.LaunchError, match="expected no constants, because only"):
        program["twice"](1, np.empty(4), constants=("n",))


@pytest.mark.parametrize("wrong", [3, [["n"]], 1.5])
def test_what_is_no_names(wrong: Any):
    kernel = spmd.compile(SOURCE).kernels["sum"]
    numbers = (3, 1, 0, 0, 1, 0, 0, False)
    with pytest.raises(spmd.LaunchError, match="expected constants as names of"):
        kernel.bind(*numbers, np.empty(4), global_size=4, constants=wrong)
