"""`sub-groups-to-loops` keeps what kernels with sub-group operations compute."""

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.sub_groups_to_loops import SubGroupsToLoopsPass
from tests.execution.cases import of_each
from tests.execution.harness import Launch, check_passes

KERNEL = """
spmd.kernel @k(%x: memref<?xi32>, %y: memref<?xi32>) attributes {sub_group_size = 4 : i64} {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %p = arith.cmpi sgt, %v, %zero : i32
  %r = scf.if %p -> (i32) {
    %s = spmd.scan exclusive maxui %v across sub_group : i32
    scf.yield %s : i32
  } else {
    %s = spmd.reduce xor %v across sub_group : i32
    scf.yield %s : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("launch", [Launch((22,), (11,)), Launch((8,), (4,))], ids=str)
def test_it_keeps_the_meaning(launch: Launch):
    module = check_passes(
        KERNEL,
        of_each("i32", "i32"),
        (launch,),
        SpmdToLoopsPass(),
        SubGroupsToLoopsPass(),
    )
    assert not [op for op in module.walk() if op.name.startswith("spmd.")]
