"""
A fixed work-group size against any size, one thread, medians of one run.

The size is an attribute of the kernel, or given by `spmd-specialize`, or by the launch; or
it is not known when the kernel is compiled. Run as a process with an example's name; prints
seconds as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from common import load_example, medians
from sources import parsed, without_group_size
from xdsl.dialects.builtin import ModuleOp

import spmd
from spmd.dialects.spmd import KernelOp
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.runtime.parsing import make_context

EXAMPLES = ("04_group_sum", "05_gemm", "06_nbody", "07_transpose")
"""The examples whose kernels fix a size."""


def measure(name: str, *, small: bool = False, budget: float = 1.0) -> dict[str, float]:
    """Seconds of an example for each choice of who gives the size."""
    example = load_example(name)
    module = parsed(example.source)
    size = group_size(module)
    free = without_group_size(module)
    specialised = free.clone()
    SpmdSpecializePass(work_group_size=size).apply(make_context(), specialised)
    launch = example.launch(*example.small_sizes[1]) if small else example.launch()
    expected = example.expected(launch)
    calls: dict[str, Callable[[], object]] = {}
    for form, source, specialize in (
        ("attribute", module, True),
        ("pass", specialised, False),
        ("launch", free, True),
        ("any size", free, False),
    ):
        kernel = spmd.compile(source, specialize=specialize).kernels[example.kernel]
        range_ = {"global_size": launch.global_size, "group_size": size}
        mine = launch.copy()
        kernel(*mine, **range_, threads=1)
        example.check(launch, mine, expected)
        calls[form] = kernel.bind(*launch.arguments, **range_, threads=1)
    return medians(calls, budget=budget)


def group_size(module: ModuleOp) -> tuple[int, int, int]:
    """The size that the kernel of `module` fixes."""
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    assert kernel.group_size is not None, "expected a kernel that fixes its size"
    return kernel.group_size


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], small="small" in sys.argv[2:])))
