"""Each check of the checker by itself: when it speaks, and when it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.reference.checking.findings import Report
from tests.analysis.work import calls_of

HEAD = """
  %i = spmd.global_id x
  %l = spmd.local_id x
  %g = spmd.group_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.cmpi eq, %l, %c0 : index
"""


def check(
    body: str,
    *args: Any,
    parameters: str = "%x: memref<?xi32>",
    size: int = 4,
    group: int = 4,
) -> Report:
    source = f"spmd.kernel @k({parameters}) {{{HEAD}{body}\n  spmd.return\n}}"
    arrays = args or (np.zeros(16, np.int32),)
    return spmd.check(source, *arrays, global_size=size, group_size=group)


STORE = "memref.store {}, %x[{}] : memref<?xi32>"
LOAD = "%{} = memref.load %x[{}] : memref<?xi32>"


def test_the_same_value_stored_by_several_is_a_note():
    report = check(STORE.format("%one", "%c0"))
    assert report
    assert [finding.kind for finding in report.findings] == ["same value"]
    assert "note: several work-items store the same value" in str(report)
    # ... unless somebody reads it, before or after.
    for body in (
        LOAD.format("v", "%c0") + "\n" + STORE.format("%one", "%c0"),
        STORE.format("%one", "%c0") + "\n" + LOAD.format("v", "%c0"),
    ):
        assert "race" in check(body).kinds()


def test_different_values_are_a_race_and_a_barrier_orders():
    store = "%w = arith.index_cast %l : index to i32\n" + STORE.format("%w", "%c0")
    assert check(store).kinds() == {"race"}
    ordered = f"""
  scf.if %first {{
    {STORE.format("%one", "%c0")}
  }}
  spmd.barrier
  {LOAD.format("v", "%c0")}"""
    assert not check(ordered).findings
    # Collectives order nothing.
    collective = ordered.replace(
        "spmd.barrier", "%s = spmd.reduce add %one across work_group : i32"
    )
    assert check(collective).kinds() == {"race"}
    # A barrier of the group does not reach over to the next group.
    assert check(ordered, size=8).kinds() == {"race between groups", "same value"}


def test_a_barrier_of_the_sub_group_orders_its_lanes():
    body = f"""
  {STORE.format("%one", "%i")}
  spmd.barrier sub_group
  %n = spmd.sub_group_size
  %p = spmd.lane_id
  %q = arith.addi %p, %c1 : index
  %o = arith.remui %q, %n : index
  %base = arith.subi %i, %p : index
  %at = arith.addi %base, %o : index
  {LOAD.format("v", "%at")}"""
    assert not check(body).findings
    assert check(body.replace("spmd.barrier sub_group", "")).kinds() == {"race"}


def test_atomics_race_with_plain_accesses_only():
    atomic = "%o = spmd.atomic_rmw add %one, %x[%c0] : memref<?xi32>"
    assert not check(atomic, size=8).findings
    plain = f"scf.if %first {{\n    {LOAD.format('v', '%c0')}\n  }}"
    assert check(f"{atomic}\n  {plain}").kinds() == {"race"}
    # An atomic of work-group scope promises nothing to other groups.
    scoped = atomic.replace(" : memref", " scope(work_group) : memref")
    assert not check(scoped, size=4).findings
    assert check(scoped, size=8).kinds() == {"race between groups"}


def test_a_failed_exchange_only_reads():
    body = """
  %m1 = arith.constant -1 : i32
  %o, %w = spmd.atomic_cas %m1, %one, %x[%c0] : memref<?xi32>
