"""Kernels in which lanes agree on something inside of control flow in which they differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.execution.harness import Maker
from tests.execution.harness.comparing import Tolerance
from tests.execution.pipelines.vectorize_case import Cases, counts

UNIFORM = Cases()


UNIFORM.add(
    "uniform-code-in-a-divergent-branch",
    """
spmd.kernel @uniform_inside(%sizes: memref<?xi32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %six = arith.constant 6.0 : f32
  %large = arith.cmpf ogt, %v, %six : f32
  scf.if %large {
    %size = memref.load %sizes[%c0] : memref<?xi32>
    %end = arith.index_cast %size : i32 to index
    %sum = scf.for %k = %c0 to %end step %c1 iter_args(%a = %zero) -> (f32) {
      %w = memref.load %x[%k] : memref<?xf32>
      %b = arith.addf %a, %w : f32
      scf.yield %b : f32
    }
    %many = arith.cmpi sgt, %size, %three : i32
    %r = scf.if %many -> (f32) {
      %u = arith.addf %sum, %v : f32
      scf.yield %u : f32
    } else {
      scf.yield %sum : f32
    }
    memref.store %r, %y[%i] : memref<?xf32>
  }
  spmd.return
}
""",
    lambda make: [
        np.array([min(5, make.n)], np.int32),
        make.integers("f32", -8, 9, make.n),
        make.zeros("f32", make.n),
    ],
)

UNIFORM.add(
    "division-where-some-lanes-divide-by-zero",
    """
