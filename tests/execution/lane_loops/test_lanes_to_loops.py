"""`lanes-to-loops` keeps what control flow of a sub-group computes."""

from typing import Any

import pytest

from spmd.passes.lane_loops.lanes_to_loops import LanesToLoopsPass
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.cases import CASES, Case
from tests.execution.harness import BOXES, PLANES, Launch, Maker, check_passes
from tests.execution.sub_groups.test_reshape_groups import STEPS, steps

NAMES = (
    "bubble_sort",
    "do_while",
    "escape_time",
    "for_divergent",
    "if_nested",
    "index_switch",
    "loops_divergent_nested",
    "private_in_loop",
    "sparse_rows",
)


@pytest.mark.parametrize("case", [c for c in CASES if c.name in NAMES], ids=str)
def test_it_keeps_the_meaning(case: Case):
    """Also of kernels that have no sub-group operation."""
    check_passes(
        case.source,
        case.arguments,
        (case.launches[-1],),
        SpmdToLoopsPass(),
        FormSubGroupsPass(width=8),
        MaskDivergencePass(),
        LanesToLoopsPass(),
        tolerance=case.tolerance,
    )


@pytest.mark.parametrize("shape", [(4, 2), (1, 8), (2, 2, 2)], ids=str)
def test_lanes_along_several_dimensions(shape: tuple[int, ...]):
    check_passes(
        STEPS,
        steps,
        (*PLANES, *BOXES),
        SpmdToLoopsPass(),
        FormSubGroupsPass(shape=shape),
        MaskDivergencePass(),
        LanesToLoopsPass(),
    )


LAST_OF_A_LOOP = """
spmd.kernel @last_of_a_loop(%x: memref<?xi64>, %y: memref<?xi32>) attributes {work_group_size = array<i64: 16>, sub_group_size = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %item = arith.index_cast %i : index to i32
  %v = memref.load %x[%i] : memref<?xi64>
  %low = arith.andi %l, %c3 : index
  %trips = arith.addi %low, %c2 : index
  %last = scf.for %j = %c0 to %trips step %c1 iter_args(%old = %item) -> (i32) {
    %early = arith.cmpi ult, %j, %c2 : index
    scf.if %early {
      spmd.barrier
    }
    %sum = spmd.scan exclusive add %v across sub_group : i64
    scf.yield %item : i32
  }
  memref.store %last, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("size", [1, 8, 15, 16])
def test_lanes_that_do_not_exist_share_nothing(size: int):
    """The distance of two ids is the same in all lanes that have ids."""

    def arguments(make: Maker) -> list[Any]:
        return [make.range("i64", make.n), make.zeros("i32", make.n)]

    check_passes(
        LAST_OF_A_LOOP,
        arguments,
        (Launch((32 + size,), (16,)),),
        SpmdToLoopsPass(strategy="continuations"),
        FormSubGroupsPass(width=16),
        MaskDivergencePass(),
        LanesToLoopsPass(),
    )


VECTORS_OF_ITEMS = """
spmd.kernel @vectors_of_items(%x: memref<?xi32>, %y: memref<?xi32>) attributes {work_group_size = array<i64: 16>, sub_group_size = 8 : i64} {
  %c3 = arith.constant 3 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %small = arith.cmpi slt, %v, %c3 : i32
  %pair = scf.if %small -> (vector<2xi32>) {
    %a = vector.broadcast %v : i32 to vector<2xi32>
    scf.yield %a : vector<2xi32>
  } else {
    %b = vector.broadcast %c3 : i32 to vector<2xi32>
    scf.yield %b : vector<2xi32>
  }
  %one = vector.extract %pair[1] : i32 from vector<2xi32>
  %sum = spmd.reduce add %one across sub_group : i32
  %other = vector.extract %pair[0] : i32 from vector<2xi32>
  %all = arith.muli %sum, %other : i32
  memref.store %all, %y[%i] : memref<?xi32>
  spmd.return
}
"""


PARALLEL = """
spmd.kernel @parallel(%x: memref<?xi32>, %y: memref<?xi32>) attributes {work_group_size = array<i64: 16>, sub_group_size = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %n = arith.remui %i, %c3 : index
  %odd = arith.trunci %v : i32 to i1
  %lane = spmd.lane_id
  %sum = scf.if %odd -> (i32) {
    %found = scf.parallel (%j, %k) = (%c0, %c0) to (%n, %c3) step (%c1, %c1) init (%v) -> i32 {
      %both = arith.muli %j, %lane : index
      %at = arith.addi %both, %k : index
      %w = arith.index_cast %at : index to i32
      scf.reduce (%w : i32) {
      ^bb0(%a: i32, %b: i32):
        %c = arith.addi %a, %b : i32
        scf.reduce.return %c : i32
      }
    }
    scf.yield %found : i32
  } else {
    scf.yield %v : i32
  }
  %all = spmd.reduce add %sum across sub_group : i32
  %own = arith.addi %all, %sum : i32
  memref.store %own, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("source", [VECTORS_OF_ITEMS, PARALLEL], ids=["vector", "loop"])
def test_what_single_lanes_do_comes_out_of_a_branch(source: str):
    def arguments(make: Maker) -> list[Any]:
        return [make.range("i32", make.n), make.zeros("i32", make.n)]

    check_passes(
        source,
        arguments,
        (Launch((16,), (16,)), Launch((13,), (16,))),
        SpmdToLoopsPass(),
        FormSubGroupsPass(width=8),
        MaskDivergencePass(),
        LanesToLoopsPass(),
    )
