"""
Where the time to a result goes: imports, parsing, passes and LLVM, in milliseconds.

Run with names of cases, or without for all of the suite; each is compiled in a process of
its own. Prints medians over the cases, and those passes that take more than a millisecond
somewhere. Run with `--child` and a name, prints the milliseconds of one case as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.measuring.machine import child_environment
from benchmarks.suite.case import benchmarks

STAGES = ("once", "spmd.compile", "passes", "LLVM IR", "LLVM")
"""What is always printed, beside the passes that take a millisecond."""

ROOT = Path(__file__).resolve().parents[2]


def measure(name: str) -> dict[str, float]:
    """
    Milliseconds of the processor for each stage of a case; passes by name.

    `once` is what the first kernel of a process takes longer than the next one: imports.
    """
    case = benchmarks()[name].case(small=True)
    text, launch = case.mlir_text(), case.launches[0]
    times: list[float] = []
    stages: dict[str, float] = {}
    for _ in range(2):
        start = process_time()
        stages = _stages(text, launch.kernel, launch.group_size)
        times.append(1e3 * (process_time() - start))
    first, second = times
    return {"once": first - second, **stages}


def _stages(text: str, kernel: str, group_size: tuple[int, ...]) -> dict[str, float]:
    """The same for one compilation of a kernel, from its source."""
    import spmd
    from spmd.dialects.spmd import KernelOp
    from spmd.lowering.compiling import compile_object
    from spmd.passes.pipelines.pipeline import flatten
    from spmd.runtime.arguments.sizes import Groups
    from spmd.runtime.compiling.native_code import specialised_passes
    from spmd.runtime.compiling.reading import read_source
    from spmd.runtime.compiling.unit import Unit
    from spmd.runtime.options import CompileOptions
    from spmd.runtime.parsing import make_context
    from spmd.runtime.pipeline import restrict, to_llvm

    stages: dict[str, float] = {}

    @contextmanager
    def timed(stage: str) -> Generator[None]:
        start = process_time()
        yield
        stages[stage] = stages.get(stage, 0.0) + 1e3 * (process_time() - start)

    with timed("spmd.compile"):
        spmd.compile(text)
    unit = Unit(read_source(text), CompileOptions(), None)
    op = unit.symbol(kernel)
    assert isinstance(op, KernelOp), "cases launch kernels"
    module = restrict(unit.module, op)
    x, y, z = (*group_size, 1, 1)[:3]
    context = make_context()
    for step in flatten(specialised_passes(unit, kernel, Groups.all_full((x, y, z)))):
        with timed("passes"), timed(step.name):
            step.apply(context, module)
    with timed("LLVM IR"):
        llvm_ir = to_llvm(module, None, unit.options, assertions="report")
    with timed("LLVM"):
        compile_object(llvm_ir, unit.options.machine())
    return stages


def in_child(name: str) -> dict[str, float]:
    """What `measure` says in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.overhead.stages", "--child", name],
        cwd=ROOT,
        env=child_environment(1, None, {}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def main(names: Sequence[str]) -> None:
    """Prints the medians over the cases of these names."""
    rows = [in_child(name) for name in names or benchmarks()]
    for stage in dict.fromkeys(stage for row in rows for stage in row):
        found = [row.get(stage, 0.0) for row in rows]
        if stage in STAGES or max(found) > 1:
            print(f"{stage:32} {median(found):8.1f} ms {max(found):8.1f} at most")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(measure(sys.argv[2])))
    else:
        main(sys.argv[1:])