spmd.kernel @divide(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %hundred = arith.constant 100 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %fine = arith.cmpi ne, %v, %zero : i32
  scf.if %fine {
    %q = arith.divsi %hundred, %v : i32
    %r = arith.remui %hundred, %v : i32
    %s = arith.addi %q, %r : i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  spmd.return
}
""",
    counts,
)

UNIFORM.add(
    "a-uniform-divisor-in-a-branch-that-nobody-takes",
    """
spmd.kernel @uniform_divisor(%d: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %fine = arith.cmpi sgt, %d, %v : i32
  scf.if %fine {
    %q = arith.divsi %v, %d : i32
    %h = arith.constant 1000 : i32
    %r = arith.divsi %h, %d : i32
    %s = arith.addi %q, %r : i32
    memref.store %s, %y[%i] : memref<?xi32>
  }
  spmd.return
}
""",
    lambda make: [
        0,
        make.integers("i32", 0, 12, make.n),
        make.zeros("i32", make.n),
    ],
)

UNIFORM.add(
    "math-on-garbage",
    """
spmd.kernel @roots(%x: memref<?xf64>, %y: memref<?xf64>) {
  %zero = arith.constant 0.0 : f64
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf64>
  %positive = arith.cmpf ogt, %v, %zero : f64
  %r = scf.if %positive -> (f64) {
    %l = math.log %v : f64
    %s = math.sqrt %v : f64
    %t = arith.addf %l, %s : f64
    scf.yield %t : f64
  } else {
    %e = math.exp %v : f64
    scf.yield %e : f64
  }
  memref.store %r, %y[%i] : memref<?xf64>
  spmd.return
}
""",
    lambda make: [make.random("f64", make.n), make.zeros("f64", make.n)],
    Tolerance(ulps=8),
)

UNIFORM.add(
    "a-uniform-value-that-only-some-lanes-have",
    """
spmd.kernel @quotient(%d: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %group = spmd.group_id x
  %lid = spmd.local_id x
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %a = memref.alloca() : memref<4xindex>
  scf.for %k = %c0 to %c3 step %c1 {
    memref.store %c0, %a[%k] : memref<4xindex>
  }
  %late = arith.cmpi uge, %lid, %c3 : index
  %r = scf.if %late -> (i32) {
    %three = arith.constant 3 : i32
    %low = arith.andi %v, %three : i32
    %wide = arith.index_cast %low : i32 to index
    %e = arith.minui %wide, %c1 : index
    %nothing = memref.load %a[%e] : memref<4xindex>
    %end = arith.addi %nothing, %c3 : index
    %s = scf.for %k = %c0 to %end step %c1 iter_args(%t = %zero) -> (i32) {
      %u = arith.addi %t, %v : i32
      scf.yield %u : i32
    }
    %index = arith.addi %group, %nothing : index
    %w = memref.load %x[%index] : memref<?xi32>
    %z = arith.addi %s, %w : i32
    scf.yield %z : i32
  } else {
    scf.yield %zero : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    lambda make: [3, *counts(make)],
)

UNIFORM.add(
    "loops-of-varying-length-with-one-result",
    """
spmd.kernel @one_result(%x: memref<?xi32>, %y: memref<?xi32>, %all: memref<?xi32>, %a: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %group = spmd.group_id x
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %end = arith.index_cast %v : i32 to index
  %r = scf.for %k = %c0 to %end step %c1 iter_args(%b = %a) -> (i32) {
    %old = memref.load %y[%i] : memref<?xi32>
    %new = arith.addi %old, %v : i32
    memref.store %new, %y[%i] : memref<?xi32>
    scf.yield %b : i32
  }
  %s, %n = scf.while (%c = %r, %k = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %k, %v : i32
    scf.condition(%more) %r, %k : i32, i32
  } do {
  ^bb0(%c: i32, %k: i32):
    %next = arith.addi %k, %one : i32
    scf.yield %c, %next : i32, i32
  }
  memref.store %s, %all[%group] : memref<?xi32>
  spmd.return
}
""",
    lambda make: [*counts(make), make.zeros("i32", make.groups), 7],
)

UNIFORM.add(
    "blocks-of-a-loop-that-is-left-in-two-places",
    """
spmd.kernel @search(%n: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %v = memref.load %y[%i] : memref<?xi32>
  cf.br ^head(%c0, %v : index, i32)
^head(%k: index, %a: i32):
  %more = arith.cmpi slt, %k, %n : index
  cf.cond_br %more, ^body, ^out(%a : i32)
^body:
  %t = memref.load %x[%k] : memref<?xi32>
  %hit = arith.cmpi eq, %t, %a : i32
  cf.cond_br %hit, ^found, ^next
^next:
  %b = arith.subi %a, %three : i32
  %step = arith.addi %k, %c1 : index
  %large = arith.cmpi sgt, %t, %three : i32
  cf.cond_br %large, ^skip, ^head(%step, %b : index, i32)
^skip:
  %far = arith.addi %step, %c1 : index
  cf.br ^head(%far, %b : index, i32)
^found:
  %f = arith.index_cast %k : index to i32
  %g = arith.muli %f, %a : i32
  cf.br ^out(%g : i32)
^out(%r: i32):
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    lambda make: [
        make.n,
        make.integers("i32", -6, 7, make.n),
        make.integers("i32", -6, 30, make.n),
    ],
)

WALK = """
spmd.kernel @walk(%n: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus = arith.constant -1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %wanted = memref.load %x[%i] : memref<?xi32>
  %stack = memref.alloca() : memref<16xi32>
  memref.store %one, %stack[%c0] : memref<16xi32>
  LOOP
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
"""
"""A tree of %n nodes walked with a stack, until a work-item finds what it wants."""


def walk(make: Maker) -> list[Any]:
    return [9, make.integers("i32", -2, 14, make.n), make.zeros("i32", make.n)]


UNIFORM.add(
    "a-stack-of-blocks-that-work-items-leave",
    WALK.replace(
        "LOOP",
        """cf.br ^head(%c1 : index)
^head(%top: index):
  %some = arith.cmpi sgt, %top, %c0 : index
  cf.cond_br %some, ^body, ^out(%minus : i32)
^body:
  %at = arith.subi %top, %c1 : index
  %node = memref.load %stack[%at] : memref<16xi32>
  %hit = arith.cmpi eq, %node, %wanted : i32
  cf.cond_br %hit, ^out(%node : i32), ^down
^down:
  %left = arith.muli %node, %two : i32
  %leaf = arith.cmpi sgt, %left, %n : i32
  cf.cond_br %leaf, ^head(%at : index), ^push
^push:
  %right = arith.addi %left, %one : i32
  memref.store %right, %stack[%at] : memref<16xi32>
  memref.store %left, %stack[%top] : memref<16xi32>
  %above = arith.addi %top, %c1 : index
  cf.br ^head(%above : index)
^out(%r: i32):""",
    ),
    walk,
)

UNIFORM.add(
    "a-stack-until-a-flag-of-the-work-item-ends-the-loop",
    WALK.replace(
        "LOOP",
        """%end, %r, %go = scf.while (%top = %c1, %found = %minus, %on = %true) : (index, i32, i1) -> (index, i32, i1) {
    %some = arith.cmpi sgt, %top, %c0 : index
    %more = arith.andi %some, %on : i1
    scf.condition(%more) %top, %found, %on : index, i32, i1
  } do {
  ^bb0(%top: index, %found: i32, %on: i1):
    %at = arith.subi %top, %c1 : index
    %node = memref.load %stack[%at] : memref<16xi32>
    %hit = arith.cmpi eq, %node, %wanted : i32
    %next, %now, %again = scf.if %hit -> (index, i32, i1) {
      scf.yield %at, %node, %false : index, i32, i1
    } else {
      %left = arith.muli %node, %two : i32
      %leaf = arith.cmpi sgt, %left, %n : i32
      %above = scf.if %leaf -> (index) {
        scf.yield %at : index
      } else {
        %right = arith.addi %left, %one : i32
        memref.store %right, %stack[%at] : memref<16xi32>
        memref.store %left, %stack[%top] : memref<16xi32>
        %up = arith.addi %top, %c1 : index
        scf.yield %up : index
      }
      scf.yield %above, %found, %true : index, i32, i1
    }
    scf.yield %next, %now, %again : index, i32, i1
  }""",
    ),
    walk,
)
