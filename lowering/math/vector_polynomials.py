"""
`exp` and `log` of vectors of f32 in line, without a library.

A vector function of the C library costs more than its arithmetic: all vector registers
are saved around the call, and where one lane overflows or underflows, lanes are computed
one by one. These polynomials have no slow lanes, and are there on every machine:

    %y = call <32 x float> @spmd.expf.v32(<32 x float> %x)     ; inlined by LLVM

Errors, by comparison with f64: `exp` at most 1.1 units in the last place, subnormal
results included, `log` at most 1.1. Zeros, infinities and NaN are as in C.

The reduction of the argument is that of W. J. Cody and W. Waite, *Software Manual for
the Elementary Functions* (1980), chapters 5 and 6; the coefficients are minimax fits of
the relative error, found by iteratively reweighted least squares (Lawson 1961).
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import Float32Type

from spmd.lowering.writing.literals import (
    bits_of_float,
    float_literal_of_bits,
    splat_literal,
)
from spmd.lowering.writing.types import like

_LN2_HIGH, _LN2_LOW = 0.693359375, -2.1219444005469058e-4
"""ln 2 in two parts; the products of the first with an exponent are exact."""

_EXP = (0.49999994, 0.1666652, 0.0416683964, 0.0083687967, 0.00138144335)
"""(exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, lowest power first."""

_LOG = (
    *(0.333333313, -0.250008225, 0.200012267, -0.16623354),
    *(0.142017469, -0.131602079, 0.127616778, -0.0763455778),
)
"""(log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2)."""


class _Function:
    """The text of a function of one vector of f32, instruction by instruction."""

    def __init__(self, name: str, lanes: int):
        self.floats, self.integers = (
            like("float", lanes),
            like("i32", lanes),
        )
        self._lines = [
            f"define internal {self.floats} @{name}({self.floats} %x) "
            "alwaysinline nounwind {"
        ]

    def add(self, name: str, instruction: str) -> str:
        """Adds an instruction; the result is `%name`."""
        self._lines.append(f"  %{name} = {instruction}")
        return f"%{name}"

    def arithmetic(self, name: str, op: str, a: str, b: str) -> str:
        """`a op b`, where LLVM may fuse a product with the sum after it."""
        return self.add(name, f"{op} contract {self.floats} {a}, {b}")

    def number(self, value: float) -> str:
        """A constant in all lanes."""
        f32 = Float32Type()
        return splat_literal(
            float_literal_of_bits(bits_of_float(value, f32), f32), "float"
        )

    def integer(self, value: int) -> str:
        """An integer constant in all lanes."""
        return splat_literal(str(value), "i32")

    def integer_op(self, name: str, op: str, a: str, b: str) -> str:
        """`a op b` on integers."""
        return self.add(name, f"{op} {self.integers} {a}, {b}")

    def select(self, name: str, condition: str, yes: str, no: str) -> str:
        """`yes` where a comparison of floats, like `ogt %x, %y`, holds, else `no`."""
        predicate, _, operands = condition.partition(" ")
        test = self.add(f"{name}.test", f"fcmp {predicate} {self.floats} {operands}")
        bits = self.floats.replace("float", "i1")
        return self.add(
            name, f"select {bits} {test}, {self.floats} {yes}, {self.floats} {no}"
        )

    def bits(self, name: str, value: str) -> str:
        """The bit patterns of floats."""
        return self.add(name, f"bitcast {self.floats} {value} to {self.integers}")

    def from_bits(self, name: str, value: str) -> str:
        """Floats of bit patterns."""
        return self.add(name, f"bitcast {self.integers} {value} to {self.floats}")

    def polynomial(self, name: str, at: str, coefficients: tuple[float, ...]) -> str:
        """The value of a polynomial, by Horner's rule."""
        *rest, last = coefficients
        value = self.number(last)
        for power, coefficient in reversed([*enumerate(rest)]):
            product = self.arithmetic(f"{name}.m{power}", "fmul", value, at)
            value = self.arithmetic(
                f"{name}.{power}", "fadd", product, self.number(coefficient)
            )
        return value

    def end(self, result: str) -> str:
        """The whole function."""
        return "\n".join([*self._lines, f"  ret {self.floats} {result}", "}"])


def _exp(f: _Function) -> str:
    """exp(x) = 2^n * exp(r), where n = round(x / ln 2) and r = x - n * ln 2."""
    # exp is infinite or zero beyond these; a NaN fails both tests and stays.
    high = f.select("high", f"ogt %x, {f.number(89.0)}", f.number(89.0), "%x")
    low = f"olt {high}, {f.number(-104.0)}"
    x = f.select("x.near", low, f.number(-104.0), high)
    # Adding 1.5 * 2^23 leaves the rounded integer in the low bits, of a NaN any bits:
    # unlike a conversion to integer, which would be poison.
    magic = f.number(12582912.0)
    scaled = f.arithmetic("scaled", "fmul", x, f.number(1.4426950408889634))
    shifted = f.add("shifted", f"fadd {f.floats} {scaled}, {magic}")
    n = f.add("n", f"fsub {f.floats} {shifted}, {magic}")
    n_bits = f.bits("n.shifted", shifted)
    n_integer = f.integer_op("n.integer", "sub", n_bits, f.integer(0x4B400000))
    n_high = f.arithmetic("n.ln2.high", "fmul", n, f.number(_LN2_HIGH))
    r_high = f.arithmetic("r.high", "fsub", x, n_high)
    n_low = f.arithmetic("n.ln2.low", "fmul", n, f.number(_LN2_LOW))
    r = f.arithmetic("r", "fsub", r_high, n_low)
    q = f.polynomial("q", r, _EXP)
    square = f.arithmetic("r.squared", "fmul", r, r)
    tail = f.arithmetic("tail", "fmul", q, square)
    more = f.arithmetic("more", "fadd", tail, r)
    y = f.arithmetic("y", "fadd", more, f.number(1.0))
    # Two factors: 2^n itself may be too large or too small for an f32.
    half = f.integer_op("half", "ashr", n_integer, f.integer(1))
    other = f.integer_op("other", "sub", n_integer, half)
    for name, exponent in (("first", half), ("second", other)):
        biased = f.integer_op(f"{name}.biased", "add", exponent, f.integer(127))
        pattern = f.integer_op(f"{name}.bits", "shl", biased, f.integer(23))
        factor = f.from_bits(f"{name}.factor", pattern)
        y = f.add(f"y.{name}", f"fmul {f.floats} {y}, {factor}")
    return y


def _log(f: _Function) -> str:
    """log(x) = e * ln 2 + log(m), where x = 2^e * m and m is near 1."""
    tiny = f"olt %x, {f.number(2.0**-126)}"
    larger = f.add("larger", f"fmul {f.floats} %x, {f.number(2.0**23)}")
    normal = f.select("normal", tiny, larger, "%x")
    bias = f.select("bias", tiny, f.number(-23.0), f.number(0.0))
    pattern = f.bits("pattern", normal)
    # Subtracting the bits of sqrt(1/2) first makes m lie around 1, not above it.
    moved = f.integer_op("moved", "sub", pattern, f.integer(0x3F3504F3))
    e_integer = f.integer_op("e.integer", "ashr", moved, f.integer(23))
    e_bits = f.integer_op("e.bits", "shl", e_integer, f.integer(23))
    m = f.from_bits("m", f.integer_op("m.bits", "sub", pattern, e_bits))
    e_float = f.add("e.float", f"sitofp {f.integers} {e_integer} to {f.floats}")
    e = f.add("e", f"fadd {f.floats} {e_float}, {bias}")
    g = f.add("f", f"fsub {f.floats} {m}, {f.number(1.0)}")
    q = f.polynomial("q", g, _LOG)
    square = f.arithmetic("f.squared", "fmul", g, g)
    cube = f.arithmetic("f.cubed", "fmul", square, g)
    tail = f.arithmetic("tail", "fmul", cube, q)
    e_low = f.arithmetic("e.low", "fmul", e, f.number(_LN2_LOW))
    with_e = f.arithmetic("with.e", "fadd", tail, e_low)
    halved = f.arithmetic("halved", "fmul", square, f.number(0.5))
    small = f.arithmetic("small", "fsub", with_e, halved)
    log_m = f.arithmetic("log.m", "fadd", g, small)
    e_high = f.arithmetic("e.high", "fmul", e, f.number(_LN2_HIGH))
    near = f.arithmetic("near", "fadd", log_m, e_high)
    infinity, nan = f.number(float("inf")), f.number(float("nan"))
    finite = f.select("finite", f"oeq %x, {infinity}", infinity, near)
    zero = f.number(0.0)
    nonzero = f.select("nonzero", f"oeq %x, {zero}", f.number(float("-inf")), finite)
    return f.select("result", f"ult %x, {zero}", nan, nonzero)


_FUNCTIONS: dict[str, Callable[[_Function], str]] = {"expf": _exp, "logf": _log}


def has_polynomial(name: str) -> bool:
    """Whether a function of libm, like `expf`, is computed in line."""
    return name in _FUNCTIONS


def polynomial_text(helper: str, name: str, lanes: int) -> str:
    """The text of the function `helper`: `name`, like `expf`, of a vector."""
    function = _Function(helper, lanes)
    return function.end(_FUNCTIONS[name](function))
