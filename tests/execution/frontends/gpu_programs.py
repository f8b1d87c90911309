"""Running what the frontend for `gpu` takes."""

from __future__ import annotations

from typing import Any

import numpy as np

import spmd
from spmd.passes.frontends.convert_gpu_to_spmd import ConvertGpuToSpmdPass
from spmd.reference import run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

OPTIONS: list[dict[str, Any]] = [
    {},
    {"vectorize": False},
    {"width": 4},
    {"strategy": "continuations", "width": 16},
]


def f32(values: Any) -> Any:
    return np.array(values, np.float32)


def i32(values: Any) -> Any:
    return np.array(values, np.int32)


def expect(source: str, arguments: list[Any], results: list[Any]) -> None:
    """Of `main`, in the interpreter and as native code, that `results` come last."""
    module = parse(SourceText("gpu.mlir", source))
    ConvertGpuToSpmdPass().apply(make_context(), module)
    module.verify()
    runs: list[list[Any]] = []
    got = [np.zeros_like(result) for result in results]
    run_function(module, "main", [*map(np.copy, arguments), *got])
    runs.append(got)
    for options in OPTIONS:
        got = [np.zeros_like(result) for result in results]
        spmd.compile(source, **options)["main"](*map(np.copy, arguments), *got)
        runs.append(got)
    for got in runs:
        for one, wanted in zip(got, results, strict=True):
            np.testing.assert_array_equal(one, wanted)


def launch(body: str, arguments: str, block: str, grid: str = "%c1, %c1, %c1") -> str:
    """A `main` that launches `body`, with sizes of groups and of the grid."""
    b, g = block.split(", "), grid.split(", ")
    constants = "\n".join(
        f"  %c{n} = arith.constant {n} : index" for n in (0, 1, 2, 4, 5, 6, 13, 35)
    )
    return f"""
func.func @main({arguments}) {{
{constants}
  gpu.launch blocks(%bx, %by, %bz) in (%grid_x = {g[0]}, %grid_y = {g[1]}, %grid_z = {g[2]})
             threads(%tx, %ty, %tz) in (%block_x = {b[0]}, %block_y = {b[1]}, %block_z = {b[2]}) {{
{body}
    gpu.terminator
  }}
  return
}}
"""
