"""Explanations of the examples and of many kernels: none fails, and sums are right."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import spmd
from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.spmd import KernelOp
from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.runtime.compiling.reading import read_file
from spmd.runtime.explanation.explanation import JSON_VERSION
from spmd.runtime.explanation.facts import KernelFacts
from spmd.runtime.parsing import make_context
from spmd.runtime.pipeline import module_of

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
KERNELS = [
    next((ROOT / "tests" / "kernels").rglob(f"{name}.mlir"))
    for name in (
        "barrier_in_nested_loops",
        "blocks_several_returns",
        "bubble_sort",
        "continuations/iterations_between",
        "exchange_3d",
        "gather_scatter",
        "group_collectives",
        "local_from_launch",
        "math_f64",
        "private_across_barrier",
        "sub_group_divergent",
        "values_across_barriers",
        "while_divergent",
    )
]

OPTIONS: list[dict[str, Any]] = [
    {"width": 8},
    {},
    {"width": 4, "strategy": "continuations"},
    {"vectorize": False},
]


def check(facts: KernelFacts) -> None:
    sizes = [context.bytes for context in facts.contexts]
    assert None not in sizes
    assert facts.context_bytes == sum(size or 0 for size in sizes)
    for loop in facts.loops:
        counts = loop.accesses
        costly = [access.kind for access in loop.costly]
        for kind in ("reversed", "strided", "gather", "scatter"):
            assert (getattr(counts, kind) > 0) == (kind in costly)
        assert counts.uniform >= 0
        assert counts.contiguous >= 0
        assert loop.lanes > 1 or (loop.why_lanes and not costly)


EXPLAINED = [
    pytest.param(path, options, id=f"{path.stem}-{options}")
    for number, path in enumerate((*EXAMPLES, *KERNELS))
    for options in OPTIONS[number % 2 :: 2]
]
"""Each kernel meets every other of the options."""


@pytest.mark.parametrize(("path", "options"), EXPLAINED)
def test_kernels_are_explained(path: Path, options: dict[str, Any]):
    program = spmd.compile(path, **options)
    explanation = program.explain()
    assert [facts.name for facts in explanation.kernels] == list(program.kernels)
    for facts in explanation.kernels:
        check(facts)
    assert str(explanation) == str(program.explain()), "not the same twice"
    assert f"kernel @{explanation.kernels[0].name} at {path}:" in str(explanation)
    read: Mapping[str, Any] = json.loads(explanation.to_json())
    assert read["version"] == JSON_VERSION
    assert [kernel["name"] for kernel in read["kernels"]] == list(program.kernels)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_the_width_changes_nothing_but_lanes(path: Path):
    def without_lanes(width: int) -> list[object]:
        (facts,) = spmd.compile(path, width=width).explain().kernels
        accesses = [(loop.lines, loop.divergent, loop.costly) for loop in facts.loops]
        return [facts.contexts, facts.slots, facts.local_bytes, *accesses]

    assert without_lanes(8) == without_lanes(16)


def test_a_kernel_without_places():
    sys.path.append(str(ROOT / "examples"))
    module: ModuleOp = import_module("08_python_kernel").EXAMPLE.module()
    explanation = spmd.compile(module, width=16).explain()
    (facts,) = explanation.kernels
    assert facts.place is None
    assert [loop.lines for loop in facts.loops] == [None]
    assert str(explanation).startswith("kernel @polynomial\n")
    json.loads(explanation.to_json())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_example_keeps_a_uniform_value_or_an_id(path: Path):
    """Everything in a context of an example is varying, and no id or sum of ids."""
    module = module_of(read_file(path))
    HoistIdsPass().apply(make_context(), module)
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    for facts in spmd.compile(path, width=8).explain().kernels:
        divergence = analyze_kernel(kernels[facts.name])
        values = [
            value
            for op in kernels[facts.name].walk()
            for value in (
                *op.results,
                *(
                    arg
                    for region in op.regions
                    for b in region.blocks
                    for arg in b.args
                ),
            )
        ]
        for context in facts.contexts:
            for name in {context.name, *context.values}:
                kept = [value for value in values if value.name_hint == name]
                assert kept, f"expected a value %{name} in the source"
                for value in kept:
                    shapes = [
                        divergence.shape(value, d) for d in range(divergence.dimensions)
                    ]
                    assert any(shape.is_varying for shape in shapes), f"%{name}"


def test_a_host_function_explains_what_it_launches():
    source = """
spmd.kernel @one(%x: memref<?xf32>) { spmd.return }
spmd.kernel @other(%x: memref<?xf32>) { spmd.return }
func.func @host(%x: memref<?xf32>) {
  %c8 = arith.constant 8 : index
  spmd.launch @other global(%c8) of(%c8) (%x) : memref<?xf32>
  func.return
}
"""
    program = spmd.compile(source)
    names = [k.name for k in program.host_functions["host"].explain().kernels]
    assert names == ["other"]
    with pytest.raises(spmd.LaunchError, match="expected no group_size"):
        program.host_functions["host"].explain(group_size=8)
    assert [k.name for k in program.explain().kernels] == ["one", "other"]
    text = str(program.explain())
    assert text.count("none: everything runs once per work-group") == 2


def test_errors_are_those_of_compiling():
    source = """
spmd.kernel @k(%x: memref<?xindex>) {
  func.call @again() : () -> ()
  spmd.return
}
func.func private @again() {
  spmd.barrier
  func.call @again() : () -> ()
  func.return
}
"""
    kernel = spmd.compile(source).kernels["k"]
    with pytest.raises(spmd.CompileError, match="@again"):
        kernel.explain()
    with pytest.raises(spmd.LaunchError, match="group_size"):
        kernel.explain(group_size=-1)


def test_arrays_that_are_given():
    """Whether they overlap decides whether a store may be moved past a load."""
    text = """
spmd.kernel @swap(%x: memref<?x2xf32>, %y: memref<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %a = memref.load %x[%i, %c0] : memref<?x2xf32>
  memref.store %a, %y[%i, %c1] : memref<?x2xf32>
  %b = memref.load %x[%i, %c1] : memref<?x2xf32>
  memref.store %b, %y[%i, %c0] : memref<?x2xf32>
  spmd.return
}
"""
    kernel = spmd.compile(text, width=8).kernels["swap"]
    numbers = np.zeros((65, 2), np.float32)

    def scatters(*arrays: np.ndarray, **sizes: int) -> int:
        (facts,) = kernel.explain(*arrays, **sizes).kernels
        return sum(loop.accesses.scatter for loop in facts.loops)

    apart, overlapping = (numbers, numbers.copy()), (numbers[1:], numbers[:-1])
    for sizes in ({"global_size": 64}, {"group_size": 64}):
        assert scatters(*apart, **sizes) == 0
        assert scatters(*overlapping, **sizes) == scatters(**sizes) == 2
    with pytest.raises(spmd.LaunchError, match="argument 0"):
        kernel.explain(numbers[0], numbers, global_size=1)
