"""
The prices that loops are weighed with, measured on this machine beside those that are used.

```sh
python -m benchmarks.choices.prices
python -m benchmarks.choices.prices --target x86-64-v3
```

Each is the difference between a loop with an operation and the same loop without, in cycles:
of scalar code for each time that it runs, of lanes for each register of them, of gathers and
scatters for each lane. All data is in the first cache, and no operation waits for another.
LLVM makes vectors of some of the scalar loops, which cost less than they would alone then.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from itertools import pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import spmd
from benchmarks.choices.__main__ import FORMS
from benchmarks.measuring.machine import pin_to_idlest
from spmd.dialects.interfaces.cost import CostClass
from spmd.passes.targets import (
    EQUAL_STEPS,
    LANES,
    NARROW,
    SCALAR,
    SCATTER,
    STORE,
    STRIDED,
    Target,
    target_named,
)

ITEMS, TURNS, LAUNCH = 256, 16, 16
"""Work-items of a group, iterations of the loop, and groups of a launch."""

RUNS = 100

LOOP = """
spmd.kernel @k(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi8>, %turns: index)
    attributes {{work_group_size = array<i64: 256>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %items = arith.constant 256 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %many = arith.constant 1023 : i32
  %half = arith.constant 1.5 : f32
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %end = scf.for %r = %c0 to %turns step %c1 iter_args(%sum = %zero) -> (i32) {{
    %row = arith.muli %r, %items : index
    %i = arith.addi %row, %lid : index
    %v = memref.load %x[%i] : memref<?xi32>
    {common}
    {operation}
    %next = arith.addi %sum, %{result} : i32
    scf.yield %next : i32
  }}
  memref.store %end, %y[%gid] : memref<?xi32>
  spmd.return
}}
"""

AT = """%low = arith.andi %v, %many : i32
    %at = arith.index_castui %low : i32 to index"""
FLOAT = """%masked = arith.andi %v, %many : i32
    %g = arith.sitofp %masked : i32 to f32"""
BACK = "%w = arith.bitcast %h : f32 to i32"


class Operation(NamedTuple):
    """What is measured: after `common`, which is in both loops, `text` makes `%w`."""

    name: str
    text: str
    used: tuple[float, float]
    """The prices of scalar code, and of lanes."""
    common: str = ""
    without: str = "v"
    """The name of what is summed up without the operation."""
    times: int = 1
    per_lane: bool = False


def _of(name: str, cost: CostClass, text: str, **rest: Any) -> Operation:
    return Operation(name, text, (SCALAR[cost], LANES[cost]), **rest)


def _chain(count: int) -> str:
    names = ["v", *(f"s{k}" for k in range(count - 1)), "w"]
    return "\n".join(
        f"%{new} = arith.{('addi', 'xori')[k % 2]} %{old}, "
        f"%{('seven', 'three', 'three', 'three')[k % 4]} : i32"
        for k, (old, new) in enumerate(pairwise(names))
    )


def _loaded(array: str, type_: str) -> str:
    return f"%w0 = memref.load {array} : {type_}\n%w = arith.addi %w0, %v : i32"


def _step(step: int) -> str:
    return f"""%k = arith.constant {step} : index
    %j0 = arith.muli %lid, %k : index
    %j = arith.addi %j0, %r : index"""


def _strided(step: int) -> Operation:
    used = SCALAR[CostClass.MEMORY], STRIDED * step
    text = f"{_step(step)}\n{_loaded('%y[%j]', 'memref<?xi32>')}"
    return Operation(f"load of stride {step}", text, used)


def operations(target: Target) -> tuple[Operation, ...]:
    """What is measured, with the prices that `target` has."""
    load, narrow = SCALAR[CostClass.MEMORY], target.gather + NARROW
    at: dict[str, Any] = {"common": AT, "without": "low", "per_lane": True}
    float_: dict[str, Any] = {"common": FLOAT, "without": "masked"}
    stored = "%w = arith.addi %v, %one : i32"
    return (
        _of("simple", CostClass.SIMPLE, _chain(8), times=8),
        _of(
            "constant division",
            CostClass.CONSTANT_DIVISION,
            "%w = arith.divui %v, %seven : i32",
        ),
        _of(
            "integer division",
            CostClass.INTEGER_DIVISION,
            "%d = arith.ori %v, %one : i32\n%w = arith.divui %many, %d : i32",
        ),
        _of(
            "division of floats",
            CostClass.SLOW,
            f"%h = arith.divf %half, %g : f32\n{BACK}",
            **float_,
        ),
        _of("sine", CostClass.LIBRARY, f"%h = math.sin %g : f32\n{BACK}", **float_),
        _of(
            "load",
            CostClass.MEMORY,
            f"{_step(1)}\n{_loaded('%y[%j]', 'memref<?xi32>')}",
        ),
        *map(_strided, (2, 4, 8)),
        Operation(
            "gather", _loaded("%y[%at]", "memref<?xi32>"), (load, target.gather), **at
        ),
        Operation(
            "gather of stride 15",
            f"{_step(15)}\n{_loaded('%y[%j]', 'memref<?xi32>')}",
            (load, EQUAL_STEPS * target.gather),
            per_lane=True,
        ),
        Operation(
            "gather of 8 bits",
            "%w1 = memref.load %z[%at] : memref<?xi8>\n%w2 = arith.extui %w1 : i8 to i32\n"
            "%w = arith.addi %w2, %v : i32",
            (load, narrow),
            **at,
        ),
        Operation(
            "scatter",
            f"memref.store %v, %y[%at] : memref<?xi32>\n{stored}",
            (STORE, SCATTER),
            **at,
        ),
        Operation(
            "scatter of stride 2",
            f"{_step(2)}\nmemref.store %v, %y[%j] : memref<?xi32>\n{stored}",
            (STORE, SCATTER),
            per_lane=True,
        ),
        _of(
            "atomic addition",
            CostClass.ATOMIC,
            "%w = spmd.atomic_rmw add %v, %y[%at] : memref<?xi32>",
            **at,
        ),
    )


def nanoseconds(
    operation: Operation, with_it: bool, target: str, form: Mapping[str, Any]
) -> float:
    """What one iteration of one work-item takes, in a form of code for `target`."""
    text = LOOP.format(
        common=operation.common,
        operation=operation.text if with_it else "",
        result="w" if with_it else operation.without,
    )
    kernel = spmd.compile(text, target=target, **form).kernels["k"]
    random = np.random.default_rng(1)
    x = random.integers(1, 1 << 30, ITEMS * TURNS, np.int32)
    x = (x & ~1023) | (np.arange(x.size, dtype=np.int32) * 389 & 1023)
    y, z = np.zeros(ITEMS * TURNS, np.int32), np.zeros(1024, np.int8)
    size = ITEMS * LAUNCH
    launch = kernel.bind(x, y, z, TURNS, global_size=size, group_size=ITEMS, threads=1)
    best = float("inf")
    for _ in range(RUNS):
        start = perf_counter()
        launch()
        best = min(best, perf_counter() - start)
    return 1e9 * best / (size * TURNS)


def cycle() -> float:
    """Nanoseconds of a cycle: operations that wait for each other take one each."""
    step = "\n".join(
        f"%{new} = arith.{kind} %{old}, %c13 : i64\n%{new}x = arith.xori %{old}, %{new} : i64"
        for kind, old, new in (
            ("shli", "v", "a"),
            ("shrui", "ax", "b"),
            ("shli", "bx", "c"),
        )
    )
    text = f"""
