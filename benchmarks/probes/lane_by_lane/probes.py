"""One operation that has no vector form, in a loop that has many that do."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

import numpy as np

from benchmarks.probes.data import N, arguments, counters, integers, uniform, zeros
from benchmarks.probes.probe import probe, scalar

X_Y_COUNT = arguments(uniform(N), zeros(N), counters(1))

probe(
    "rare_atom",
    "an atomic that one work-item of a thousand executes",
    "rare_atom_without",
    N,
    X_Y_COUNT,
    lambda x, y, h: np.sin(np.exp(x)) + x,
)
scalar(
    "rare_atom_counts",
    "the same against scalar code",
    N,
    X_Y_COUNT,
    lambda x, y, h: np.sum(x > np.float32(0.999)),
    kernel="rare_atom",
    out=2,
    in_place=True,
)
scalar(
    "atom",
    "atomics on addresses that vary",
    N,
    arguments(integers(0, 256, N), counters(256)),
    lambda x, h: np.bincount(x, minlength=256),
    in_place=True,
)
probe(
    "atom2",
    "atomics on one address",
    "atom2_combined",
    N,
    arguments(integers(0, 256, N), counters(256)),
    lambda x, h: np.where(np.arange(256) == 0, x.sum(), 0),
    in_place=True,
)
scalar(
    "cas", "compare and swap of one address", N, X_Y_COUNT, lambda x, y, h: np.exp(x)
)
probe(
    "fail",
    "spmd.fail that is never reached",
    "fail_without",
    N,
    arguments(uniform(N, low=-1, high=-0.1), 0),
    lambda x, n: np.exp(x),
    out=0,
    in_place=True,
)
probe(
    "choice",
    "a memref chosen by each lane",
    "choice_stores",
    N,
    arguments(uniform(N), zeros(N), zeros(N)),
    lambda s, x, y: np.where(s > 0.5, np.exp(s), 0),
)
for _name, _how in (("subview", "by subview"), ("sized", "of dynamic size")):
    probe(
        f"private_{_name}",
        f"a private array {_how}",
        "private",
        N,
        arguments(uniform(N), zeros(N), 8),
        lambda x, y, n: x * np.exp(x),
    )
