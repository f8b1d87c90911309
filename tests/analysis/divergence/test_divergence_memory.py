"""What loads give: shared memory, atomics, barriers that not all reach, private arrays."""

from __future__ import annotations

import pytest

from tests.analysis.programs import Analysed


def test_load_at_a_uniform_address_is_uniform():
    k = Analysed("%v = memref.load %x[%n] : memref<?xf32>")
    assert k.shape("v") == "uniform"


def test_load_at_a_varying_address_is_varying():
    body = """
    %v = memref.load %x[%gid] : memref<?xf32>
    %j = memref.load %table[%gid] : memref<?xindex>
    %w = memref.load %x[%j] : memref<?xf32>
    """
    k = Analysed(body)
    assert [k.shape(v) for v in ("v", "j", "w")] == ["varying"] * 3
    assert k.shape("v", 1) == "uniform"


def test_a_plain_store_is_no_reason_to_distrust_a_load():
    """Work-items that read what others write at the same time have a race."""
    body = """
    memref.store %zero, %x[%gid] : memref<?xf32>
    spmd.barrier
    %v = memref.load %x[%n] : memref<?xf32>
    """
    assert Analysed(body).shape("v") == "uniform"


def test_load_of_what_an_atomic_changes_is_varying():
    body = """
    %old = spmd.atomic_rmw add %i, %counter[%c0] : memref<?xi32>
    %v = memref.load %counter[%c0] : memref<?xi32>
    %w = memref.load %x[%c0] : memref<?xf32>
    %t = memref.load %tile[%c0] : memref<8xf32, #spmd.memory<local>>
    """
    tile = "%tile = spmd.local_alloc : memref<8xf32, #spmd.memory<local>>\n"
    k = Analysed(tile + body, ", %counter: memref<?xi32>")
    # Arguments may alias; local memory is apart.
    assert (k.shape("v"), k.shape("w"), k.shape("t")) == (
        "varying",
        "varying",
        "uniform",
    )
    k = Analysed(tile + body, ", %counter: memref<?xi32> {spmd.noalias}")
    assert (k.shape("v"), k.shape("w")) == ("varying", "uniform")


UNALIGNED = """
    %mine = arith.remui %lid, %c2 : index
    scf.for %j = %c0 to %c2 step %c1 {
      %v = memref.load %x[%c0] : memref<?xf32>
      %w = memref.load %other[%c0] : memref<?xf32>
      memref.store %v, %x[%gid] : memref<?xf32>
      %now = arith.cmpi eq, %j, %mine : index
      scf.if %now {
        spmd.barrier
      }
    }
"""


def test_barriers_that_not_all_pass_in_the_same_iteration():
    """In iteration 1, half of the work-items are after the barrier and half before it."""
    k = Analysed(UNALIGNED, ", %other: memref<?xf32>")
    assert (k.shape("v"), k.shape("w")) == ("varying", "varying")
    # What the kernel does not write is the same at all times.
    k = Analysed(UNALIGNED, ", %other: memref<?xf32> {spmd.noalias}")
    assert (k.shape("v"), k.shape("w")) == ("varying", "uniform")


def test_barriers_that_all_pass_in_the_same_iteration():
    """All pass as many barriers; so those that run longer pass none at the end."""
    k = Analysed("""
    %end = arith.addi %lid, %c2 : index
    scf.for %j = %c0 to %end step %c1 {
      %v = memref.load %x[%c0] : memref<?xf32>
      memref.store %v, %x[%gid] : memref<?xf32>
      %first = arith.cmpi ult, %j, %c2 : index
      scf.if %first {
        spmd.barrier
      }
    }
    """)
    assert k.shape("v") == "uniform"


def test_barrier_in_a_branch_that_all_take():
    """A legal kernel reaches it with all work-items or with none."""
    k = Analysed("""
    %inside = arith.cmpi ult, %gid, %n : index
    scf.if %inside {
      memref.store %zero, %x[%gid] : memref<?xf32>
      spmd.barrier
      %v = memref.load %x[%c0] : memref<?xf32>
    }
    """)
    assert k.shape("v") == "uniform"


