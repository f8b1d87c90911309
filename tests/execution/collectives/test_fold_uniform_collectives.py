"""A kernel computes the same with and without its collectives of uniform values."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.dialects.diagnostics import KernelError
from spmd.passes.collectives.fold_uniform_collectives import FoldUniformCollectivesPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    BOXES,
    LINES,
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

UNIFORM = """
spmd.kernel @uniform(%n: index, %b: i8, %p: i1, %out: memref<?x6xindex>, %sums: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %sx = spmd.global_size x
  %sy = spmd.global_size y
  %zy = arith.muli %z, %sy : index
  %row = arith.addi %zy, %y : index
  %start = arith.muli %row, %sx : index
  %i = arith.addi %start, %x : index
  %g = spmd.group_id x
  %v = arith.addi %g, %n : index
  %0 = spmd.reduce add %v across work_group : index
  %1 = spmd.reduce max %v across sub_group : index
  %2 = spmd.scan inclusive minui %v across work_group : index
  %3 = spmd.broadcast %v from %c0 across work_group : index
  %4 = spmd.reduce add %i across work_group : index
  %5 = spmd.scan exclusive add %v across work_group : index
  %bytes = spmd.reduce add %b across work_group : i8
  memref.store %0, %out[%i, %c0] : memref<?x6xindex>
  memref.store %1, %out[%i, %c1] : memref<?x6xindex>
  memref.store %2, %out[%i, %c2] : memref<?x6xindex>
  memref.store %3, %out[%i, %c3] : memref<?x6xindex>
  memref.store %4, %out[%i, %c4] : memref<?x6xindex>
  memref.store %5, %out[%i, %c5] : memref<?x6xindex>
  memref.store %bytes, %sums[%i] : memref<?xi8>
  spmd.return
}
"""

# Work-item l reaches the collective in iteration l.
ROUNDS = """
spmd.kernel @iterations(%out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  scf.for %iteration = %c0 to %n step %c1 {
    %mine = arith.cmpi eq, %iteration, %l : index
    scf.if %mine {
      %last = spmd.reduce max %iteration across work_group : index
      memref.store %last, %out[%i] : memref<?xindex>
    }
  }
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [3, 77, True, make.zeros("index", make.n, 6), make.zeros("i8", make.n)]


@pytest.mark.parametrize("launch", [*LINES, *PLANES, *BOXES], ids=str)
def test_uniform_values(launch: Launch):
    module = check_passes(UNIFORM, arguments, (launch,), FoldUniformCollectivesPass())
    assert collectives(module) == ["spmd.reduce", "spmd.scan"]


@pytest.mark.parametrize("launch", LINES, ids=str)
def test_iterations_of_their_own(launch: Launch):
    module = check_passes(
        ROUNDS,
        lambda make: [make.zeros("index", make.n)],
        (launch,),
        FoldUniformCollectivesPass(),
    )
    assert collectives(module) == ["spmd.reduce"]


# Lanes of a sub-group only meet in collectives of what they all have.
NO_LANES = """
spmd.kernel @no_lanes(%n: index, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %g = spmd.group_id x
  %v = arith.addi %g, %n : index
  %w = spmd.reduce max %v across sub_group : index
  %p = arith.cmpi ult, %w, %n : index
  %q = spmd.all %p across sub_group
  %r = spmd.shuffle idx %w, %c0 : index
  %s = arith.select %q, %i, %r : index
  memref.store %s, %out[%i] : memref<?xindex>
  spmd.return
}
"""


@pytest.mark.parametrize("launch", LINES, ids=str)
def test_no_sub_groups_are_left(launch: Launch):
    """`spmd-to-loops` folds before it chooses sub-group sizes: `vectorize` is free."""

    def given(make: Maker) -> list[Any]:
        return [3, make.zeros("index", make.n)]

    module = check_passes(
        NO_LANES, given, (launch,), SpmdToLoopsPass(), VectorizePass(4)
    )
    assert "spmd.sub_group_size" not in str(module)
    for vectorize in (True, False):
        check_native(NO_LANES, given, launch, vectorize=vectorize)


def test_a_collective_out_of_reach_is_an_error_with_any_value():
    """What folding would remove is checked before."""
    source = """
    spmd.kernel @low(%p: i1, %out: memref<?xi1>) {
      %c4 = arith.constant 4 : index
      %l = spmd.local_id x
      %low = arith.cmpi ult, %l, %c4 : index
      scf.if %low {
        %any = spmd.any %p across work_group
        memref.store %any, %out[%l] : memref<?xi1>
      }
      spmd.return
    }
    """
    with pytest.raises(KernelError, match=r"to reach spmd\.any, got one under scf\.if"):
        SpmdToLoopsPass().apply(make_context(), parsed(source).clone())


def collectives(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk() if op.name in ("spmd.reduce", "spmd.scan")]
