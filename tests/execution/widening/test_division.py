"""Quotients and remainders in lanes are those of integers, whatever computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.execution.harness import DTYPES, Array, Launch, Maker, check_native

OPS = ("divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui")
LAUNCH = Launch((512,), (64,))


def kernel(t: str, divisor: str, odd: bool = False) -> str:
    """
    All divisions of an element.

    By another one, by an argument, by a power of two, or by the constant `divisor`.
    """
    lines: list[str] = []
    for slot, op in enumerate(OPS):
        lines += [
            f"  %slot{slot} = arith.constant {slot} : index",
            f"  %r{slot} = arith.{op} %n, %d : {t}",
            f"  memref.store %r{slot}, %out[%i, %slot{slot}] : memref<?x7x{t}>",
        ]
    wanted = {
        "element": "  %d = memref.load %y[%i] : memref<?x{t}>",
        "argument": "  %d = arith.addi %u, %zero : {t}",
        "power": "  %s = arith.andi %u, %three : {t}\n  %d = arith.shli %one, %s : {t}",
    }
    body = "\n".join(lines)
    if odd:
        # Only lanes with an odd number divide.
        test = f"  %low = arith.andi %n, %one : {t}\n"
        test += f"  %on = arith.cmpi ne, %low, %zero : {t}\n  scf.if %on {{\n"
        body = f"{test}{body}\n  }}"
    return f"""