# Private memory


def private(body: str, size: str = "4") -> Analysed:
    return Analysed(f"%p = memref.alloca() : memref<{size}xindex>\n{body}")


def test_private_array_of_uniform_values():
    k = private("""
    scf.for %j = %c0 to %c4 step %c1 {
      %twice = arith.muli %j, %c2 : index
      memref.store %twice, %p[%j] : memref<4xindex>
    }
    %v = memref.load %p[%c3] : memref<4xindex>
    """)
    assert k.shape("v") == "uniform align 2"
    assert k.shape("p") == "uniform"


def test_private_array_of_varying_values():
    k = private("""
    memref.store %lid, %p[%c0] : memref<4xindex>
    %v = memref.load %p[%c0] : memref<4xindex>
    """)
    assert k.shape("v") == "contiguous align 0"
    assert k.shape("p") == "varying"
    assert k.shape("p", 1) == "uniform"


def test_private_array_at_varying_addresses():
    k = private("""
    %at = arith.remui %lid, %c4 : index
    memref.store %c8, %p[%at] : memref<4xindex>
    %v = memref.load %p[%c3] : memref<4xindex>
    """)
    assert (k.shape("v"), k.shape("p")) == ("varying", "varying")


def test_private_array_read_at_varying_addresses():
    k = private("""
    memref.store %c8, %p[%c0] : memref<4xindex>
    memref.store %c16, %p[%c1] : memref<4xindex>
    %at = arith.remui %lid, %c2 : index
    %v = memref.load %p[%at] : memref<4xindex>
    """)
    assert (k.shape("v"), k.shape("p")) == ("varying align 8", "uniform")


def test_private_store_that_some_lanes_skip():
    k = private("""
    %few = arith.cmpi slt, %lid, %n : index
    memref.store %c0, %p[%c0] : memref<4xindex>
    scf.if %few {
      memref.store %c8, %p[%c0] : memref<4xindex>
    }
    %v = memref.load %p[%c0] : memref<4xindex>
    """)
    assert (k.shape("v"), k.shape("p")) == ("varying align 8", "varying")


def test_private_store_in_a_loop_that_lanes_leave_at_different_times():
    k = private("""
    scf.for %j = %c0 to %lid step %c1 {
      memref.store %j, %p[%c0] : memref<4xindex>
    }
    %v = memref.load %p[%c0] : memref<4xindex>
    """)
    assert k.shape("v") == "varying"


LEFT = """
    %false = arith.constant false
    %some = arith.cmpi eq, %n, %m : index
    memref.store %n, %p[%c0] : memref<4xindex>
    %left = scf.while (%k = %c0) : (index) -> index {{
      %v = memref.load %p[%c0] : memref<4xindex>
      %leaves = arith.cmpi ult, %k, %lid : index
      %stays = arith.cmpi uge, %k, %lid : index
      %again = scf.if %leaves -> (i1) {{
        {leaving}
        scf.yield {out} : i1
      }} else {{
        memref.store %k, %p[%c0] : memref<4xindex>
        scf.yield %true : i1
      }}
      scf.condition({condition}) %k : index
    }} do {{
    ^bb0(%k: index):
      scf.yield %n : index
    }}
    %w = memref.load %p[%c0] : memref<4xindex>
"""


@pytest.mark.parametrize("condition", ["%again", "%stays"])
def test_private_store_of_lanes_that_run_another_iteration(condition: str):
    """Those that do not store have left; what they have is seen after the loop only."""
    body = LEFT.format(leaving="", out="%false", condition=condition)
    k = private(body)
    assert (k.shape("v"), k.shape("w")) == ("uniform", "varying")


def test_private_store_of_lanes_of_which_others_may_stay_too():
    k = private(LEFT.format(leaving="", out="%some", condition="%again"))
    assert k.shape("v") == "varying"


