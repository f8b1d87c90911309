"""What an explanation says of work-item loops: lanes, masks, accesses, calls."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

import spmd
from spmd.lowering.machine import PORTABLE, host_machine
from spmd.runtime.explanation.facts import Accesses, KernelFacts, Loop


def explain(body: str, **options: object) -> KernelFacts:
    """What becomes of a kernel with some arrays and groups of 64 work-items."""
    size: object = options.pop("group_size", 64)
    source = f"""spmd.kernel @k(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %m: memref<?x?xf32>, %p: memref<?xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
{body}
  spmd.return
}}"""
    options.setdefault("width", 16)
    kernel = spmd.compile(source, **options).kernels["k"]  # pyright: ignore[reportArgumentType]
    (facts,) = kernel.explain(group_size=size).kernels  # pyright: ignore[reportArgumentType]
    return facts


def loop_of(body: str, **options: object) -> Loop:
    (loop,) = explain(body, **options).loops
    return loop


def text_of(body: str, **options: object) -> str:
    """The text about it, without line breaks."""
    return " ".join(str(spmd.Explanation((explain(body, **options),))).split())


LOAD = "  %v = memref.load %x[%gid] : memref<?xf32>\n"
STORE = "  memref.store %v, %y[%gid] : memref<?xf32>"


def test_a_loop_that_cannot_be_better():
    loop = loop_of(LOAD + STORE)
    assert (loop.lanes, loop.why_lanes) == (16, "width=16")
    assert loop.lines == (6, 7)
    assert loop.accesses == Accesses(contiguous=2)
    assert loop.is_good
    assert "1 in lanes, every access uniform or contiguous" in text_of(LOAD + STORE)


def test_fewer_lanes_where_there_are_fewer_work_items():
    loop = loop_of(LOAD + STORE, group_size=6)
    assert (loop.lanes, loop.why_lanes) == (8, "there are not more work-items")


@pytest.mark.parametrize(("result", "registers"), [("absf", 4), ("sin", 2)])
def test_automatic_width_says_how_it_was_found(result: str, registers: int):
    body = f"{LOAD}  %w = math.{result} %v : f32\n{STORE.replace('%v', '%w')}"
    loop = loop_of(body, width="auto", group_size=1024)
    assert re.fullmatch(
        rf"width=auto, {registers} registers of \d+ bits with elements of 32 bits",
        loop.why_lanes,
    )


@pytest.mark.parametrize(
    ("access", "kind", "why", "plain"),
    [
        (
            "  %v = memref.load %m[%gid, %c0] : memref<?x?xf32>\n",
            "gather",
            "lanes go along dimension 0 of %m, not along the last one",
            1,
        ),
        (
            "  %i = memref.load %p[%gid] : memref<?xi32>\n"
            "  %j = arith.index_cast %i : i32 to index\n"
            "  %v = memref.load %x[%j] : memref<?xf32>\n",
            "gather",
            "%j has no fixed step from lane to lane",
            2,
        ),
        (
            "  %low = arith.maxsi %gid, %c0 : index\n"
            "  %i = arith.minsi %low, %n : index\n"
            "  %v = memref.load %x[%i] : memref<?xf32>\n",
            "gather",
            "%i has no fixed step from lane to lane, near several edges",
            2,
        ),
        (
            "  %i = arith.subi %n, %gid : index\n"
            "  %v = memref.load %x[%i] : memref<?xf32>\n",
            "reversed",
            "lanes access %x backwards",
            1,
        ),
        (
            "  %i = arith.addi %gid, %gid : index\n"
            "  %v = memref.load %x[%i] : memref<?xf32>\n",
            "strided",
            "lanes access elements of %x that are 2 apart",
            1,
        ),
        (
            "  %v = memref.load %x[%gid] : memref<?xf32>\n"
            "  %c21 = arith.constant 21 : index\n"
            "  %i = arith.muli %gid, %c21 : index\n"
            "  memref.store %v, %x[%i] : memref<?xf32>\n",
            "scatter",
            "lanes access elements of %x that are 21 apart",
            2,
        ),
    ],
)
def test_costly_accesses(access: str, kind: str, why: str, plain: int):
    loop = loop_of(access + STORE)
    (costly,) = loop.costly
    assert (costly.kind, costly.reason, costly.masked) == (kind, why, False)
    assert costly.place is not None
    assert access.splitlines()[costly.place.line - 6][costly.place.column - 1] in "%m"
    # Two loads of vectors have all that is between the first element and the last.
    assert getattr(loop.accesses, kind) == (2 if kind == "strided" else 1)
    assert (loop.accesses.contiguous, loop.accesses.masked) == (plain, 0)
    assert not loop.is_good
    shown = f"{costly.place.line}:{costly.place.column} {kind}: {why}"
    assert shown in text_of(access + STORE)


def test_uniform_accesses_and_those_under_a_mask():
    body = """  %u = memref.load %x[%c0] : memref<?xf32>
  %v = memref.load %x[%gid] : memref<?xf32>
  %low = arith.cmpf olt, %v, %u : f32
  scf.if %low {
    memref.store %u, %y[%gid] : memref<?xf32>
  }"""
    loop = loop_of(body)
    assert loop.accesses.masked == 1
    assert loop.accesses.contiguous == 2
    (divergent,) = loop.divergent
    assert divergent.op == "scf.if"
    assert divergent.reason.startswith("it depends on %low; ")
    assert "9:3 scf.if runs under masks: it depends on %low" in text_of(body)


def test_a_gather_under_a_mask():
    body = f"""{LOAD}  %low = arith.cmpf olt, %v, %v : f32
  scf.if %low {{
    %w = memref.load %m[%gid, %c0] : memref<?x?xf32>
    memref.store %w, %y[%gid] : memref<?xf32>
  }}"""
    loop = loop_of(body)
    (access,) = loop.costly
    assert access.masked
    assert loop.accesses == Accesses(contiguous=2, gather=1, masked=2)
    assert "9:10 gather under a mask: lanes go along" in text_of(body)


def test_a_masked_store_that_is_blended_is_one_access():
    body = """  %t = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xf32>
  %low = arith.cmpf olt, %v, %v : f32
  scf.if %low {
    memref.store %v, %t[%lid] : memref<64xf32, #spmd.memory<local>>
  }
  %w = memref.load %t[%c0] : memref<64xf32, #spmd.memory<local>>
  memref.store %w, %x[%c0] : memref<?xf32>"""
    accesses = loop_of(body, target="x86-64-v4").accesses
    assert (accesses.contiguous, accesses.masked) == (2, 0)


def test_vectors_that_overlap_are_loaded_in_two_chunks():
    body = """  %at1 = arith.addi %gid, %c1 : index
  %at2 = arith.addi %at1, %c1 : index
  %a = memref.load %x[%gid] : memref<?xf32>
  %b = memref.load %x[%at1] : memref<?xf32>
  %c = memref.load %x[%at2] : memref<?xf32>
  %ab = arith.addf %a, %b : f32
  %v = arith.addf %ab, %c : f32
