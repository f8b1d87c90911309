"""
Time per operation of each pass, for a small and for a large kernel with barriers.

Run as a process with a strategy (and, for kernels of other sizes, two numbers of parts);
prints microseconds per operation as JSON: for each pass those of the small and of the large
kernel.
"""

from __future__ import annotations

import json
import sys
from statistics import median
from time import perf_counter
from typing import cast

from xdsl.dialects.builtin import ModuleOp

from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.errors import SourceText
from spmd.runtime.options import Strategy
from spmd.runtime.parsing import make_context, parse

SMALL, LARGE = 8, 217
"""Parts of the two kernels: 200 and 5,000 operations."""

TILE = "memref<256xf32, #spmd.memory<local>>"

HEAD = f"""
spmd.kernel @long(%n: index, %x: memref<?xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : {TILE}
  %own = memref.alloca() : memref<4xf32>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %after = arith.addi %lid, %c1 : index
  %next = arith.remui %after, %size : index
  %flag = arith.cmpi ult, %n, %size : index
  %v0 = memref.load %x[%gid] : memref<?xf32>
  memref.store %v0, %own[%c0] : memref<4xf32>
"""

# Values of earlier parts, a private array, a loop and a branch, each around a barrier.
PART = f"""
  memref.store %v@, %tile[%lid] : {TILE}
  spmd.barrier
  %w@ = memref.load %tile[%next] : {TILE}
  %near@ = arith.cmpf olt, %w@, %v@ : f32
  %a@ = scf.if %near@ -> (f32) {{
    %m@ = arith.mulf %w@, %v@ : f32
    scf.yield %m@ : f32
  }} else {{
    scf.yield %w@ : f32
  }}
  %s@ = scf.for %i@ = %c0 to %n step %c1 iter_args(%t@ = %a@) -> (f32) {{
    spmd.barrier
    memref.store %t@, %tile[%lid] : {TILE}
    spmd.barrier
    %u@ = memref.load %tile[%next] : {TILE}
    %y@ = arith.addf %t@, %u@ : f32
    scf.yield %y@ : f32
  }}
  scf.if %flag {{
    spmd.barrier
    memref.store %s@, %own[%c0] : memref<4xf32>
  }}
  %o@ = memref.load %own[%c0] : memref<4xf32>
  %p@ = arith.addf %o@, %vOLD : f32
  %vNEW = arith.mulf %p@, %s@ : f32
  spmd.barrier
"""


def kernel(parts: int) -> ModuleOp:
    """A kernel of so many parts, one after the other."""
    text = HEAD
    for number in range(parts):
        old, new = max(0, number - 3), number + 1
        part = PART.replace("@", str(number)).replace("NEW", str(new))
        text += part.replace("OLD", str(old))
    text += f"  memref.store %v{parts}, %x[%gid] : memref<?xf32>\n  spmd.return\n}}\n"
    return parse(SourceText("long.mlir", text))


def seconds(module: ModuleOp, strategy: Strategy) -> dict[str, float]:
    """What each pass takes; `module` is not changed."""
    module = module.clone()
    context = make_context()
    sequences = (SpmdToLoopsPass(strategy=strategy), VectorizePass(width=8))
    times: dict[str, float] = {}
    for sequence in sequences:
        begin = perf_counter()
        for step in flatten((sequence,)):
            start = perf_counter()
            step.apply(context, module)
            times[step.name] = perf_counter() - start
        times[sequence.name] = perf_counter() - begin
    return times


def measure(
    strategy: Strategy,
    small: int = SMALL,
    large: int = LARGE,
    *,
    large_runs: int = 3,
) -> dict[str, list[float]]:
    """Microseconds per operation, in a small and in a large kernel of so many parts."""
    modules = [kernel(parts) for parts in (small, large)]
    counts = [sum(1 for _ in module.walk()) for module in modules]
    times: list[list[dict[str, float]]] = [[], []]
    seconds(modules[0], strategy)
    # In turns, so that a slow moment hits both; as much time for each.
    for _ in range(large_runs):
        times[1].append(seconds(modules[1], strategy))
        times[0] += [
            seconds(modules[0], strategy) for _ in range(counts[1] // counts[0])
        ]
    return {
        name: [
            1e6 * median(each[name] for each in runs) / count
            for runs, count in zip(times, counts, strict=True)
        ]
        for name in times[0][0]
    }


if __name__ == "__main__":
    parts = [int(text) for text in sys.argv[2:]]
    print(json.dumps(measure(cast(Strategy, sys.argv[1]), *parts)))
