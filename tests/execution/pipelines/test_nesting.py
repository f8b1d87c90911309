"""What a level of nested control flow costs does not grow with how many there are."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.analysis.work import calls_of

HEAD = """
spmd.kernel @nested(%x: memref<?xi32>, %y: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %group = spmd.group_id x
  %uniform = memref.load %x[%group] : memref<?xi32>
  %varying = memref.load %x[%i] : memref<?xi32>
"""
BRANCH = """
  %v{n} = arith.addi %{before}, %one : i32
  %p{n} = arith.cmpi sgt, %{before}, %v{n} : i32
  scf.if %p{n} {{
    memref.store %v{n}, %y[%i] : memref<?xi32>
"""
LOOP = """
  %v{n} = arith.addi %{before}, %one : i32
  %n{n} = arith.index_cast %v{n} : i32 to index
  scf.for %j{n} = %c0 to %n{n} step %c1 {{
    memref.store %v{n}, %y[%j{n}] : memref<?xi32>
"""
BARRIER = BRANCH + "    spmd.barrier\n"


def nested(level: str, first: str, depth: int) -> str:
    names = [first, *(f"v{n}" for n in range(depth))]
    levels = (level.format(n=n, before=names[n]) for n in range(depth))
    return "\n".join([HEAD, *levels, "}" * depth, "spmd.return", "}"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "first"),
    [
        pytest.param(BRANCH, "varying", id="divergent branches"),
        pytest.param(BRANCH, "uniform", id="uniform branches"),
        pytest.param(LOOP, "varying", id="divergent loops"),
        pytest.param(BARRIER, "uniform", id="barriers"),
    ],
)
def test_work_grows_with_the_depth(level: str, first: str):
    calls: list[float] = []
    for depth in (8, 32):
        module = parse(SourceText("nested.mlir", nested(level, first, depth)))

        def run(module: ModuleOp = module) -> None:
            for step in (SpmdToLoopsPass(), VectorizePass(width=8)):
                step.apply(make_context(), module)

        calls.append(calls_of(run) / depth)
    # `walk` of xDSL goes through all levels for each operation.
    assert calls[1] < 1.4 * calls[0], calls
