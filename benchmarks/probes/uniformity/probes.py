"""What is the same in all lanes, and is found to be so."""

# pyright: basic
# Formulas of arrays are lambdas, whose types would say nothing.
from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.probes.data import arguments, uniform
from benchmarks.probes.probe import Arguments, probe
from benchmarks.suite.case import Array
from benchmarks.suite.trees import binary_tree

QUERIES = 1 << 13
ITEMS = 4096


def tree(generator: np.random.Generator) -> Arguments:
    """A search tree, and sorted queries of which half are found."""
    label, left, right = binary_tree(16)
    queries = np.sort(generator.integers(0, 2 * label.size, QUERIES))
    out = np.zeros(QUERIES, np.int32)
    return [label, left, right, queries.astype(np.float32), out]


def found(label: Array, left: Array, right: Array, queries: Array, out: Array) -> Array:
    """The node of each query, or -1."""
    order = np.argsort(label)
    at = np.searchsorted(label, queries, sorter=order)
    at = order[np.minimum(at, label.size - 1)]
    return np.where(label[at] == queries, at, -1)


for _name, _how in (
    ("bt", "left by two exits in scf"),
    ("btu", "left by one exit in scf"),
    ("btcf", "in cf"),
):
    shows = f"a search with a stack that a sub-group shares, {_how}"
    probe(_name, shows, "btw", QUERIES, tree, found, out=4)


def walk(generator: np.random.Generator) -> Arguments:
    """Work-item 37 leaves its loop early."""
    x = generator.uniform(1, 2, ITEMS).astype(np.float32)
    x[20] = x[37] * np.float32(0.5) ** 20
    return [1000, x, np.zeros(ITEMS, np.float32)]


def left_at(n: int, x: Any, y: Any) -> Array:
    """In which iteration each work-item leaves, or zero."""
    return np.where(np.arange(ITEMS) == 37, 20, 0)


probe(
    "loop2",
    "a uniform counter of a loop with two exits",
    "loop2s",
    ITEMS,
    walk,
    left_at,
    out=2,
)
probe(
    "cf1",
    "a counter that one or two is added to",
    "cf1s",
    ITEMS,
    arguments(500, uniform(512), uniform(ITEMS, low=2, high=3), 0.5),
    out=2,
    in_place=True,
)
