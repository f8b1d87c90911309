"""Divergence at levels 1 to 3: work-item loops, sub-groups and masks."""

from __future__ import annotations

from xdsl.ir import Operation

from spmd.analysis.divergence.analyze import (
    Divergence,
    analyze_sub_group,
    analyze_work_items,
)
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import is_work_item_loop
from tests.analysis.programs import find, parse, value

WORK_GROUP = """
func.func @k(%n: index, %x: memref<?xf32>, %gx: index, %gy: index, %gz: index,
    %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index)
    attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1.0 : f32
  %base = arith.muli %gx, %ex overflow<nsw, nuw> : index
  %width = arith.muli %ex, %c16 : index
  BODY
  func.return
}
"""


def work_items(body: str) -> tuple[Operation, Divergence]:
    root = parse(WORK_GROUP.replace("BODY", body))
    nest = next(filter(is_work_item_loop, root.walk()))
    return root, analyze_work_items(nest)


def sub_group(body: str) -> tuple[Operation, Divergence]:
    root = parse(WORK_GROUP.replace("BODY", body))
    op = find(root, "spmd.sub_group")
    assert isinstance(op, SubGroupOp)
    return root, analyze_sub_group(op)


def texts(
    root: Operation, divergence: Divergence, *names: str, dim: int = 0
) -> list[str]:
    return [str(divergence.shape(value(root, name), dim)) for name in names]


def test_work_item_loops():
    root, divergence = work_items("""
    scf.for %ly = %c0 to %ey step %c1 {
      scf.for %lx = %c0 to %ex step %c1 {
        %i = arith.addi %base, %lx overflow<nsw, nuw> : index
        %row = arith.muli %ly, %width : index
        %j = arith.addi %row, %i : index
        %p = arith.cmpi slt, %i, %n : index
        scf.if %p {
          memref.store %one, %x[%j] : memref<?xf32>
        }
      } {spmd.work_items = array<i64: 0>}
    } {spmd.work_items = array<i64: 1>}
    """)
    assert texts(root, divergence, "lx", "i") == ["contiguous align 0", "contiguous"]
    assert texts(root, divergence, "j") == ["contiguous"]
    assert texts(root, divergence, "lx", "ly", "row", "j", dim=1) == [
        "uniform",
        "contiguous align 0",
        "varying align 16",
        "varying",
    ]
    assert texts(root, divergence, "n", "base", dim=2) == ["uniform", "uniform"]
    assert divergence.is_divergent(find(root, "scf.if"), 0)
    assert not divergence.is_divergent(find(root, "scf.if"), 1)


def test_private_and_group_memory_of_work_item_loops():
    root, divergence = work_items("""
    %group = memref.alloca() {spmd.group_memory} : memref<16xindex>
    scf.for %lx = %c0 to %ex step %c1 {
      %own = memref.alloca() : memref<4xindex>
      memref.store %lx, %own[%c0] : memref<4xindex>
      %v = memref.load %own[%c0] : memref<4xindex>
      %w = memref.load %group[%c0] : memref<16xindex>
      %u = memref.load %group[%lx] : memref<16xindex>
    } {spmd.work_items = array<i64: 0>}
    """)
    assert texts(root, divergence, "v", "w", "u") == [
        "contiguous align 0",
        "uniform",
        "varying",
    ]


def test_sub_group_with_an_aligned_first_index():
    root, divergence = sub_group("""
    scf.for %strip = %c0 to %ex step %c16 {
      spmd.sub_group (%i) shape [16] at (%strip) {
        %lane = spmd.lane_id
        %half = arith.shrui %i, %c1 : index
        %block = arith.divui %i, %c16 : index
        %p = arith.cmpi ult, %i, %c16 : index
        %q = arith.cmpi ult, %i, %n : index
      }
    }
    """)
    assert texts(root, divergence, "i", "lane") == [
        "contiguous align 16",
        "contiguous align 0",
    ]
    # No lane is across a multiple of 16 from the first.
    assert texts(root, divergence, "block", "p", "half", "q") == [
        "uniform",
        "uniform",
        "varying",
        "varying",
    ]


def test_brush_of_two_dimensions():
    root, divergence = sub_group("""
    spmd.sub_group (%i, %j) shape [8, 2] at (%c0, %c0) {
      %row = arith.muli %j, %c16 : index
      %at = arith.addi %row, %i : index
    }
    """)
    assert texts(root, divergence, "i", "j", "at") == [
        "contiguous align 0",
        "uniform",
        "contiguous align 16",
    ]
    assert texts(root, divergence, "i", "j", "at", dim=1) == [
        "uniform",
        "contiguous align 0",
        "stride 16",
    ]


def test_collectives_are_uniform_in_a_sub_group():
    root, divergence = sub_group("""
    spmd.sub_group (%i) shape [16] at (%base) count %n {
      %v = memref.load %x[%i] : memref<?xf32>
      %p = arith.cmpi ult, %i, %n : index
      %any = spmd.any %p across sub_group
      %sum = spmd.reduce add %v across sub_group : f32
      %first = spmd.broadcast %v from %c0 across sub_group : f32
      %scan = spmd.scan inclusive add %v across sub_group : f32
      %size = spmd.sub_group_size
    }
    """)
    assert texts(root, divergence, "any", "sum", "first", "scan", "size") == [
        "uniform",
        "uniform",
        "uniform",
        "varying",
        "uniform",
    ]


def test_masked():
    root, divergence = sub_group("""
    spmd.sub_group (%i) shape [16] at (%base) {
      %p = arith.cmpi ult, %i, %n : index
      %blended = spmd.masked %p -> (index) {
        spmd.yield %n : index
      } else %base : index
      %defined = spmd.masked %p -> (index) {
        %inside = arith.addi %n, %c1 : index
        spmd.yield %inside : index
      }
    }
    """)
    assert texts(root, divergence, "blended", "defined") == ["varying", "uniform"]
    assert not divergence.all_active(value(root, "inside").owner)  # type: ignore[arg-type]


def test_all_lanes_of_a_sub_group_load_at_once():
    """Even if others may change the memory meanwhile."""
    root, divergence = sub_group("""
    spmd.sub_group (%i) shape [16] at (%base) {
      %old = spmd.atomic_rmw add %one, %x[%c0] : memref<?xf32>
      %v = memref.load %x[%c0] : memref<?xf32>
    }
    """)
    assert texts(root, divergence, "old", "v") == ["varying", "uniform"]


CHOICE = """
  %undefined = ub.poison : index
  %p = arith.cmpi ult, %i, %n : index
  %some_have = scf.if %p -> (index) {
    scf.yield %undefined : index
  } else {
    %inside = arith.addi %n, %c1 : index
    scf.yield %inside : index
  }
  %two = scf.if %p -> (index) {
    scf.yield %n : index
  } else {
    %other = arith.addi %n, %c1 : index
    scf.yield %other : index
  }
"""


def test_lanes_that_have_poison_may_have_what_others_have():
    root, divergence = sub_group(
        f"spmd.sub_group (%i) shape [16] at (%base) {{ {CHOICE} }}"
    )
    assert texts(root, divergence, "some_have", "two") == ["uniform", "varying"]


def test_each_work_item_of_a_group_keeps_its_own_poison():
    """One of them may be the last to write what all have to where they keep it."""
    root, divergence = work_items(f"""
    scf.for %i = %c0 to %ex step %c1 {{ {CHOICE} }} {{spmd.work_items = array<i64: 0>}}
    """)
    assert texts(root, divergence, "some_have", "two") == ["varying", "varying"]
