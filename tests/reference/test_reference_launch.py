"""Launches of host functions in the reference interpreter."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from spmd.reference import UndefinedBehavior, run_function
from spmd.reference.interpreter import Interpreter
from spmd.runtime.parsing import make_context

KERNELS = """
spmd.kernel @count(%sizes: memref<?xindex>, %total: memref<2xindex>,
    %tile: memref<?x2xindex, #spmd.memory<local>>) {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %g = spmd.group_id x
  %n = spmd.local_size x
  memref.store %n, %sizes[%g] : memref<?xindex>
  %old = spmd.atomic_rmw add %one, %total[%c0] : memref<2xindex>
  %length = memref.dim %tile, %c0 : memref<?x2xindex, #spmd.memory<local>>
  %more = spmd.atomic_rmw max %length, %total[%one] : memref<2xindex>
  spmd.return
}
spmd.kernel @fixed(%sizes: memref<?xindex>, %total: memref<2xindex>)
    attributes {work_group_size = array<i64: 2, 3>} {
  %one = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %g = spmd.group_id x
  %n = spmd.local_size y
  memref.store %n, %sizes[%g] : memref<?xindex>
  %old = spmd.atomic_rmw add %one, %total[%c0] : memref<2xindex>
  spmd.return
}
"""


def hosting(launches: str) -> ModuleOp:
    """The kernels, and a host function with these launches."""
    module = Parser(
        make_context(),
        f"""{KERNELS}
func.func @host(%n: index, %m: index, %sizes: memref<?xindex>, %total: memref<2xindex>) {{
  {launches}
  func.return
}}""",
    ).parse_module()
    module.verify()
    return module


COUNT = "(%sizes, %total, local(%m)) : memref<?xindex>, memref<2xindex>, memref<?x2xindex, #spmd.memory<local>>"
FIXED = "(%sizes, %total) : memref<?xindex>, memref<2xindex>"


def run(launches: str, n: int, m: int) -> tuple[list[int], int, int]:
    """The sizes of the groups, the work-items, and the length of local memory."""
    sizes, total = np.zeros(4, np.int64), np.zeros(2, np.int64)
    run_function(hosting(launches), "host", [n, m, sizes, total])
    return sizes.tolist(), int(total[0]), int(total[1])


def test_so_many_work_items():
    launch = f"spmd.launch @count global(%n) of(%m) {COUNT}"
    assert run(launch, 10, 4) == ([4, 4, 2, 0], 10, 4)


def test_whole_groups():
    launch = f"spmd.launch @count groups(%n) of(%m) {COUNT}"
    assert run(launch, 3, 4) == ([4, 4, 4, 0], 12, 4)


def test_kernel_that_fixes_its_size():
    launch = f"spmd.launch @fixed global(%n, %m) {FIXED}"
    assert run(launch, 3, 2) == ([2, 2, 0, 0], 6, 0)


def test_launches_run_in_order():
    launches = f"""spmd.launch @fixed groups(%m) {FIXED}
  spmd.launch @count global(%n) of(%n) {COUNT}"""
    assert run(launches, 2, 2) == ([2, 3, 0, 0], 14, 2)


def test_nothing_to_do():
    launch = f"spmd.launch @count global(%n) of(%m) {COUNT}"
    assert run(launch, 0, 4) == ([0, 0, 0, 0], 0, 0)


@pytest.mark.parametrize(
    ("launch", "n", "m", "message"),
    [
        (f"@count global(%n) of(%m) {COUNT}", -1, 4, "negative size"),
        (f"@count global(%n) of(%m) {COUNT}", 4, 0, "at least one work-item"),
        (f"@count global(%n) of(%n) {COUNT}", 4, -1, "negative size"),
        (f"@fixed groups(%n) of(%n, %m) {FIXED}", 2, 2, r"groups of \(2, 3, 1\)"),
    ],
)
def test_impossible_sizes(launch: str, n: int, m: int, message: str):
    with pytest.raises(UndefinedBehavior, match=message):
        run(f"spmd.launch {launch}", n, m)


def test_each_version_of_a_work_group_has_scratch_memory_of_its_size():
    ids = ", ".join(f"%{n}{d}: index" for n in "gen" for d in "xyz")
    source = f"""
func.func @k(%x: memref<?xi8>, {ids}) attributes {{spmd.work_group_function}} {{
  %zero = arith.constant 0 : i8
  memref.store %zero, %x[%gx] : memref<?xi8>
  func.return
}}
func.func @k.full(%x: memref<?xi8>, {ids}, %scratch: memref<?xi8>)
    attributes {{spmd.work_group_function}} {{
  %c0 = arith.constant 0 : index
  %size = memref.dim %scratch, %c0 : memref<?xi8>
  %byte = arith.index_cast %size : index to i8
  memref.store %byte, %x[%gx] : memref<?xi8>
  func.return
}}
func.func @k.full.scratch_bytes(%ex: index, %ey: index, %ez: index) -> index {{
  func.return %ex : index
}}"""
    module = Parser(make_context(), source).parse_module()
    x = np.full(3, 9, np.int8)
    Interpreter(module).run_work_groups("k", [x], global_size=10, group_size=4)
    assert x.tolist() == [4, 4, 0]
