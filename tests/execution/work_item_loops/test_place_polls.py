"""Polls change nothing that a kernel computes, and a counted loop in strips counts the same."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_bool, c_void_p, cast
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.lowering.emit import emit_llvm
from spmd.lowering.machine import Machine
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.work_item_loops.place_polls import STRIP, PlacePollsPass
from tests.execution.cases import CASES, Case
from tests.execution.harness import check_passes, parsed

NAMES = (
    "bubble_sort",
    "do_while",
    "escape_time",
    "for_divergent",
    "loops_divergent_nested",
    "matmul",
    "sparse_rows",
    "unstructured_loop",
)


@pytest.mark.parametrize("case", [c for c in CASES if c.name in NAMES], ids=str)
@pytest.mark.parametrize("vectorize", [True, False])
def test_it_keeps_the_meaning(case: Case, vectorize: bool):
    module = check_passes(
        case.source,
        case.arguments,
        (case.launches[-1],),
        SpmdToLoopsPass(),
        *((VectorizePass(width=8),) if vectorize else ()),
        PlacePollsPass(),
        tolerance=case.tolerance,
    )
    assert "spmd.poll" in str(module)


COUNTS = """
spmd.kernel @count(%lower: {type}, %upper: {type}, %x: memref<?xi64>) {{
  %step = arith.constant {step} : {type}
  %one = arith.constant 1 : i64
  %i = spmd.global_id x
  %first = arith.constant 0 : i64
  %count, %last = scf.for %k = %lower to %upper step %step
      iter_args(%n = %first, %l = %first) -> (i64, i64) : {type} {{
    %m = arith.addi %n, %one : i64
    %value = arith.{cast} %k : {type} to i64
    scf.yield %m, %value : i64, i64
  }}
  %c1 = arith.constant 1 : index
  %j = arith.addi %i, %c1 : index
  memref.store %count, %x[%i] : memref<?xi64>
  memref.store %last, %x[%j] : memref<?xi64>
  spmd.return
}}
"""


@pytest.mark.parametrize(
    ("type_", "step", "ends"),
    [
        ("index", 1, [(0, 0), (0, 1), (5, STRIP + 5), (0, STRIP + 1), (9, 3)]),
        ("index", 3, [(-7, 3 * STRIP), (0, 9 * STRIP - 1), (1, 3 * STRIP + 2)]),
        ("index", 1, [(2**46, 2**46 + 2 * STRIP + 1)]),
        ("i64", 5, [(2**63 - 1 - 8 * STRIP, 2**63 - 1), (-(2**63), -(2**63) + STRIP)]),
        ("i32", 7, [(-(2**31), -(2**31) + 8 * STRIP), (2**31 - 1 - STRIP, 2**31 - 1)]),
        ("i32", 2, [(-3 * STRIP, 3 * STRIP)]),
    ],
)
@pytest.mark.parametrize("vectorize", [True, False])
def test_strips_are_the_same_loop(
    type_: str, step: int, ends: list[tuple[int, int]], vectorize: bool
):
    extend = "index_cast" if type_ == "index" else "extsi"
    source = COUNTS.format(type=type_, step=step, cast=extend)
    if type_ == "index":
        source = source.replace(" : index {", " {")
    elif type_ == "i64":
        source = source.replace("%value = arith.extsi %k : i64 to i64", "")
        source = source.replace("%m, %value", "%m, %k")
    program = spmd.compile(source, vectorize=vectorize)
    assert "%begin" in program.ir("place-polls")
    for lower, upper in ends:
        counted = range(lower, upper, step)
        x = np.zeros(2, np.int64)
        program["count"](lower, upper, x, global_size=1)
        assert x.tolist() == [len(counted), counted[-1] if counted else 0]


STANDS_STILL = """
spmd.kernel @stands_still(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %step = arith.select %true, %c0, %c4 : index
  %i = spmd.global_id x
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %sum = scf.for %k = %c0 to %c4 step %step iter_args(%s = %zero) -> (f32) {
    %t = arith.addf %s, %one : f32
    scf.yield %t : f32
  }
  memref.store %sum, %x[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.mark.optimized
@pytest.mark.parametrize("vectorize", [True, False])
def test_a_loop_whose_step_becomes_0_can_be_ended(vectorize: bool):
    kernel = spmd.compile(STANDS_STILL, vectorize=vectorize)["stands_still"]
    with pytest.raises(spmd.LaunchTimeout):
        kernel(np.zeros(8, np.float32), global_size=8, timeout=0.2)


_asked: list[int] = []


@CFUNCTYPE(c_bool, c_void_p)
def _go_on(record: int) -> bool:
    """Asked by every poll; it uses many registers, as all that is written in Python."""
    _asked.append(record)
    return False


WIDE = """
spmd.kernel @powers(%most: f32, %x: memref<?xf32>, %y: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %start = memref.load %x[%i] : memref<?xf32>
  %a = arith.addf %start, %start : f32
  %end, %count, %sum = scf.while (%v = %start, %n = %zero, %s = %a) : (f32, i32, f32) -> (f32, i32, f32) {
    %more = arith.cmpf olt, %v, %most : f32
    scf.condition(%more) %v, %n, %s : f32, i32, f32
  } do {
  ^bb0(%v: f32, %n: i32, %s: f32):
    %w = arith.mulf %v, %start : f32
    %m = arith.addi %n, %one : i32
    %t = arith.addf %s, %a : f32
    scf.yield %w, %m, %t : f32, i32, f32
  }
  memref.store %sum, %x[%i] : memref<?xf32>
  memref.store %count, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.optimized
@pytest.mark.parametrize(
    "options", [{"vectorize": False}, *({"width": w} for w in (4, 16, 32, 64))], ids=str
)
def test_asking_changes_no_value(options: dict[str, Any]):
    """Polls that find something call a function in the midst of a loop over vectors."""
    x = 1.5 + np.arange(64, dtype=np.float32) / 8
    kernel = spmd.compile(WIDE, **options).kernels["powers"]
    want, count = x.copy(), np.zeros(64, np.int32)
    kernel(1e6, want, count, global_size=64, threads=1)
    got, again = x.copy(), np.zeros(64, np.int32)
    launch = kernel.bind(1e6, got, again, global_size=64, threads=1)
    launch()
    got[:] = x
    _asked.clear()
    launch.record.ask = cast(_go_on, c_void_p).value or 0
    launch.record.attention = 1
    launch()
    assert len(_asked) > 10
    assert (got.tolist(), again.tolist()) == (want.tolist(), count.tolist())


ROWS = """
spmd.kernel @place(%x: memref<?x?xi64>) {
  %c1000 = arith.constant 1000 : index
  %i = spmd.global_id x
  %j = spmd.global_id y
  %g = spmd.group_id x
  %h = spmd.group_id y
  %a = arith.muli %h, %c1000 : index
  %b = arith.addi %a, %g : index
  %v = arith.index_cast %b : index to i64
  %old = memref.load %x[%j, %i] : memref<?x?xi64>
  %new = arith.addi %old, %v : i64
  memref.store %new, %x[%j, %i] : memref<?x?xi64>
  spmd.return
}
"""


@pytest.mark.parametrize("cost", [1, 1 << 10, 1 << 11, 1 << 22])
@pytest.mark.parametrize("extent", [(1, 1), (3, 2), (40, 30), (37, 29)])
@pytest.mark.parametrize("threads", [1, 2])
def test_groups_in_a_row_are_all_run_once(
    cost: int, extent: tuple[int, int], threads: int, monkeypatch: pytest.MonkeyPatch
):
    # Rows of one group, of a few, and of all.
    monkeypatch.setattr("spmd.passes.work_item_loops.place_polls.ROW_COST", cost)
    kernel = spmd.compile(ROWS)["place"]
    width, height = extent
    x = np.zeros((height, width), np.int64)
    kernel(x, global_size=extent, group_size=(4, 3), threads=threads)
    j, i = np.indices(x.shape)
    assert (x == j // 3 * 1000 + i // 4).all()


@pytest.mark.optimized
def test_groups_in_a_row_can_be_ended():
    # LLVM computes the sum of all groups at once.
    text = ROWS.replace("%x[%j, %i]", "%x[%h, %h]").replace("addi %old", "xori %old")
    kernel = spmd.compile(text)["place"]
    x = np.zeros((1, 1), np.int64)
    launch = kernel.bind(x, global_size=1 << 40, group_size=1, threads=1, timeout=0.1)
    start = perf_counter()
    with pytest.raises(spmd.LaunchTimeout):
        launch()
    assert perf_counter() - start < 5


def test_a_poll_costs_the_loop_no_registers():
    """LLVM's calls leave no vector register alone, unless they are told to."""
    module = parsed("func.func @f() { spmd.poll func.return }")
    machine = Machine("x86_64-unknown-linux-gnu", "x86-64-v3")
    text = emit_llvm(module, machine, assertions="report")
    assert 'call zeroext i1 @spmd.poll(ptr %failed) "no_caller_saved_registers"' in text
