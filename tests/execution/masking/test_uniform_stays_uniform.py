"""
What is uniform in the source is not made varying by a later step.

Values keep their names from level 0 to level 4. A name that the source gives to one value,
of which the analysis proves for lanes of a sub-group that all active ones have the same (for
a work-group, if there are barriers: what only its sub-groups agree on needs contexts), must be that of a uniform value in each sub-group where it occurs, and of a scalar in vector
code. Beside it there may be others of the same name: what lanes left a loop with.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, VectorType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.divergence.analyze import analyze_kernel, analyze_sub_group
from spmd.dialects.compat.memory import GatherOp
from spmd.dialects.spmd import KernelOp, ReduceOp, Scope, SubGroupOp, is_sync
from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.analysis.programs import parse, values_of
from tests.execution.harness.running import content
from tests.fuzz.writing.programs import write_kernel

ROOT = Path(__file__).resolve().parents[3]
KERNELS = sorted(
    path
    for folder in ("tests/kernels", "benchmarks", "examples")
    for path in (ROOT / folder).rglob("*.mlir")
    if not {"illegal", "situations"} & {*path.parts} and path.stem != "vec4"
)
ASKED_FOR = {"structurize-control-flow", "widen-sub-groups"}
"""Before these passes something is looked at, also if nothing has changed."""
BY_ITEM = {
    "sub_groups_and_barriers": "each sub-group has its own sum in a context of the group",
    "iterations": "a view of a row that each work-item chose",
    "branches": "the same",
    "moving_row": "the same",
    "dynamic_arrays": "an array of dynamic size has no elements in inactive lanes",
    "private_sized": "the same",
    "vectors": "a vector of a work-item",
}
"""Kernels in which what is uniform in the source has to be asked of each work-item."""


def uniform_names(kernel: KernelOp) -> set[str]:
    """The names that the source gives to one value, which lanes have in common."""
    scopes = [Scope.SUB_GROUP]
    if any(map(is_sync, kernel.walk())):
        scopes.append(Scope.WORK_GROUP)
    found = [analyze_kernel(kernel, scope) for scope in scopes]
    named = [(v, v.name_hint) for v in values_of(kernel) if v.name_hint is not None]
    count = Counter(name for _, name in named)
    return {
        name
        for value, name in named
        if count[name] == 1
        and not isinstance(value.type, MemRefType | VectorType)
        and all(divergence.is_uniform(value) for divergence in found)
    }


def stages(module: ModuleOp, width: int) -> Iterator[tuple[str, ModuleOp]]:
    """The name of the pass that runs next, each time that something has changed."""
    before: list[Any] = []
    for step in flatten((SpmdToLoopsPass(), VectorizePass(width=width))):
        now = content(module)
        if step.name in ASKED_FOR or now != before:
            before = now
            yield step.name, module
        step.apply(Context(), module)
    yield "the end", module


def lost(names: set[str], root: Operation, scalars: set[SSAValue]) -> set[str]:
    """The names that occur in `root`, and none of whose values is one of `scalars`."""
    found = {v.name_hint or "" for v in values_of(root)}
    return (names & found) - {v.name_hint for v in scalars}


def check(text: str, width: int = 8) -> None:
    module = parse(text)
    names: set[str] = set()
    for step, _ in stages(module, width):
        groups = [op for op in module.walk() if isinstance(op, SubGroupOp)]
        if step == "structurize-control-flow":
            kernels = [op for op in module.walk() if isinstance(op, KernelOp)]
            names = uniform_names(kernels[0]) if len(kernels) == 1 else set()
        if any(v.name_hint == "next_sync" for v in values_of(module)):
            return  # Work-items of continuations have contexts of their own.
        for group in groups:
            divergence = analyze_sub_group(group)
            uniform = {v for v in values_of(group) if divergence.is_uniform(v)}
            assert not lost(names, group, uniform), f"varying before {step}"
    scalars = {v for v in values_of(module) if not isinstance(v.type, VectorType)}
    assert not lost(names, module, scalars), "vectors at level 4"


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_of_kernels(path: Path):
    if path.stem in BY_ITEM:
        pytest.skip(BY_ITEM[path.stem])
    for text in path.read_text().split("// -----"):
        check(text)


@pytest.mark.parametrize("seed", [*range(20), 27, 68, 72, 75, 118, 149, 256])
def test_of_random_kernels(seed: int):
    generator = random.Random(seed)
    check(write_kernel(lambda options: generator.randrange(options)).source)


@pytest.mark.parametrize("name", ["bt", "btcf", "btu", "btw", "cf1", "loop2"])
def test_no_lane_is_asked_for_what_all_have(name: str):
    """Masks add no reduction, and lanes load from one place."""
    text = (ROOT / f"benchmarks/probes/uniformity/{name}.mlir").read_text()
    ops: set[type[Operation]] = set()
    for step, module in stages(parse(text), 8):
        ops = {type(op) for op in module.walk()}
        if step == "widen-sub-groups":
            assert ReduceOp not in ops
    assert GatherOp not in ops
