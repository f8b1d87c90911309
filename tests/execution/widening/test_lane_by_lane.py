"""One op without a vector form: the lanes run it in turn, and everything else together."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Launch, Maker, check_native, check_passes

UPDATES = """
// One element of each group: what lanes add together, and what each of them saw.
spmd.kernel @updates(%x: memref<?xi32>, %n: memref<?x9xi32>, %seen: memref<?x9xi32>, %f: memref<?xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %g = spmd.group_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %fv = arith.sitofp %v : i32 to f32
  %f0 = spmd.atomic_rmw max %fv, %f[%g] : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %o0 = spmd.atomic_rmw add %v, %n[%g, %c0] : memref<?x9xi32>
  memref.store %o0, %seen[%i, %c0] : memref<?x9xi32>
  %o1 = spmd.atomic_rmw sub %v, %n[%g, %c1] : memref<?x9xi32>
  memref.store %o1, %seen[%i, %c1] : memref<?x9xi32>
  %odd = arith.andi %v, %one : i32
  %on = arith.cmpi ne, %odd, %zero : i32
  scf.if %on {
    %o2 = spmd.atomic_rmw min %v, %n[%g, %c2] : memref<?x9xi32>
    memref.store %o2, %seen[%i, %c2] : memref<?x9xi32>
    %o3 = spmd.atomic_rmw maxui %v, %n[%g, %c3] : memref<?x9xi32>
    memref.store %o3, %seen[%i, %c3] : memref<?x9xi32>
    %o4 = spmd.atomic_rmw and %v, %n[%g, %c4] : memref<?x9xi32>
    memref.store %o4, %seen[%i, %c4] : memref<?x9xi32>
    %o5 = spmd.atomic_rmw or %v, %n[%g, %c5] : memref<?x9xi32>
    %o6 = spmd.atomic_rmw xor %v, %n[%g, %c6] : memref<?x9xi32>
    memref.store %o6, %seen[%i, %c6] : memref<?x9xi32>
    %o7 = spmd.atomic_rmw add %one, %n[%g, %c7] : memref<?x9xi32>
    memref.store %o7, %seen[%i, %c7] : memref<?x9xi32>
    %o8 = spmd.atomic_rmw exchange %v, %n[%g, %c8] : memref<?x9xi32>
    memref.store %o8, %seen[%i, %c8] : memref<?x9xi32>
  }
  spmd.return
}
"""

BINS = """
// Elements that differ between lanes, and sums of floats.
spmd.kernel @bins(%x: memref<?xi32>, %h: memref<?x8xi32>, %s: memref<?xf32>, %seen: memref<?xi32>, %won: memref<?xi1>) {
  %seven = arith.constant 7 : i32
  %i = spmd.global_id x
  %g = spmd.group_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %e = arith.sitofp %v : i32 to f32
  %r = math.sqrt %e : f32
  %low = arith.andi %v, %seven : i32
  %bin = arith.index_cast %low : i32 to index
  %old = spmd.atomic_rmw sub %v, %h[%g, %bin] : memref<?x8xi32>
  %sum = spmd.atomic_rmw add %e, %s[%g] : memref<?xf32>
  %small = arith.cmpi slt, %low, %seven : i32
  %seen_here, %taken = scf.if %small -> (i32, i1) {
    // Of no other work-item, since lanes come to it together.
    %was, %mine = spmd.atomic_cas %low, %seven, %x[%i] : memref<?xi32>
    scf.yield %was, %mine : i32, i1
  } else {
    scf.yield %old, %small : i32, i1
  }
  memref.store %seen_here, %seen[%i] : memref<?xi32>
  memref.store %taken, %won[%i] : memref<?xi1>
  spmd.return
}
"""

ARRAYS = """
// Private arrays as a whole, of sizes that differ, and memory chosen by a lane.
spmd.kernel @arrays(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %wide = arith.index_cast %v : i32 to index
  %some = arith.andi %wide, %c3 : index
  %n = arith.addi %some, %c1 : index
  %a = memref.alloca(%n) : memref<?xi32>
  %b = memref.alloca(%n) : memref<?xi32>
  %sized = memref.alloca(%n) : memref<?xi32>
  scf.for %k = %c0 to %n step %c1 {
    %m = arith.index_cast %k : index to i32
    %w = arith.addi %m, %v : i32
    memref.store %w, %a[%k] : memref<?xi32>
    memref.store %w, %sized[%k] : memref<?xi32>
  }
  "memref.copy"(%a, %b) : (memref<?xi32>, memref<?xi32>) -> ()
  %last = memref.load %b[%some] : memref<?xi32>
  %size = memref.dim %sized, %c0 : memref<?xi32>
  %at = arith.subi %size, %c1 : index
  %same = memref.load %sized[%at] : memref<?xi32>
  %bytes = memref.alloca() : memref<16xi8>
  %words = memref.view %bytes[%c4][] : memref<16xi8> to memref<2xi32>
  memref.store %same, %words[%c1] : memref<2xi32>
  %again = memref.load %words[%c1] : memref<2xi32>
  %one = arith.cmpi ult, %some, %c3 : index
  %chosen = arith.select %one, %y, %z : memref<?xi32>
  %there = memref.load %chosen[%i] : memref<?xi32>
  %sum = arith.addi %last, %there : i32
  %more = arith.addi %sum, %again : i32
  memref.store %more, %chosen[%i] : memref<?xi32>
  scf.if %one {
    %old = spmd.atomic_rmw add %more, %chosen[%i] : memref<?xi32>
  }
  spmd.return
}
"""


def updates(make: Maker) -> list[Any]:
    n, groups = make.n, make.groups
    start = make.random("i32", groups, 9)
    return [
        make.random("i32", n),
        start,
        make.zeros("i32", n, 9),
        make.random("f32", groups),
    ]


def bins(make: Maker) -> list[Any]:
    n, groups = make.n, make.groups
    return [
        make.integers("i32", 0, 100, n),
        make.integers("i32", 0, 100, groups, 8),
        make.zeros("f32", groups),
        make.zeros("i32", n),
        make.zeros("i1", n),
    ]


def arrays(make: Maker) -> list[Any]:
    return [make.random("i32", make.n) for _ in range(3)]


CASES = {
    "updates": (UPDATES, updates),
    "bins": (BINS, bins),
    "arrays": (ARRAYS, arrays),
}


def test_passes_keep_the_meaning():
    # What the others give depends on the order of work-items.
    check_passes(ARRAYS, arrays, LINES, SpmdToLoopsPass(), VectorizePass(width=4))


@pytest.mark.parametrize("width", [1, 2, 8, 64])
@pytest.mark.parametrize("name", CASES)
def test_native_code(name: str, width: Any):
    kernel, arguments = CASES[name]
    for launch in LINES:
        check_native(kernel, arguments, launch, width=width)


@pytest.mark.parametrize("lanes", [128, 256])
def test_more_lanes_than_a_number_has_bits(lanes: int):
    tails = tuple(Launch((n,), (300,)) for n in (200, 300))
    vectorize = VectorizePass(shape=(lanes,))
    check_passes(ARRAYS, arrays, tails[:1], SpmdToLoopsPass(), vectorize)
    for launch in tails:
        check_native(ARRAYS, arrays, launch, shape=(lanes,))


OWN = """
// Elements of private arrays, at one index and at several.
spmd.kernel @own(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %own = memref.alloca() : memref<2xi32>
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %own[%c0] : memref<2xi32>
  memref.store %zero, %own[%c1] : memref<2xi32>
  %odd = arith.andi %i, %c1 : index
  %a = spmd.atomic_rmw add %v, %own[%c0] : memref<2xi32>
  %b = spmd.atomic_rmw max %a, %own[%odd] : memref<2xi32>
  %on = arith.cmpi ne, %odd, %c0 : index
  scf.if %on {
    %c = spmd.atomic_rmw sub %b, %own[%c1] : memref<2xi32>
    memref.store %c, %own[%c0] : memref<2xi32>
  }
  %one = memref.load %own[%c0] : memref<2xi32>
  %two = memref.load %own[%c1] : memref<2xi32>
  %both = arith.xori %one, %two : i32
  memref.store %both, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("width", [2, 8, 32])
def test_elements_of_ones_own(width: int):
    def arguments(make: Maker) -> list[Any]:
        return [make.integers("i32", -50, 50, make.n), make.zeros("i32", make.n)]

    steps = SpmdToLoopsPass(), VectorizePass(width=width)
    check_passes(OWN, arguments, LINES[2:4], *steps)
    for launch in LINES:
        check_native(OWN, arguments, launch, width=width)


PARALLEL = """
// Iterations in any order, as many as a work-item says.
spmd.kernel @parallel(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %few = arith.andi %v, %three : i32
  %n = arith.index_cast %few : i32 to index
  %r = scf.parallel (%k, %l) = (%c0, %c1) to (%n, %n) step (%c1, %c1) init (%v) -> i32 {
    %m = arith.index_cast %l : index to i32
    %s = arith.addi %m, %v : i32
    scf.reduce(%s : i32) {
    ^bb0(%a: i32, %b: i32):
      %z = arith.xori %a, %b : i32
      scf.reduce.return %z : i32
    }
  }
  %both = arith.addi %r, %v : i32
  memref.store %both, %y[%i] : memref<?xi32>
  spmd.return
}
"""


BESIDE_COLLECTIVE = PARALLEL.replace(
    "memref.store %both",
    """%all = spmd.reduce add %both across sub_group : i32
  memref.store %all""",
).replace("{\n  %c0", " attributes {sub_group_size = 4 : i64} {\n  %c0", 1)


@pytest.mark.parametrize(
    "kernel", [PARALLEL, BESIDE_COLLECTIVE], ids=["alone", "beside"]
)
def test_parallel_loops(kernel: str):
    def arguments(make: Maker) -> list[Any]:
        return [make.random("i32", make.n), make.zeros("i32", make.n)]

    steps = SpmdToLoopsPass(), VectorizePass(width=4)
    check_passes(kernel, arguments, LINES, *steps)
    for launch in LINES:
        check_native(kernel, arguments, launch, width=4)
