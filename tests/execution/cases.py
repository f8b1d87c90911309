"""The kernels of `kernels/cases/`, and how to call them. Every one is correct."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import spmd
from tests.execution.harness import (
    BOXES,
    KERNELS,
    LINES,
    PLANES,
    Arguments,
    Array,
    Launch,
    Maker,
)
from tests.execution.harness.comparing import EXACT, Tolerance

PATHS = {path.stem: path for path in (KERNELS / "cases").rglob("*.mlir")}
LIBM = Tolerance(ulps=4)


@dataclass(frozen=True)
class Case:
    """A kernel, its arguments, and ranges that are worth a look."""

    name: str
    arguments: Arguments
    launches: tuple[Launch, ...] = LINES
    tolerance: Tolerance = EXACT

    @property
    def source(self) -> str:
        return PATHS[self.name].read_text()

    def __str__(self) -> str:
        return self.name


def of_each(*arrays: str) -> Arguments:
    """One random element per work-item in each array."""

    def arguments(make: Maker) -> list[Any]:
        return [make.random(dtype, make.n) for dtype in arrays]

    return arguments


def special(make: Maker, dtype: str) -> Array:
    """Random floats among zeros, infinities and NaN."""
    values = make.random(dtype, make.n)
    chosen = make.rng.random(make.n) < 0.3
    strange = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38])
    with np.errstate(all="ignore"):
        values[chosen] = make.rng.choice(strange, chosen.sum()).astype(values.dtype)
    return values


def floats(dtype: str) -> Arguments:
    return lambda make: [
        1.5,
        special(make, dtype),
        special(make, dtype),
        make.zeros(dtype, make.n),
    ]


def math(dtype: str) -> Arguments:
    return lambda make: [make.random(dtype, make.n), make.zeros(dtype, make.n, 8)]


def rounded(make: Maker, to: int) -> int:
    return -(-make.launch.global_size[0] // to) * to


def gather_scatter(make: Maker) -> list[Any]:
    return [
        make.integers("i32", 0, make.n, make.n),
        make.permutation("i64", make.n),
        make.random("f32", make.n),
        make.zeros("f32", make.n),
    ]


def sparse_rows(make: Maker) -> list[Any]:
    lengths = make.integers("i32", 0, 6, make.n)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    filled = int(start[-1])
    return [
        start,
        make.integers("i32", 0, make.n, filled),
        make.random("f32", filled),
        make.random("f32", make.n),
        make.zeros("f32", make.n),
    ]


def strided_arguments(make: Maker) -> list[Any]:
    return [
        make.random("f32", make.n * 3)[::-3],
        make.random("f32", make.n, 3)[:, ::2],
    ]


def transpose_tile(make: Maker) -> list[Any]:
    height, width = make.size
    return [make.random("f32", height, width), make.zeros("f32", width, height)]


def gemm_tile(make: Maker) -> list[Any]:
    height, width = make.size
    return [
        8,
        make.random("f32", height, 8),
        make.random("f32", 8, width),
        make.zeros("f32", height, width),
    ]


def casts(make: Maker) -> list[Any]:
    dtypes = ("f32", "f16", "bf16", "f64", "i8", "i32", "i64")
    return [make.random(dtype, make.n) for dtype in dtypes]


def one(argument: Callable[[Maker], Any]) -> Arguments:
    return lambda make: [argument(make)]


CASES = (
    # Divergent control flow.
    Case("if_else", of_each("f32")),
    Case("if_nested", of_each("i32", "i32")),
    Case(
        "bounds_check",
        lambda make: [
            make.n * 3 // 4,
            2.5,
            make.random("f32", make.n * 3 // 4),
            make.random("f32", make.n * 3 // 4),
        ],
    ),
    Case("for_divergent", of_each("i32", "i32")),
    Case(
        "while_divergent",
        lambda make: [make.integers("i64", -3, 60, make.n), make.zeros("i32", make.n)],
    ),
    Case("do_while", of_each("f32", "f32")),
    Case(
        "escape_time",
        lambda make: [20, make.random("f32", make.n), make.zeros("i32", make.n)],
    ),
    Case("loops_divergent_nested", of_each("i32", "i32")),
    Case("index_switch", of_each("i32", "i32")),
    Case(
        "if_in_loop",
        lambda make: [4, make.random("i32", make.n), make.zeros("i32", make.n, 4)],
    ),
    Case("loop_in_if", of_each("f32", "f32")),
    Case("blocks_in_region", of_each("i32")),
    Case("blocks", of_each("i32", "i32")),
    Case(
        "blocks_several_returns",
        lambda make: [make.n * 2 // 3, make.random("f32", make.n)],
    ),
    # Uniform control flow.
    Case(
        "for_uniform_nested",
        lambda make: [make.random("f32", 4, 5), make.random("f32", make.n)],
    ),
    Case(
        "if_uniform",
        lambda make: [
            True,
            make.integers("i32", 0, 2, 1),
            make.random("i32", make.n),
        ],
    ),
    Case(
        "uniform_result",
        lambda make: [5, make.random("f32", 5), make.zeros("f32", make.groups)],
    ),
    Case(
        "uniform_after_mask",
        lambda make: [make.random("i32", make.n), make.zeros("i32", make.n), 2],
    ),
    Case(
        "uniform_private_under_mask",
        lambda make: [
            make.random("i32", make.n),
            12345,
            make.zeros("i32", make.groups),
        ],
    ),
    Case(
        "uniform_by_ranges",
        lambda make: [make.random("i32", make.n), make.zeros("i32", make.n), 2],
    ),
    Case("uniform_trip_counts", of_each("i32", "i32")),
    # Barriers.
    Case("barrier_exchange", of_each("f32")),
    Case("barrier_in_loop", lambda make: [3, make.random("i32", make.n)]),
    Case("barrier_in_nested_loops", lambda make: [2, 3, make.random("i32", make.n)]),
    Case("barrier_in_if", lambda make: [True, make.random("f32", make.n)]),
    Case(
        "barrier_in_while",
        lambda make: [make.random("i32", make.n), make.zeros("i32", make.groups)],
    ),
    Case(
        "values_across_barriers",
        lambda make: [0.5, make.random("f32", make.n), make.zeros("f32", make.n)],
    ),
    Case("private_across_barrier", of_each("i32", "i32")),
    Case("private_in_loop", of_each("i32", "i32")),
    Case("scan_local", of_each("i32")),
    Case("barriers_in_a_row", of_each("i32", "i32")),
    Case(
        "barrier_trips_from_memory",
        lambda make: [make.integers("index", 2, 4, 1), make.random("i32", make.n)],
    ),
    Case(
        "local_from_launch",
        lambda make: [make.random("f64", make.n), spmd.local(make.group_items)],
    ),
    Case("group_leader", of_each("f32", "f32")),
    Case("stencil_halo", of_each("f32", "f32")),
    # Collectives and atomics.
    Case(
        "group_collectives",
        lambda make: [
            2,
            make.random("i32", make.n),
            make.random("f32", make.n),
            make.zeros("i32", make.groups),
        ],
    ),
    Case("sub_group_collectives", of_each("i32", "f32", "i64", "i1")),
    Case("sub_group_divergent", of_each("i32", "i32")),
    Case("sub_group_ids", one(lambda make: make.zeros("index", make.n)), PLANES),
    Case("sub_group_shuffles", of_each("i32", "f64")),
    Case(
        "histogram",
        lambda make: [make.random("i32", make.n), make.zeros("i32", 8)],
    ),
    Case(
        "last_group",
        lambda make: [
            make.random("i32", make.n),
            make.zeros("i32", make.groups),
            make.zeros("i32", 1),
            make.zeros("i32", 1),
        ],
    ),
    # Two and three dimensions.
    Case("ids", one(lambda make: make.zeros("index", 21, make.n)), BOXES),
    Case(
        "plane",
        lambda make: [
            make.random("f32", *make.size),
            make.random("f32", make.size[1]),
            make.random("f32", make.size[0]),
        ],
        PLANES,
    ),
    Case(
        "transpose_tile",
        transpose_tile,
        (Launch((16, 16), (8, 8)), Launch((24, 8), (8, 8))),
    ),
    Case("gemm_tile", gemm_tile, (Launch((8, 8), (4, 4)), Launch((12, 4), (4, 4)))),
    Case("exchange_3d", one(lambda make: make.random("i32", *make.size)), BOXES),
    # Memory.
    Case("gather_scatter", gather_scatter),
    Case(
        "butterflies",
        lambda make: [
            make.random("i32", 7, 2 * make.n + 256),
            make.random("i32", make.n + 128),
            make.zeros("i32", make.n),
        ],
    ),
    Case("reversed", of_each("i16", "i16")),
    Case(
        "columns",
        lambda make: [
            make.random("f32", 5, make.n + 3).T[2:-1],
            make.random("f32", 5, make.n).T,
        ],
    ),
    Case(
        "strides",
        lambda make: [make.random("f32", make.n * 2), make.zeros("f32", make.n * 3)],
    ),
    Case("strided_arguments", strided_arguments),
    Case("views", one(lambda make: make.random("i32", make.n, 8))),
    Case("constant_table", of_each("f32")),
    Case(
        "several_items_per_thread",
        lambda make: [make.n * 3 + 1, make.random("f32", make.n * 3 + 1)],
    ),
    Case(
        "one_row_per_item",
        lambda make: [make.random("f64", make.n, 7), make.zeros("f64", make.n)],
    ),
    Case("sparse_rows", sparse_rows),
    Case("bubble_sort", one(lambda make: make.random("i32", make.n, 5))),
    # Types.
    *(Case(f"integers_{t}", of_each(t, t, t)) for t in ("i8", "i16", "i32", "i64")),
    Case("booleans", of_each("i1", "i1", "i32")),
    *(Case(f"floats_{t}", floats(t)) for t in ("f16", "bf16", "f32", "f64")),
    Case("casts", casts),
    Case("bits", of_each("f32", "i32")),
    # Functions of numbers, and of the program.
    Case("math_exact", math("f32")),
    Case("math_f32", math("f32"), tolerance=LIBM),
    Case("math_f64", math("f64"), tolerance=LIBM),
    Case("math_under_mask", of_each("f32"), tolerance=LIBM),
    Case(
        "division_under_mask",
        lambda make: [
            make.random("i32", make.n),
            make.integers("i32", 0, 3, make.n),
        ],
    ),
    Case("functions", of_each("f32")),
    Case("function_with_barrier", of_each("i32")),
    Case(
        "vector_values",
        lambda make: [make.random("f32", make.n * 4), make.zeros("f32", make.n)],
    ),
)