"""
    for target, loads in (("x86-64-v3", 3), ("x86-64-v4", 2)):
        accesses = loop_of(body + STORE, target=target).accesses
        assert accesses == Accesses(contiguous=loads + 1)


def test_a_loop_as_long_as_its_slowest_lane():
    body = """  %v = arith.constant 1.0 : f32
  %trips = memref.load %p[%gid] : memref<?xi32>
  %end = arith.index_cast %trips : i32 to index
  scf.for %i = %c0 to %end step %c1 {
    memref.store %v, %y[%gid] : memref<?xf32>
  }"""
    (divergent,) = loop_of(body).divergent
    assert divergent.op == "scf.for"
    assert "scf.for runs until its last lane is done: it depends on %end" in text_of(
        body
    )


def test_a_condition_that_became_the_end_of_the_loop():
    body = f"""  %in = arith.cmpi ult, %gid, %n : index
  scf.if %in {{
  {LOAD}  {STORE}
  }}"""
    loop = loop_of(body)
    assert loop.clipped
    assert not loop_of(LOAD + STORE).clipped
    assert loop.accesses.masked == 0
    assert loop.is_good


def test_a_scalar_loop_says_why():
    body = """  %at = memref.load %p[%gid] : memref<?xi32>
  %slot = arith.index_cast %at : i32 to index
  %old = spmd.atomic_rmw exchange %at, %p[%slot] : memref<?xi32>
"""
    loop = loop_of(body, width="auto")
    assert loop.lanes == 1
    assert "most of them for spmd.atomic_rmw in one lane after" in loop.why_lanes
    assert loop.accesses == Accesses()
    assert f"scalar: {loop.why_lanes}" in text_of(body, width="auto")


def test_what_runs_lane_by_lane():
    body = f"""{LOAD}  %s = math.sin %v : f32
  memref.store %s, %y[%gid] : memref<?xf32>
  %at = memref.load %p[%gid] : memref<?xi32>
  %slot = arith.index_cast %at : i32 to index
  %old = spmd.atomic_rmw exchange %s, %x[%slot] : memref<?xf32>
