"""Names of the functions of libm, which are also the names in its vector library."""

from __future__ import annotations

UNARY = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "tan",
    "tanh",
]

BINARY = ["atan2", "pow"]

_OTHERS = [
    "ceil",
    "copysign",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "remainder",
    "remquo",
    "rint",
    "round",
    "roundeven",
    "scalbln",
    "scalbn",
    "sincos",
    "sqrt",
    "tgamma",
    "trunc",
]

C_FUNCTIONS = frozenset([*UNARY, *BINARY, *_OTHERS])
"""All of libm, in the form for `double`: with `f` and `l` at the end for the others."""