"""
    assert not check(body, size=8).findings
    assert check(body + LOAD.format("v", "%c0"), size=8)


def test_release_and_acquire_order_groups():
    body = """
  %w = arith.index_cast %g : index to i32
  scf.if %first {
    memref.store %w, %x[%g] : memref<?xi32>
    %c9 = arith.constant 9 : index
    %o = spmd.atomic_rmw add %one, %x[%c9] ordering(ORDER) : memref<?xi32>
    %last = arith.cmpi eq, %o, %one : i32
    scf.if %last {
      %v = memref.load %x[%c0] : memref<?xi32>
      %u = memref.load %x[%c1] : memref<?xi32>
    }
  }"""
    assert not check(body.replace("ORDER", "acq_rel"), size=8).findings
    assert not check(body.replace("ORDER", "seq_cst"), size=8).findings
    for weak in ("relaxed", "release", "acquire"):
        report = check(body.replace("ORDER", weak), size=8)
        assert report.kinds() == {"race between groups"}, weak


def test_arrays_that_overlap_are_one_memory():
    body = """
  %v = memref.load %y[%i] : memref<?xi32>
  memref.store %v, %x[%i] : memref<?xi32>"""
    parameters = "%x: memref<?xi32>, %y: memref<?xi32>"
    whole = np.arange(5, dtype=np.int32)
    assert check(body, whole[:4], whole[1:], parameters=parameters).kinds() == {"race"}
    assert not check(body, whole[:4], whole[:4], parameters=parameters).findings


def test_bytes_side_by_side_are_different_places():
    body = """
  %v = memref.load %y[%i] : memref<?xi8>
  memref.store %v, %y[%i] : memref<?xi8>
  scf.if %first {
    %w = memref.load %x[%c1] : memref<?xi32>
  }"""
    parameters = "%x: memref<?xi32>, %y: memref<?xi8>"
    x = np.zeros(2, np.int32)
    bytes_ = x.view(np.int8)
    assert not check(body, x, bytes_, parameters=parameters).findings
    shared = body.replace("%x[%c1]", "%x[%c0]")
    assert check(shared, x, bytes_, parameters=parameters).kinds() == {"race"}


@pytest.mark.parametrize("memory", ["memref.alloca()", "spmd.local_alloc"])
def test_memory_that_was_never_written(memory: str):
    space = ", #spmd.memory<local>" if "local" in memory else ""
    type_ = f"memref<4xi32{space}>"
    load = f"%a = {memory} : {type_}\n%v = memref.load %a[%l] : {type_}"
    report = check(load)
    assert report.kinds() == {"never written"}
    assert "memory %a" in str(report)
    stored = load.replace("\n", f"\nmemref.store %one, %a[%l] : {type_}\n")
    assert not check(stored).findings
    # Every execution of an alloca gives fresh memory.
    loop = """
  scf.for %j = %c0 to %c2 step %c1 {
    %a = memref.alloca() : memref<i32>
    %again = arith.cmpi eq, %j, %c1 : index
    scf.if %again {
      %v = memref.load %a[] : memref<i32>
    } else {
      memref.store %one, %a[] : memref<i32>
    }
  }"""
    assert check(loop).kinds() == {"never written"}


@pytest.mark.parametrize(
    ("make", "why"),
    [
        ("%u = arith.shli %one, %n : i32", "a shift by the width or more"),
        (
            "%big = arith.constant 1.0e20 : f32\n%u = arith.fptosi %big : f32 to i32",
            "a float that does not fit i32",
        ),
        (
            "%max = arith.constant 2147483647 : i32\n"
            "%u = arith.addi %max, %one overflow<nsw> : i32",
            "an overflow, which nsw rules out",
        ),
        (
            "%c9 = arith.constant 9 : index\n%u = spmd.shuffle idx %one, %c9 : i32",
            "a work-item that is not there was read",
        ),
    ],
)
def test_undefined_values_matter_when_they_are_used(make: str, why: str):
    head = f"%n = arith.constant 40 : i32\n{make}\n"
    unused = head + "%s = arith.select %first, %one, %u : i32"
    assert not check(unused).findings
    condition = head + "%c = arith.cmpi eq, %u, %one : i32\nscf.if %c {\n}"
    for body in (condition, head + STORE.format("%u", "%i")):
        report = check(body)
        assert report.kinds() == {"undefined value"}
        assert why in str(report)
    index = (
        head + "%at = arith.index_cast %u : i32 to index\n" + LOAD.format("v", "%at")
    )
    assert check(index).kinds() == {"undefined value"}


def test_divisions_by_zero_and_overflowing_ones():
    for a, b, words in (
        (1, 0, "division by zero"),
        (-(1 << 31), -1, "does not fit i32"),
    ):
        body = f"""
  %a = arith.constant {a} : i32
  %b = arith.constant {b} : i32
  %q = arith.divsi %a, %b : i32"""
        report = check(body)
        assert report.kinds() == {"undefined behavior"}
        assert words in str(report)


def test_a_loop_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("spmd.reference.semantics.upstream.scf.MOST_ITERATIONS", 1000)
    body = """
  %r = scf.while (%a = %one) : (i32) -> i32 {
    %v = memref.load %x[%c0] : memref<?xi32>
    %more = arith.cmpi eq, %v, %zero : i32
    scf.condition(%more) %a : i32
  } do {
  ^bb0(%a: i32):
    scf.yield %a : i32
  }"""
    report = check(body)
    assert report.kinds() == {"undefined behavior"}
    assert "still running after 1000 iterations" in str(report)


def test_faults_are_counted_and_named_once():
    report = check(LOAD.format("v", "%i"), np.zeros(2, np.int32))
    (finding,) = report.findings
    assert finding.kind == "out of bounds"
    assert finding.count == 2
    assert "[2] of global memory %x of 2 elements" in str(finding)
    assert "work-item 2 (local 2 of work-group 0)" in str(finding)


def test_a_group_that_cannot_go_on_does_not_stop_the_others():
    body = f"""
  %odd = arith.cmpi eq, %g, %c1 : index
  %skip = arith.andi %odd, %first : i1
  scf.if %skip {{
  }} else {{
    spmd.barrier
  }}
  {STORE.format("%one", "%i")}"""
    x = np.zeros(12, np.int32)
    report = check(body, x, size=12)
    assert report.kinds() == {"barrier"}
    assert x[0] == 1
    assert x[8:].tolist() == [1] * 4


def test_the_checked_interpreter_is_fast_enough():
    source = """
spmd.kernel @k(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %v = memref.load %x[%i] : memref<?xf32>
  %r = scf.for %j = %c0 to %c20 step %c1 iter_args(%a = %v) -> (f32) {
    %w = memref.load %x[%i] : memref<?xf32>
    %s = arith.mulf %a, %w : f32
    memref.store %s, %x[%i] : memref<?xf32>
    scf.yield %s : f32
  }
  spmd.return
}
"""
    items = 2000
    x = np.ones(items, np.float32)
    calls = calls_of(lambda: spmd.check(source, x, global_size=items))
    assert calls < 16 * items * 20 * 4
