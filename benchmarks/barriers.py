"""
What barriers cost: the sum of each group of 256, one thread, medians of one run.

The tree of `examples/04_group_sum.mlir` under both strategies, a collective that does the
same, and the tree in C, split at its barriers by hand. Run as a process with the number of
elements and `fixed` (the size of the groups is a constant) or `any` (it is not known before
the launch); prints seconds as JSON, without `C` if there is no C compiler.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from ctypes import c_long, c_void_p

from common import load_example, medians
from hand_written import compile_c
from sources import parsed, without_group_size
from xdsl.dialects.builtin import ModuleOp

import spmd
from spmd.runtime.options import Strategy

GROUP = 256

REDUCE = """
spmd.kernel @group_sum(%x: memref<?xf32>, %out: memref<?xf32>)
    attributes {work_group_size = array<i64: 256>} {
  %c0 = arith.constant 0 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  %sum = spmd.reduce add %v across work_group : f32
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {
    memref.store %sum, %out[%group] : memref<?xf32>
  }
  spmd.return
}
"""

C = """
void group_sum(const float *x, float *out, long n, long group_size) {
  for (long group = 0; group * SIZE < n; group++) {
    float tile[256];
    long rest = n - group * SIZE, size = rest < SIZE ? rest : SIZE;
    for (long l = 0; l < size; l++)
      tile[l] = x[group * SIZE + l];
    for (long s = 128; s > 0; s >>= 1)
      for (long l = 0; l < s; l++)
        if (l + s < size)
          tile[l] += tile[l + s];
    out[group] = tile[0];
  }
}
"""


def measure(n: int, *, fixed: bool, budget: float = 1.0) -> dict[str, float]:
    """Seconds of each form for `n` elements."""
    example = load_example("04_group_sum")
    launch = example.launch(n)
    x, out = launch.arguments
    expected = example.expected(launch)
    forms: dict[str, tuple[ModuleOp, Strategy]] = {
        "fission": (parsed(example.source), "fission"),
        "continuations": (parsed(example.source), "continuations"),
        "reduce": (parsed(REDUCE), "auto"),
    }
    calls: dict[str, Callable[[], object]] = {}
    for name, (module, strategy) in forms.items():
        if not fixed:
            module = without_group_size(module)
        program = spmd.compile(module, strategy=strategy, specialize=fixed)
        kernel = program.kernels["group_sum"]
        calls[name] = kernel.bind(x, out, global_size=n, group_size=GROUP, threads=1)
    library = compile_c(C.replace("SIZE", str(GROUP) if fixed else "group_size"))
    if library is not None:
        arguments = (c_void_p(x.ctypes.data), c_void_p(out.ctypes.data))
        function = library.group_sum
        calls["C"] = lambda: function(*arguments, c_long(n), c_long(GROUP))
    for call in calls.values():
        out[:] = 0
        call()
        example.check(launch, launch.arguments, expected)
    return medians(calls, budget=budget, repeats=15)


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), fixed=sys.argv[2] == "fixed")))
