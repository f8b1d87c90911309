"""What attributes of work-group functions say, and what is said of wrong ones."""

from __future__ import annotations

import pytest
from xdsl.context import Context

from spmd.dialects.diagnostics import KernelError
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.passes.work_item_loops.interchange_loops import InterchangeLoopsPass
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse

LOOP = """
func.func @f() attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %i to %c64 step %c1 {
    }
  } {spmd.work_items = DIMENSION}
  func.return
}
"""


@pytest.mark.parametrize("step", [FormSubGroupsPass(), InterchangeLoopsPass()])
@pytest.mark.parametrize(
    "dimension", ["unit", "array<i64: 3>", "array<i64: 0, 1>", "array<f32: 0.0>"]
)
def test_dimensions_that_there_are_not(
    dimension: str, step: FormSubGroupsPass | InterchangeLoopsPass
):
    module = parse(SourceText("f.mlir", LOOP.replace("DIMENSION", dimension)))
    with pytest.raises(KernelError, match=r"expected spmd\.work_items = array<i64: D>"):
        step.apply(Context(), module)
