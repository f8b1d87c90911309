"""The functions of libm that `math` has, which are also those of its vector library."""

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

FUNCTIONS = {f"math.{name}": name for name in (*UNARY, *BINARY)} | {"math.powf": "pow"}
"""By the name of the op that is computed by it."""