spmd.kernel @divide(%x: memref<?x{t}>, %y: memref<?x{t}>, %u: {t}, %out: memref<?x7x{t}>) {{
  %zero = arith.constant 0 : {t}
  %one = arith.constant 1 : {t}
  %three = arith.constant 3 : {t}
  %i = spmd.global_id x
  %n = memref.load %x[%i] : memref<?x{t}>
{wanted.get(divisor, f"  %d = arith.constant {divisor} : {{t}}").format(t=t)}
{body}
  spmd.return
}}
"""


def divisors(make: Maker, t: str, n: int) -> Array:
    """Ones, small ones, large ones and powers of two, of either sign; no zero."""
    info = np.iinfo(DTYPES[t])
    small = make.rng.integers(1, 9, n)
    powers = 1 << make.rng.integers(0, info.bits - 1, n)
    any_ = make.rng.integers(1, info.max, n, endpoint=True)
    near = info.max - make.rng.integers(0, 3, n)
    chosen = np.choose(make.rng.integers(0, 4, n), [small, powers, any_, near])
    return np.where(make.rng.random(n) < 0.3, -chosen, chosen).astype(DTYPES[t])


def dividends(make: Maker, t: str, d: Array) -> Array:
    """Multiples, what is next to them, and anything; not the least number."""
    info = np.iinfo(DTYPES[t])
    times = make.rng.integers(
        0, np.maximum(info.max // np.abs(d.astype(object)), 1) + 1
    )
    near = times * np.abs(d.astype(object)) + make.rng.integers(-1, 2, len(d))
    any_ = make.rng.integers(info.min + 1, info.max, len(d)).astype(object)
    n = np.where(make.rng.random(len(d)) < 0.7, near, any_)
    sign = np.where(make.rng.random(len(d)) < 0.3, -1, 1)
    return np.clip(n * sign, info.min + 1, info.max).astype(DTYPES[t])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("divisor", ["element", "argument", "power"])
@pytest.mark.parametrize("t", ["i8", "i16", "i32", "i64", "index"])
def test_native_code(t: str, divisor: str, seed: int):
    small = t in ("i64", "index") and seed == 1  # so that floats divide them

    def arguments(make: Maker) -> list[Any]:
        make = Maker(make.launch, seed)
        number = divisors(make, t, 1)
        if t == "index":
            number[:] = np.where(
                abs(number) > 1, number // 2, number
            )  # which is as large as arguments of this type can be
        if divisor == "power":
            number[:] = abs(number)
        if small:
            number[:] = abs(number) % (1 << 20) + 1
        d = (
            divisors(make, t, make.n)
            if divisor == "element"
            else np.repeat(number, make.n)
        )
        if small:
            d = np.abs(d) % (1 << 30) + 1
        n = dividends(make, t, d)
        if small:
            n = np.abs(n) % (1 << 49)
        return [n, d, int(number[0]), make.zeros(t, make.n, 7)]

    check_native(
        kernel(t, divisor, odd=seed == 2), arguments, LAUNCH, width=(8, 16, 4)[seed]
    )


def test_the_largest_quotients_of_small_numbers():
    t = "i64"

    def arguments(make: Maker) -> list[Any]:
        d = make.rng.integers(1, 1 << make.rng.integers(1, 50, make.n))
        n = ((1 << 50) - 1) // d * d - make.rng.integers(0, 2, make.n)
        return [np.maximum(n, 0), d, 1, make.zeros(t, make.n, 7)]

    check_native(kernel(t, "element"), arguments, LAUNCH, width=8)


@pytest.mark.parametrize("t", ["i64", "index"])
@pytest.mark.parametrize("divisor", ["element", "argument"])
@pytest.mark.parametrize(
    "number", [3, -3, 7, -(1 << 25) - 1, (1 << 49) - 1, -(1 << 49)]
)
def test_small_numbers_with_signs(t: str, divisor: str, number: int):
    """Up to the last ones that floats divide, from -2^49 on."""
    most = 1 << 49

    def arguments(make: Maker) -> list[Any]:
        d: Array = np.full(make.n, number)
        if divisor == "element":
            d = make.rng.integers(1, 1 << make.rng.integers(1, 49, make.n))
            d = np.where(make.rng.random(make.n) < 0.5, -d, d)
            d[::16], d[1::16] = -most, most - 1
        times = most // np.abs(d)
        n: Array = make.rng.integers(0, times, make.n, endpoint=True) * d
        n = n + make.rng.integers(-1, 2, make.n)
        n[::8], n[1::8], n[2::8] = -most, most - 1, -1
        n = np.clip(n, -most, most - 1)
        return [n, d, number, make.zeros(t, make.n, 7)]

    check_native(kernel(t, divisor), arguments, LAUNCH, width=8)


@pytest.mark.parametrize("number", [3, 8, 10, -7, (1 << 50) - 1, (1 << 50) + 1])
@pytest.mark.parametrize("t", ["i64", "index"])
@pytest.mark.parametrize("most", [1 << 50, 1 << 62])
def test_constants(t: str, number: int, most: int):
    def arguments(make: Maker) -> list[Any]:
        times = make.rng.integers(0, most // abs(number) + 1, make.n)
        n = abs(number) * times + make.rng.integers(-1, 2, make.n)
        if most > 1 << 50:
            n = np.where(make.rng.random(make.n) < 0.3, -n, n)
        return [n, n, 1, make.zeros(t, make.n, 7)]

    check_native(kernel(t, str(number)), arguments, LAUNCH, width=8)


@pytest.mark.parametrize("number", [3, 7, 10, (1 << 49) - 1, (1 << 25) + 1, 1])
def test_reciprocals_of_small_numbers(number: int):
    t = "i64"

    def arguments(make: Maker) -> list[Any]:
        most = ((1 << 50) - 1) // number
        n = make.rng.integers(0, most, make.n, endpoint=True) * number
        n = np.maximum(n - make.rng.integers(0, 2, make.n), 0)
        return [n, n, number, make.zeros(t, make.n, 7)]

    check_native(kernel(t, "argument"), arguments, LAUNCH, width=8)


@pytest.mark.parametrize(("t", "number"), [("i16", 41), ("i32", 49), ("i64", 49)])
def test_products_with_a_reciprocal_that_is_rounded_down(t: str, number: int):
    """In floats, 41 * (1 / 41) and 49 * (1 / 49) are below 1."""

    def arguments(make: Maker) -> list[Any]:
        n = (number << make.rng.integers(0, 9, make.n)).astype(DTYPES[t])
        return [n, n, number, make.zeros(t, make.n, 7)]

    check_native(kernel(t, "argument"), arguments, LAUNCH, width=8)
