"""Shuffles and collectives."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

import numpy as np

from benchmarks.probes.data import N, arguments, uniform, zeros
from benchmarks.probes.in_c import in_c
from benchmarks.probes.probe import Form, probe

WIDE = {"width": 16}

probe(
    "shuf",
    "a shuffle whose lanes are known when it runs",
    in_c("collectives/shuf"),
    16,
    arguments(
        uniform(16),
        lambda generator: np.arange(16, dtype=np.int32) ^ 1,
        zeros(16),
        20000,
    ),
    out=2,
)
probe(
    "grp_scan",
    "scan of a work-group",
    "grp_scan_hand",
    N,
    arguments(uniform(N), zeros(N)),
    lambda x, y: x.reshape(-1, 256).cumsum(1).reshape(-1),
)
probe(
    "grp_max",
    "reduce max beside reduce add",
    "grp_add",
    N,
    arguments(uniform(N), zeros(N // 256)),
    lambda x, y: x.reshape(-1, 256).max(1),
    same=False,
)
probe(
    "dyn_sg",
    "sub-groups in a group of a size that nobody knows",
    Form("dyn_sg", options=WIDE),
    N,
    arguments(uniform(N), zeros(N)),
    lambda x, y: np.repeat(x.reshape(-1, 16).sum(1), 16),
    ours=Form("dyn_sg", options={**WIDE, "specialize": False}),
    group=64,
)