"""
    loop = loop_of(body)
    assert loop.lanes == 16
    assert loop.accesses.lane_by_lane == 1
    why = "each lane gets what the one before stored"
    assert f"lane: spmd.atomic_rmw has no vector form, as {why}" in text_of(body)


def test_without_vectorize_all_loops_are_scalar():
    loop = loop_of(LOAD + STORE, vectorize=False)
    assert (loop.lanes, loop.why_lanes) == (1, "vectorize is off")
    loop = loop_of(LOAD + STORE, width=1)
    assert (loop.lanes, loop.why_lanes) == (1, "the width is 1")


LANE = """  %lane = spmd.lane_id
  %v = memref.load %x[%lane] : memref<?xf32>
  memref.store %v, %y[%gid] : memref<?xf32>"""


def test_sub_groups_have_the_size_that_the_kernel_sees():
    facts = explain(LANE)
    assert facts.sub_group_size == 16
    assert (
        facts.loops[0].why_lanes == "the default of kernels with sub-group operations"
    )
    assert explain(LOAD + STORE).sub_group_size is None


def test_sub_groups_without_vectorize_are_scalar():
    facts = explain(LANE, vectorize=False)
    (loop,) = facts.loops
    assert (loop.lanes, loop.why_lanes) == (1, "vectorize is off")


def test_math_functions_that_are_calls(monkeypatch: pytest.MonkeyPatch):
    body = f"""{LOAD}  %a = math.erf %v : f32
  %b = math.erf %a : f32
  %c = math.exp %b : f32
  memref.store %c, %y[%gid] : memref<?xf32>"""
    known = "erff" in host_machine().vector_functions
    (calls,) = loop_of(body).math
    assert (calls.op, calls.count) == ("math.erf", 2)
    assert calls.becomes == ("a vector function" if known else "a call per lane")
    monkeypatch.setattr("spmd.lowering.machine.host_machine", lambda: PORTABLE)
    loop = loop_of(body)
    assert loop.math[0].becomes == "a call per lane"
    assert not loop.is_good
    assert "a call per lane for math.erf" in text_of(body)


SOURCES = """  %v = memref.load %m[%gid, %c0] : memref<?x?xf32>
  %i = memref.load %p[%gid] : memref<?xi32>
  %j = arith.index_cast %i : i32 to index
  %w = memref.load %x[%j] : memref<?xf32>
  %s = arith.addf %v, %w : f32
  memref.store %s, %x[%j] : memref<?xf32>"""


def test_counts_are_those_of_the_ir():
    """Groups of whole sub-groups: there is no code but that for one sub-group."""
    source = f"""spmd.kernel @k(%x: memref<?xf32>, %m: memref<?x?xf32>, %p: memref<?xi32>) {{
  %c0 = arith.constant 0 : index
  %gid = spmd.global_id x
{SOURCES}
  spmd.return
}}"""
    kernel = spmd.compile(source, width=8).kernels["k"]
    text = kernel.ir("vectorize", group_size=64)
    words = Counter(re.findall(r"vector\.\w+|memref\.\w+", text))
    (facts,) = kernel.explain(group_size=64).kernels
    (loop,) = facts.loops
    assert loop.accesses.gather == words["vector.gather"] == 2
    assert loop.accesses.scatter == words["vector.scatter"] == 1
    assert loop.accesses.contiguous == words["vector.load"] == 1


def test_small_groups_keep_their_loops_apart():
    """Sub-groups as large as the group stand side by side, without loops around them."""
    body = f"""{LOAD}  %t = spmd.local_alloc : memref<128xf32, #spmd.memory<local>>
  memref.store %v, %t[%lid] : memref<128xf32, #spmd.memory<local>>
  spmd.barrier
  %j = arith.xori %lid, %c1 : index
  %w = memref.load %t[%j] : memref<128xf32, #spmd.memory<local>>
  memref.store %w, %y[%gid] : memref<?xf32>"""
    first, second = explain(body, group_size=16).loops
    assert first.accesses == Accesses(contiguous=2)
    assert second.accesses == Accesses(contiguous=1, gather=1)


def test_lines_of_a_loop_are_those_of_the_kernel():
    """Not those of a function that it calls, nor of what is computed once more."""
    source = """func.func @twice(%x: memref<?xf32>, %i: index) {
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
  func.return
}
spmd.kernel @k(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %u = memref.load %y[%i] : memref<?xf32>
  memref.store %u, %x[%i] : memref<?xf32>
  func.call @twice(%x, %i) : (memref<?xf32>, index) -> ()
  spmd.barrier
  memref.store %u, %y[%i] : memref<?xf32>
  spmd.return
}
"""
    (facts,) = spmd.compile(source, width=4).explain().kernels
    assert [loop.lines for loop in facts.loops] == [(9, 10), (13, 13)]


@pytest.mark.parametrize("in_registers", [False, True])
def test_a_shuffle_with_any_order(in_registers: bool, monkeypatch: pytest.MonkeyPatch):
    machine = replace(host_machine(), vector_bits=256 if in_registers else 0)
    monkeypatch.setattr("spmd.lowering.machine.host_machine", lambda: machine)
    body = """  %v = memref.load %x[%gid] : memref<?xf32>
  %d = arith.xori %lid, %n : index
  %w = spmd.shuffle idx %v, %d : f32
  memref.store %w, %y[%gid] : memref<?xf32>"""
    costly = loop_of(body).costly
    if in_registers:
        assert not costly
        return
    (access,) = costly
    assert access.kind == "gather"
    assert access.reason == "which lanes a shuffle takes from is known only at run time"


def test_lanes_along_another_dimension_than_x():
    """The contiguous one; what is said of the width comes after."""
    body = """
  %j = spmd.global_id y
  %v = memref.load %m[%gid, %j] : memref<?x?xf32>
  memref.store %v, %m[%gid, %j] : memref<?x?xf32>"""
    loop = loop_of(body, group_size=(16, 16))
    assert (
        loop.why_lanes
        == "16 along y, where accesses, registers and divergent loops cost least; width=16"
    )
