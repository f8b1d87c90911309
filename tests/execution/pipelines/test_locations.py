"""Every operation that a pass makes knows the line of the kernel that it stands for."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects import memref
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import OpResult

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.splitting.split_at_barriers import Strategy
from spmd.runtime.parsing import make_context
from tests.execution.harness import parsed

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
FILES = [
    *sorted((KERNELS / "contexts").glob("*.mlir")),
    *sorted((KERNELS / "sub_groups").glob("*.mlir")),
    *sorted((KERNELS / "control_flow").glob("*.mlir")),
    *sorted(KERNELS.rglob("last_group.mlir")),
]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
@pytest.mark.parametrize("strategy", ["auto", "continuations"])
def test_every_operation_has_a_place(path: Path, strategy: Strategy):
    module = parsed(path.read_text()).clone()
    for step in (SpmdToLoopsPass(strategy=strategy), VectorizePass(width=8)):
        step.apply(make_context(), module)
        for op in module.walk():
            if op is not module and isinstance(op.location, UnknownLoc):
                raise AssertionError(f"no place after {step.name}: {op}")


KEPT = """
spmd.kernel @kept(%x: memref<?xf32>, %y: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = memref.load %y[%i] : memref<?xf32>
  spmd.barrier
  memref.store %v, %y[%i] : memref<?xf32>
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.mark.parametrize("strategy", ["fission", "continuations"])
def test_what_keeps_a_value_stands_where_it_is_computed(strategy: Strategy):
    module = parsed(KEPT).clone()
    SpmdToLoopsPass(strategy=strategy).apply(make_context(), module)
    kept = [
        op
        for op in module.walk()
        if isinstance(op, memref.StoreOp)
        and (op.memref.name_hint or "").endswith("_context")
    ]
    assert {op.memref.name_hint for op in kept} == {"v_context", "w_context"}
    for op in kept:
        assert isinstance(op.value, OpResult)
        assert op.location == op.value.op.location
