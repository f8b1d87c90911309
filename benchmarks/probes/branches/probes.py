"""Branches that few lanes take, or none."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

import numpy as np

from benchmarks.probes.data import N, arguments, counters, uniform, zeros
from benchmarks.probes.probe import probe, scalar

FEW = 1 << 14

probe(
    "rare",
    "square roots and divisions of f64 that no lane needs",
    "rare_guarded",
    FEW,
    arguments(uniform(FEW, low=1, high=2, dtype=float), zeros(FEW, dtype=float), 0.5),
    lambda x, y, cut: x,
)
probe(
    "nab",
    "four times else-if, all lanes in the last",
    "nab_guarded",
    N,
    arguments(uniform(N, low=3, high=9), zeros(N)),
    lambda x, y: np.log2(x),
)
probe(
    "shortc",
    "a condition of two with one block reached from both, in cf",
    "shortc_scf",
    N,
    arguments(uniform(N, low=0.1, high=4), zeros(N)),
    lambda x, y: np.where(x > 1, np.exp(np.sqrt(x)), np.log(x)),
)
scalar("logstar", "a divergent loop", N, arguments(uniform(N, high=1e5), counters(N)))
scalar(
    "safelog",
    "any of the sub-group, in cf",
    N,
    arguments(uniform(N, low=-1), zeros(N)),
    lambda x, y: np.where(x > 0, np.log(np.maximum(x, 1e-30)), x),
)
