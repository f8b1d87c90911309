"""Every cast of `arith` between every pair of types, against exact arithmetic."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np
import pytest

from spmd.lowering.compiling import compile_object
from spmd.lowering.emit import emit_llvm
from spmd.lowering.loading.object_code import SAFE_COMPILE
from spmd.lowering.machine import host_machine
from tests.execution.lowering.elementwise import (
    WIDTHS,
    Case,
    Unary,
    Values,
    check,
    compile_cases,
    equal,
    interesting,
)
from tests.execution.lowering.native_functions import (
    DTYPES,
    Array,
    NativeFunctions,
    parse_module,
)

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
BITS = {
    "i1": 1,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "index": 64,
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
}


def every_half(scalar: str) -> Array:
    """All values of a type of 16 bits."""
    return np.arange(65536, dtype=np.uint32).astype(np.uint16).view(DTYPES[scalar])


def between_halves(scalar: str, k: int) -> Array:
    """Values of a wide type on, just beside and halfway between those of narrow ones."""
    with np.errstate(all="ignore"):
        halves = np.concatenate(
            [every_half(t)[::7].astype(np.float64) for t in ("f16", "bf16")]
        )
        halves = halves[np.isfinite(halves)]
        ties = (halves[1:] + halves[:-1]) / 2
        values = np.concatenate([halves, ties]).astype(DTYPES[scalar])
        up = np.nextafter(values, DTYPES[scalar](np.inf))
        down = np.nextafter(values, DTYPES[scalar](-np.inf))
    return np.concatenate([values, up, down, interesting(scalar)])


def rounded_once(values: Array, scalar: str) -> Array:
    """Wide floats as narrow ones, from the definition: the nearest, ties to even."""
    dtype = DTYPES[scalar]
    with np.errstate(all="ignore"):
        wide = values.astype(np.longdouble)
        guess = values.astype(np.float32).astype(dtype)
    pattern = guess.view(f"u{guess.itemsize}").astype(np.int64)
    best = np.full(values.shape, 0, np.int64)
    best_error = np.full(values.shape, np.inf, np.longdouble)
    largest = np.longdouble(np.finfo(np.float16).max if scalar == "f16" else 2.0**128)
    step = np.longdouble(2.0**5 if scalar == "f16" else 0)
    sign = np.int64(1) << (8 * guess.itemsize - 1)
    for delta in (-1, 0, 1):
        near = np.where(pattern & (sign - 1), pattern + delta, pattern)
        candidate = near.astype(f"u{guess.itemsize}").view(dtype)
        with np.errstate(all="ignore"):
            value = candidate.astype(np.float64).astype(np.longdouble)
            # Infinity stands for the number after the largest one.
            past = largest + step if scalar == "f16" else largest
            value = np.where(np.isinf(value), np.sign(value) * past, value)
            error = np.abs(value - wide)
        better = (error < best_error) | ((error == best_error) & (near % 2 == 0))
        best = np.where(better, near, best)
        best_error = np.where(better, error, best_error)
    result = best.astype(f"u{guess.itemsize}").view(dtype)
    result = np.where(np.isinf(values) | np.isnan(values), guess, result)
    return np.where(values == 0, guess, result)


def integer_values(scalar: str, k: int) -> Array:
    """Integers of any size, and those that lie halfway between two floats."""
    if scalar == "i1":
        return interesting(scalar)
    rng = np.random.default_rng(3)
    bits = BITS[scalar]
    random = rng.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), 4000, dtype=np.int64)
    random >>= rng.integers(0, bits, 4000)
    tops = rng.integers(0, 2**11, 4000, dtype=np.int64) << rng.integers(0, 52, 4000)
    ties = np.concatenate([tops, tops + 1, tops - 1])
    every = np.concatenate([random, ties, -ties]).astype(DTYPES[scalar])
    return np.concatenate([every, interesting(scalar)])


def exact_integer_to_float(values: Array, target: str, *, signed: bool) -> Array:
    numbers = values if signed else unsigned(values)
    if values.dtype == np.bool_:
        numbers = -values.astype(np.int8) if signed else values.astype(np.int8)
    # 64 bits of precision hold every integer exactly.
    exact = numbers.astype(np.longdouble)
    if target in ("f32", "f64"):
        return exact.astype(DTYPES[target])
    return rounded_once(exact, target)


def unsigned(array: Array) -> Array:
    return array if array.dtype == np.bool_ else array.view(f"u{array.itemsize}")


def fitting(source: str, target: str, *, signed: bool) -> Values:
    """Floats whose integer part fits into a type; any other is undefined."""
    bits = BITS[target]
    low = -(2.0 ** (bits - 1)) if signed else 0.0
    high = 2.0 ** (bits - 1 if signed else bits)

    def values(scalar: str, k: int) -> Array:
        rng = np.random.default_rng(4)
        many = rng.uniform(-1, 1, 3000) * 2.0 ** rng.uniform(-3, 64, 3000)
        with np.errstate(all="ignore"):
            every = np.concatenate([interesting(source), many.astype(DTYPES[source])])
            whole = np.trunc(every.astype(np.float64))
        every = every[(whole >= low) & (whole < high)]
        # Vectors whose lanes are all small may be converted by other instructions.
        return every[np.argsort(np.abs(every.astype(np.float64)))]

    return values


def to_integer(values: Array, target: str) -> Array:
    whole = [int(value) for value in values.astype(np.float64)]
    if target == "i1":
        return np.array([bool(value & 1) for value in whole])
    wrap = (1 << BITS[target]) - 1
    patterns = np.array([value & wrap for value in whole], dtype=np.uint64)
    return patterns.astype(f"u{BITS[target] // 8}").view(DTYPES[target])


def case(
    op: str, source: str, target: str, expected: Unary, values: Values | None = None
) -> Case:
    body = f"%r = arith.{op} %a : {{0}} to {{r}}"
    name = f"{op}_{source}_{target}"
    return Case(name, body, (source,), target, expected, values=values)


def _integer_casts() -> list[Case]:
    cases: list[Case] = []
    for narrow in INTEGERS:
        for wide in INTEGERS:
            if BITS[narrow] >= BITS[wide]:
                continue

            def sign_extended(a: Array, wide: str = wide) -> Array:
                number = a.astype(DTYPES[wide])
                return -number if a.dtype == np.bool_ else number

            cases += [
                case("extsi", narrow, wide, sign_extended),
                case("extui", narrow, wide, unsigned),
                case("trunci", wide, narrow, _truncated(narrow)),
            ]
    for other in ("i8", "i32", "i64"):
        cases += [
            case("index_cast", other, "index", lambda a: a),
            case("index_cast", "index", other, _truncated(other)),
        ]
    return cases


def _truncated(target: str) -> Unary:
    if target == "i1":
        return lambda a: (a & 1).astype(bool)
    return lambda a: a.astype(DTYPES[target])


def _cast_to(target: str) -> Unary:
    return lambda a: a.astype(DTYPES[target])


def _rounded_to(target: str) -> Unary:
    return lambda a: rounded_once(a, target)


def _bits_as(target: str) -> Unary:
    return lambda a: a.view(DTYPES[target])


def _all_halves(scalar: str, k: int) -> Array:
    return every_half(scalar)


def _float_casts() -> list[Case]:
    cases: list[Case] = []
    for source in FLOATS:
        for target in FLOATS:
            if BITS[source] < BITS[target]:
                values = _all_halves if BITS[source] == 16 else None
                cases.append(case("extf", source, target, _cast_to(target), values))
            elif BITS[source] > BITS[target]:
                rounded = _cast_to("f32") if target == "f32" else _rounded_to(target)
                cases.append(case("truncf", source, target, rounded, between_halves))
    return cases


def _mixed_casts() -> list[Case]:
    cases: list[Case] = []
    for float_ in FLOATS:
        for integer in INTEGERS:
            for sign in (True, False):
                letter = "s" if sign else "u"

                def to_float(
                    a: Array, target: str = float_, signed: bool = sign
                ) -> Array:
                    return exact_integer_to_float(a, target, signed=signed)

                def from_float(a: Array, target: str = integer) -> Array:
                    return to_integer(a, target)

                fits = fitting(float_, integer, signed=sign)
                cases += [
                    case(f"{letter}itofp", integer, float_, to_float, integer_values),
                    case(f"fpto{letter}i", float_, integer, from_float, fits),
                ]
    for float_, integer in (("f16", "i16"), ("bf16", "i16"), ("f32", "i32")):
        cases += [
            case("bitcast", integer, float_, _bits_as(float_)),
            case("bitcast", float_, integer, _bits_as(integer)),
        ]
    return cases


CASES = {
    "integers": _integer_casts(),
    "floats": _float_casts(),
    "mixed": _mixed_casts(),
}


@cache
def compiled(group: str) -> NativeFunctions:
    return compile_cases(CASES[group])


@pytest.mark.parametrize(
    ("group", "case"),
    [(group, case) for group, cases in CASES.items() for case in cases],
    ids=lambda value: value.name if isinstance(value, Case) else value,
)
def test_cast(group: str, case: Case):
    for width in (None, *WIDTHS):
        check(compiled(group), case, width)


@pytest.mark.parametrize("scalar", ["f16", "bf16"])
def test_every_half_survives_a_trip_through_f32(scalar: str):
    text = f"""
    func.func @trip(%n: index, %x: memref<?x{scalar}>, %out: memref<?x{scalar}>) {{
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      scf.for %i = %c0 to %n step %c16 {{
        %a = vector.load %x[%i] : memref<?x{scalar}>, vector<16x{scalar}>
        %w = arith.extf %a : vector<16x{scalar}> to vector<16xf32>
        %r = arith.truncf %w : vector<16xf32> to vector<16x{scalar}>
        vector.store %r, %out[%i] : memref<?x{scalar}>, vector<16x{scalar}>
      }}
      func.return
    }}"""
    values = every_half(scalar)
    out = np.zeros_like(values)
    NativeFunctions(text)("trip", values.size, values, out)
    assert equal(out, values).all()


def test_the_expectation_agrees_with_ml_dtypes_on_floats():
    values = between_halves("f32", 0)
    with np.errstate(all="ignore"):
        theirs = values.astype(ml_dtypes.bfloat16)
    assert equal(rounded_once(values, "bf16"), theirs).all()


FLOATS_BESIDE_ZERO = """
func.func @least(%x: f64, %v: vector<8xi64>, %p: memref<?xi16>, %q: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i16
  %n = arith.fptoui %x : f64 to i16
  %least = arith.minui %n, %zero : i16
  %w = math.absi %v : vector<8xi64>
  %all = vector.reduction <or>, %w : vector<8xi64> into i64
  memref.store %all, %q[%c0] : memref<?xi64>
  memref.store %least, %p[%c0] : memref<?xi16>
  func.return
}
"""
"""Vectors are beside it, as LLVM selects the instructions of other blocks in a simpler way."""


@pytest.mark.parametrize("opt", [0, 3])
def test_the_smaller_of_zero_and_what_was_a_float(
    opt: int, monkeypatch: pytest.MonkeyPatch
):
    """LLVM 22 ends the process for it if it optimises nothing."""
    monkeypatch.setenv(SAFE_COMPILE, "1")
    machine = host_machine()
    text = emit_llvm(parse_module(FLOATS_BESIDE_ZERO), machine)
    compile_object(text, machine, opt)


@pytest.mark.parametrize(
    "zeros",
    [
        "%zeros = arith.constant dense<0> : vector<4xi32>",
        """%zero = arith.constant 0 : i32
           %zeros = vector.broadcast %zero : i32 to vector<4xi32>""",
    ],
)
def test_the_smaller_of_zeros_and_others_is_not_asked(zeros: str):
    text = f"""
    func.func @least(%x: vector<4xi32>) -> vector<4xi32> {{
      {zeros}
      %least = arith.minui %zeros, %x : vector<4xi32>
      func.return %least : vector<4xi32>
    }}"""
    assert "umin" not in emit_llvm(parse_module(text))
