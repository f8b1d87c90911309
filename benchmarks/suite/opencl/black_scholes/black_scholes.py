"""Prices of European options: exp, log and sqrt, no branch that matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks.suite.case import Array, Case, Launch, benchmark
from benchmarks.suite.data import farthest, random
from benchmarks.suite.plain import inlined, prange


@inlined
def normal(x: Any) -> Any:
    """The cumulative normal distribution, Abramowitz and Stegun 26.2.17."""
    one = np.float32(1)
    k = one / (one + np.float32(0.2316419) * abs(x))
    p = k * np.float32(1.330274429) - np.float32(1.821255978)
    p = k * p + np.float32(1.781477937)
    p = k * p - np.float32(0.356563782)
    p = k * (k * p + np.float32(0.319381530))
    w = np.float32(0.39894228040) * math.exp(np.float32(-0.5) * x * x) * p
    return one - w if x > 0 else w


def black_scholes(
    call: Array, put: Array, spot: Array, strike: Array, years: Array, n: int
) -> None:
    """One option after the other."""
    one, r, sigma = np.float32(1), np.float32(0.02), np.float32(0.3)
    drift = np.float32(0.02 + 0.045)
    for i in prange(n):
        s, x, t = spot[i], strike[i], years[i]
        root = math.sqrt(t)
        d1 = (math.log(s / x) + drift * t) / (sigma * root)
        d2 = d1 - sigma * root
        n1, n2 = normal(d1), normal(d2)
        e = x * math.exp(-r * t)
        call[i] = s * n1 - e * n2
        put[i] = e * (one - n2) - s * (one - n1)


def _prices(s: Array, x: Array, t: Array) -> dict[str, Array]:
    s, x, t = (v.astype(np.float64) for v in (s, x, t))
    d1 = (np.log(s / x) + (0.02 + 0.045) * t) / (0.3 * np.sqrt(t))
    d2 = d1 - 0.3 * np.sqrt(t)
    e = x * np.exp(-0.02 * t)

    def below(d: Array) -> Array:
        return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in d.tolist()])

    call = s * below(d1) - e * below(d2)
    return {"call": call, "put": e * below(-d2) - s * below(-d1)}


@benchmark("black_scholes_strict", small={"n": 512}, fast_math=False, tolerance=1e-5)
@benchmark("black_scholes", small={"n": 512})
def options(
    n: int = 1 << 23, *, fast_math: bool = True, tolerance: float = 1e-3
) -> Case:
    """Strict without relaxed floating-point rules: exp and log to within a few ulp."""
    r = random()
    arrays: dict[str, Array] = {k: np.zeros(n, np.float32) for k in ("call", "put")}
    for name, low, high in (("spot", 10, 100), ("strike", 10, 100), ("years", 1, 10)):
        arrays[name] = r.uniform(low, high, n).astype(np.float32)
    checked = [arrays[k][:50_000] for k in ("spot", "strike", "years")]
    return Case(
        arrays=arrays,
        launches=(Launch("black_scholes", (n,), (256,), tuple(arrays)),),
        loops=black_scholes,
        call=(*arrays, n),
        error=farthest(_prices(*checked)),
        tolerance=tolerance,
        bytes=20.0 * n,
        fast_math=fast_math,
    )