FLAGGED = """
    %false = arith.constant false
    memref.store %n, %p[%c0] : memref<4xindex>
    %last, %go = scf.while (%k = %c0, %on = %true) : (index, i1) -> (index, i1) {{
      {before}
      %more = arith.cmpi slt, %k, %n : index
      %both = arith.andi %more, %on : i1
      scf.condition(%both) %k, %on : index, i1
    }} do {{
    ^bb0(%k: index, %on: i1):
      %v = memref.load %p[%c0] : memref<4xindex>
      %leaves = arith.cmpi ult, %k, %lid : index
      %again = scf.if %leaves -> (i1) {{
        scf.yield %false : i1
      }} else {{
        memref.store %k, %p[%c0] : memref<4xindex>
        scf.yield %true : i1
      }}
      %next = arith.addi %k, %c1 : index
      scf.yield %next, %again : index, i1
    }}
    %w = memref.load %p[%c0] : memref<4xindex>
"""


def test_private_store_of_lanes_whose_flag_says_that_they_go_on():
    k = private(FLAGGED.format(before=""))
    assert (k.shape("v"), k.shape("w")) == ("uniform", "varying")
    asked = FLAGGED.format(before="%u = memref.load %p[%c0] : memref<4xindex>")
    assert private(asked).shape("u") == "varying"


def test_private_store_through_a_view():
    k = private("""
    %view = memref.subview %p[1] [2] [1]
        : memref<4xindex> to memref<2xindex, strided<[1], offset: 1>>
    memref.store %lid, %view[%c0] : memref<2xindex, strided<[1], offset: 1>>
    %v = memref.load %p[%c1] : memref<4xindex>
    """)
    assert k.shape("v") == "contiguous align 0"


def test_private_array_given_to_something_unknown():
    k = private("""
    memref.store %c0, %p[%c0] : memref<4xindex>
    "test.op"(%p) : (memref<4xindex>) -> ()
    %v = memref.load %p[%c0] : memref<4xindex>
    """)
    assert (k.shape("v"), k.shape("p")) == ("varying", "varying")


def test_private_array_chosen_by_a_condition():
    k = private("""
    %q = memref.alloca() : memref<4xindex>
    %few = arith.cmpi slt, %lid, %n : index
    %either = arith.select %few, %p, %q : memref<4xindex>
    memref.store %c0, %either[%c0] : memref<4xindex>
    %v = memref.load %p[%c0] : memref<4xindex>
    %w = memref.load %q[%c0] : memref<4xindex>
    """)
    assert (k.shape("v"), k.shape("w")) == ("varying", "varying")


@pytest.mark.parametrize("condition", ["%all", "%one"])
def test_private_array_that_all_choose(condition: str):
    """Each work-item has its own, whichever it is."""
    body = f"""
    %all = arith.cmpi slt, %n, %c2 : index
    %one = arith.cmpi slt, %gid, %c2 : index
    %a = memref.alloca() : memref<8xf32>
    %b = memref.alloca() : memref<8xf32>
    %w = memref.load %x[%gid] : memref<?xf32>
    memref.store %w, %a[%c0] : memref<8xf32>
    %chosen = arith.select {condition}, %a, %b : memref<8xf32>
    %v = memref.load %chosen[%c0] : memref<8xf32>
    %r = scf.if %all -> (memref<8xf32>) {{
      scf.yield %a : memref<8xf32>
    }} else {{
      scf.yield %b : memref<8xf32>
    }}
    %u = memref.load %r[%c0] : memref<8xf32>
    """
    k = Analysed(body)
    assert [k.shape(v) for v in ("chosen", "v", "r", "u")] == ["varying"] * 4


def test_private_array_that_nobody_writes():
    k = private(
        "%v = memref.load %p[%c0] : memref<4xindex>\n%w = arith.addi %v, %lid : index"
    )
    assert (k.shape("v"), k.shape("w")) == ("uniform", "contiguous wrapping")


@pytest.mark.parametrize("size", ["4", "?"])
def test_the_size_of_a_memref_is_uniform(size: str):
    dynamic = "%n" if size == "?" else ""
    k = Analysed(f"""
    %p = memref.alloca({dynamic}) : memref<{size}xindex>
    memref.store %lid, %p[%c0] : memref<{size}xindex>
    %d = memref.dim %p, %c0 : memref<{size}xindex>
    """)
    assert k.divergence.is_uniform(k.value("d"))