spmd.kernel @k(%y: memref<?xi64>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100000 : index
  %c13 = arith.constant 13 : i64
  %start = memref.load %y[%c0] : memref<?xi64>
  %end = scf.for %r = %c0 to %n step %c1 iter_args(%v = %start) -> (i64) {{
    {step}
    scf.yield %cx : i64
  }}
  memref.store %end, %y[%c0] : memref<?xi64>
  spmd.return
}}
"""
    kernel = spmd.compile(text, vectorize=False).kernels["k"]
    launch = kernel.bind(np.ones(1, np.int64), global_size=1, threads=1)
    best = float("inf")
    for _ in range(RUNS):
        start = perf_counter()
        launch()
        best = min(best, perf_counter() - start)
    return 1e9 * best / (6 * 100000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choices.prices")
    parser.add_argument("names", nargs="*", default=["*"], help="names or patterns")
    parser.add_argument("--target", default="host", help="what code is made for")
    options = parser.parse_args(arguments)
    target = target_named(options.target)
    pin_to_idlest()
    unit = cycle()
    print(f"a cycle takes {unit:.3f} ns")
    print(f"{'':20}{'scalar':>16}{'lanes':>18}\n{'':20}" + "  measured    used" * 2)
    for operation in operations(target):
        if not any(fnmatch(operation.name, pattern) for pattern in options.names):
            continue
        line = f"{operation.name:20}"
        lanes = 1 if operation.per_lane else target.register_bits // 32
        for form, used, share in zip(
            FORMS.values(), operation.used, (1, lanes), strict=True
        ):
            both = [
                nanoseconds(operation, on, options.target, form) for on in (True, False)
            ]
            cycles = (both[0] - both[1]) / unit / operation.times * share
            line += f"{cycles:10.2f}{used:8.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
