"""Prices of European options: exp, log, sqrt and a branch on the sign of a value."""

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray

Floats = NDArray[np.float32]

POLYNOMIAL = 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429


def launch(n: int = 1 << 22) -> Launch:
    rng = np.random.default_rng(2)
    price = rng.uniform(5, 30, n).astype(np.float32)
    strike = rng.uniform(1, 100, n).astype(np.float32)
    years = rng.uniform(0.25, 10, n).astype(np.float32)
    call, put = np.zeros((2, n), np.float32)
    arguments = price, strike, years, 0.02, 0.3, call, put
    return Launch(arguments, outputs=(5, 6), global_size=n)


def normal_below(d: Floats, k: Floats, p: Floats, out: Floats) -> None:
    """`out` = distribution of `d`; `k` and `p` are overwritten."""
    np.abs(d, out=k)
    np.multiply(k, 0.2316419, out=k)
    np.add(k, 1, out=k)
    np.divide(1, k, out=k)
    b1, b2, b3, b4, b5 = POLYNOMIAL
    np.multiply(k, b5, out=p)
    for b in (b4, b3, b2, b1):
        np.add(p, b, out=p)
        np.multiply(p, k, out=p)
    np.multiply(d, d, out=k)
    np.multiply(k, -0.5, out=k)
    np.exp(k, out=k)
    np.multiply(k, 0.3989422804, out=k)
    np.multiply(k, p, out=out)
    np.subtract(1, out, out=out, where=d > 0)


def with_numpy(
    price: Floats,
    strike: Floats,
    years: Floats,
    rate: float,
    volatility: float,
    call: Floats,
    put: Floats,
) -> None:
    size = 8192
    temporaries = np.empty((6, size), np.float32)
    for at in blocks(price.size, size):
        s, x, t = price[at], strike[at], years[at]
        d1, d2, k, p, n1, n2 = temporaries[:, : s.size]
        np.sqrt(t, out=k)
        np.multiply(k, volatility, out=k)
        np.divide(s, x, out=d1)
        np.log(d1, out=d1)
        np.multiply(t, rate + 0.5 * volatility * volatility, out=p)
        np.add(d1, p, out=d1)
        np.divide(d1, k, out=d1)
        np.subtract(d1, k, out=d2)
        normal_below(d1, k, p, n1)
        normal_below(d2, k, p, n2)
        np.multiply(t, -rate, out=k)
        np.exp(k, out=k)
        np.multiply(k, x, out=k)
        np.multiply(s, n1, out=n1)
        np.multiply(k, n2, out=n2)
        np.subtract(n1, n2, out=call[at])
        np.add(call[at], k, out=k)
        np.subtract(k, s, out=put[at])


EXAMPLE = Example(
    __file__,
    "black_scholes",
    launch,
    with_numpy,
    [(1,), (512,), (1000,)],
    rtol=1e-4,
    atol=1e-4,
)

if __name__ == "__main__":
    EXAMPLE.main()
