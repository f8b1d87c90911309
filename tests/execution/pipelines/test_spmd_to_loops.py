"""Level 1 of whole kernels: how much work they are, determinism, names and locations."""

from pathlib import Path

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import Operation

from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.analysis.work import calls_of

ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted(
    (
        *(ROOT / "examples").glob("*.mlir"),
        *(ROOT / "tests" / "kernels" / "barriers").glob("*.mlir"),
    )
)


def lowered(source: str) -> ModuleOp:
    module = parse(SourceText("kernel.mlir", source))
    SpmdToLoopsPass().apply(make_context(), module)
    module.verify()
    return module


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_level_1(path: Path):
    source = path.read_text()
    module = lowered(source)
    assert str(module) == str(lowered(source)), "the result is the same every time"
    for op in module.walk():
        assert not op.name.startswith("spmd."), "no operation of level 0 is left"
        if not isinstance(op, ModuleOp):
            assert isinstance(op.location, FileLineColLoc), f"lost where {op} stood"
    for function in module.ops:
        assert_tidy(function)


def assert_tidy(function: Operation) -> None:
    """No dead constants, and none twice."""
    constants = [op for op in function.walk() if isinstance(op, arith.ConstantOp)]
    seen = {(op.value, op.result.type) for op in constants}
    assert len(seen) == len(constants), f"{function}"
    assert all(op.result.uses for op in constants), f"{function}"


def test_a_sequence_is_its_steps():
    source = SOURCES[0].read_text()
    module = parse(SourceText("kernel.mlir", source))
    for step in flatten((SpmdToLoopsPass(),)):
        step.apply(make_context(), module)
    assert str(module) == str(lowered(source))


def long_kernel(barriers: int) -> str:
    """Eight operations for each barrier, with values that live through all of them."""
    body = "\n".join(
        f"""
  memref.store %v{k}, %tile[%lid] : memref<256xf32, #spmd.memory<local>>
  spmd.barrier
  %o{k} = arith.addi %lid, %c1 : index
  %w{k} = arith.remui %o{k}, %size : index
  %l{k} = memref.load %tile[%w{k}] : memref<256xf32, #spmd.memory<local>>
  %p{k} = arith.mulf %l{k}, %v0 : f32
  %v{k + 1} = arith.addf %p{k}, %v{k} : f32
  spmd.barrier"""
        for k in range(barriers)
    )
    return f"""
spmd.kernel @long(%x: memref<?xf32>) {{
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %size = spmd.local_size x
  %tile = spmd.local_alloc : memref<256xf32, #spmd.memory<local>>
  %v0 = memref.load %x[%gid] : memref<?xf32>{body}
  memref.store %v{barriers}, %x[%gid] : memref<?xf32>
  spmd.return
}}
"""


@pytest.mark.slow
def test_work_grows_with_the_kernel():
    """Linear in practice."""
    calls: list[float] = []
    for barriers in (25, 150):
        module = parse(SourceText("kernel.mlir", long_kernel(barriers)))
        run = SpmdToLoopsPass()
        calls.append(calls_of(lambda: run.apply(make_context(), module)) / barriers)
    assert calls[1] < 1.25 * calls[0], calls
