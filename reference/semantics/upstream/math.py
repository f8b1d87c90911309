"""
The meaning of `math`.

Transcendental functions are computed in double precision and rounded once: correct to
the last bit in nearly all cases for f32 and shorter, and to about one unit in f64.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.dialects import math as math_dialect
from xdsl.dialects import vector
from xdsl.ir import Operation

from spmd.reference.compiler import HELPERS, Body, helper, meaning, trap
from spmd.reference.scalars import fma_f64, fma_short, signed
from spmd.reference.semantics.expressions import element, elementwise, expressions

HELPERS["fma_f64"] = fma_f64
HELPERS["fma_short"] = fma_short
HELPERS["copysign"] = math.copysign
HELPERS["atan2"] = math.atan2

Unary = Callable[[float], float]


def total(function: Unary, poles: dict[float, float] | None = None) -> Unary:
    """A function of Python's `math` that returns infinities and NaN as libm does."""
    exceptions = poles or {}

    def call(value: float) -> float:
        try:
            return function(value)
        except ValueError:
            return exceptions.get(value, math.nan)
        except OverflowError:
            below = function is math.sinh and value < 0
            return -math.inf if below else math.inf

    return call


def rsqrt(value: float) -> float:
    if value == 0.0:
        return math.copysign(math.inf, value)
    return math.nan if value < 0.0 else 1.0 / math.sqrt(value)


def unless_huge(function: Unary) -> Unary:
    """Rounding to a whole number: infinities, NaN and signed zeros stay."""

    def call(value: float) -> float:
        if not math.isfinite(value):
            return value
        return math.copysign(function(value), value)

    return call


def round_half_away(value: float) -> float:
    whole = math.trunc(value)
    if abs(value - whole) >= 0.5:
        whole += 1 if value > 0 else -1
    return float(whole)


UNARY: dict[type[Operation], Unary] = {
    math_dialect.AcosOp: total(math.acos),
    math_dialect.AcoshOp: total(math.acosh),
    math_dialect.AsinOp: total(math.asin),
    math_dialect.AsinhOp: total(math.asinh),
    math_dialect.AtanOp: math.atan,
    math_dialect.AtanhOp: total(math.atanh, {1.0: math.inf, -1.0: -math.inf}),
    math_dialect.CbrtOp: math.cbrt,
    math_dialect.CosOp: total(math.cos),
    math_dialect.CoshOp: total(math.cosh),
    math_dialect.ErfOp: math.erf,
    math_dialect.ExpOp: total(math.exp),
    math_dialect.Exp2Op: total(math.exp2),
    math_dialect.ExpM1Op: total(math.expm1),
    math_dialect.LogOp: total(math.log, {0.0: -math.inf}),
    math_dialect.Log10Op: total(math.log10, {0.0: -math.inf}),
    math_dialect.Log1pOp: total(math.log1p, {-1.0: -math.inf}),
    math_dialect.Log2Op: total(math.log2, {0.0: -math.inf}),
    math_dialect.RsqrtOp: rsqrt,
    math_dialect.SinOp: total(math.sin),
    math_dialect.SinhOp: total(math.sinh),
    math_dialect.SqrtOp: total(math.sqrt),
    math_dialect.TanOp: total(math.tan),
    math_dialect.TanhOp: math.tanh,
    math_dialect.CeilOp: unless_huge(math.ceil),
    math_dialect.FloorOp: unless_huge(math.floor),
    math_dialect.RoundOp: unless_huge(round_half_away),
    math_dialect.RoundEvenOp: unless_huge(round),
    math_dialect.TruncOp: unless_huge(math.trunc),
}
for _op, _function in UNARY.items():
    HELPERS[_op.name.replace(".", "_")] = _function


@helper
def power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except (OverflowError, ValueError) as error:
        if isinstance(error, ValueError) and a != 0.0:
            return math.nan
        odd = b == math.trunc(b) and math.fmod(b, 2.0) != 0.0
        return math.copysign(math.inf, a) if odd else math.inf


expressions(
    {
        **{op: f"{op.name.replace('.', '_')}({{0}})" for op in UNARY},
        math_dialect.Atan2Op: "atan2({0}, {1})",
        math_dialect.PowFOp: "power({0}, {1})",
    },
    rounds=True,
)
# Only the sign changes: rounding would change the bits of a NaN.
expressions(
    {
        math_dialect.AbsFOp: "abs({0})",
        math_dialect.CopySignOp: "copysign({0}, {1})",
    }
)


@meaning(math_dialect.FPowIOp)
def _fpowi(body: Body, op: math_dialect.FPowIOp) -> None:
    bits = element(op.rhs.type, op).bits
    text = f"power({{0}}, float(signed({{1}}, {bits})))"
    elementwise(body, op, text, rounds=True)


@meaning(math_dialect.FmaOp, vector.FMAOp)
def _fma(body: Body, op: Operation) -> None:
    is_f64 = element(op.results[0].type, op).name == "f64"
    name = "fma_f64" if is_f64 else "fma_short"
    elementwise(body, op, f"{name}({{0}}, {{1}}, {{2}})", rounds=True)


# --- integers ------------------------------------------------------------------------


@helper
def cttz(a: int, bits: int) -> int:
    return (a & -a).bit_length() - 1 if a else bits


@helper
def ipowi(a: int, b: int, bits: int, site: int) -> int:
    base, exponent = signed(a, bits), signed(b, bits)
    mask = (1 << bits) - 1
    if exponent >= 0:
        return pow(base, exponent, 1 << bits)
    if base == 0:
        trap(site, f"division by zero: 0 to the power of {exponent}")
    if base == 1:
        return 1
    return (1 if exponent % 2 == 0 else -1) & mask if base == -1 else 0


expressions(
    {
        math_dialect.CtPopOp: "int({0}).bit_count()",
        math_dialect.CountLeadingZerosOp: "{t.bits} - int({0}).bit_length()",
        math_dialect.CountTrailingZerosOp: "cttz({0}, {t.bits})",
        math_dialect.AbsIOp: "abs(signed({0}, {t.bits})) & {t.mask}",
        math_dialect.IPowIOp: "ipowi({0}, {1}, {t.bits}, {site})",
    }
)
