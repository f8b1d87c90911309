"""Kernels with divergent control flow of each kind, and with garbage in inactive lanes."""

from __future__ import annotations

from tests.execution.pipelines.vectorize_case import Cases, counts, floats

DIVERGENCE = Cases()

DIVERGENCE.add(
    "branch-with-results",
    """
spmd.kernel @branch(%x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  %r, %s = scf.if %positive -> (f32, f32) {
    %w = arith.mulf %v, %two : f32
    %u = memref.load %x[%i] : memref<?xf32>
    %d = arith.addf %u, %w : f32
    scf.yield %w, %d : f32, f32
  } else {
    %w = arith.subf %v, %two : f32
    scf.yield %w, %v : f32, f32
  }
  %t = arith.addf %r, %s : f32
  memref.store %t, %y[%i] : memref<?xf32>
  spmd.return
}
""",
    floats,
)

DIVERGENCE.add(
    "branches-that-store",
    """
spmd.kernel @stores(%x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  scf.if %positive {
    %large = arith.cmpf ogt, %v, %four : f32
    scf.if %large {
      memref.store %four, %y[%i] : memref<?xf32>
    } else {
      %w = arith.mulf %v, %v : f32
      memref.store %w, %y[%i] : memref<?xf32>
    }
  } else {
    %small = arith.cmpf olt, %v, %zero : f32
    scf.if %small {
      memref.store %v, %y[%i] : memref<?xf32>
    }
  }
  spmd.return
}
""",
    floats,
)

DIVERGENCE.add(
    "switch",
    """
spmd.kernel @switch(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %case = arith.index_cast %v : i32 to index
  %r = scf.index_switch %case -> i32
  case 1 {
    %w = memref.load %x[%i] : memref<?xi32>
    %d = arith.addi %w, %w : i32
    scf.yield %d : i32
  }
  case 5 {
    memref.store %v, %y[%i] : memref<?xi32>
    %c = arith.constant 50 : i32
    scf.yield %c : i32
  }
  default {
    scf.yield %v : i32
  }
  %old = memref.load %y[%i] : memref<?xi32>
  %s = arith.addi %r, %old : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    counts,
)

DIVERGENCE.add(
    "while-hands-arguments-through",
    """
spmd.kernel @log2(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %left, %steps = scf.while (%a = %v, %k = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %a, %one : i32
    scf.condition(%more) %a, %k : i32, i32
  } do {
  ^bb0(%a: i32, %k: i32):
    %half = arith.shrsi %a, %one : i32
    %next = arith.addi %k, %one : i32
    scf.yield %half, %next : i32, i32
  }
  %ten = arith.constant 10 : i32
  %t = arith.muli %steps, %ten : i32
  %s = arith.addi %t, %left : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    counts,
)

DIVERGENCE.add(
    "while-with-the-body-first",
    """
spmd.kernel @collatz(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %start = arith.maxsi %v, %one : i32
  %last, %steps = scf.while (%a = %start, %k = %zero) : (i32, i32) -> (i32, i32) {
    %low = arith.andi %a, %one : i32
    %odd = arith.cmpi ne, %low, %zero : i32
    %next = scf.if %odd -> (i32) {
      %t = arith.muli %a, %three : i32
      %u = arith.addi %t, %one : i32
      scf.yield %u : i32
    } else {
      %h = arith.shrui %a, %one : i32
      scf.yield %h : i32
    }
    %n = arith.addi %k, %one : i32
    %go_on = arith.cmpi ne, %next, %one : i32
    scf.condition(%go_on) %next, %n : i32, i32
  } do {
  ^bb0(%a: i32, %k: i32):
    scf.yield %a, %k : i32, i32
  }
  %s = arith.addi %last, %steps : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    counts,
)

DIVERGENCE.add(
    "while-that-swaps-its-arguments",
    """
spmd.kernel @swap(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %i32 = arith.index_cast %i : index to i32
  %a, %b, %c, %n = scf.while (%p = %v, %q = %i32, %r = %zero, %k = %v)
      : (i32, i32, i32, i32) -> (i32, i32, i32, i32) {
    %sum = arith.addi %p, %k : i32
    %more = arith.cmpi sgt, %k, %zero : i32
    scf.condition(%more) %p, %q, %sum, %k : i32, i32, i32, i32
  } do {
  ^bb0(%p: i32, %q: i32, %s: i32, %k: i32):
    %next = arith.subi %k, %one : i32
    scf.yield %q, %s, %p, %next : i32, i32, i32, i32
  }
  %t = arith.subi %a, %b : i32
  %u = arith.shli %c, %one : i32
  %w = arith.xori %t, %u : i32
  %z = arith.addi %w, %n : i32
  memref.store %z, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    counts,
)

DIVERGENCE.add(
    "for-to-a-varying-end",
    """
spmd.kernel @triangle(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %end = arith.index_cast %v : i32 to index
  %last, %sum = scf.for %k = %c0 to %end step %c1 iter_args(%l = %zero, %a = %v)
      -> (i32, i32) {
    %k32 = arith.index_cast %k : index to i32
    %b = arith.muli %a, %k32 : i32
    %c = arith.addi %b, %v : i32
    scf.yield %k32, %c : i32, i32
  }
  %s = arith.xori %last, %sum : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    counts,
)

DIVERGENCE.add(
    "for-from-the-id-by-the-size",
    """
spmd.kernel @grid_stride(%n: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %one = arith.constant 1 : i32
  %sum, %turns = scf.for %k = %lid to %n step %size
      iter_args(%a = %zero, %t = %zero) -> (i32, i32) {
    %v = memref.load %x[%k] : memref<?xi32>
    %b = arith.addi %a, %v : i32
    %u = arith.addi %t, %one : i32
    scf.yield %b, %u : i32, i32
  }
  %s = arith.xori %sum, %turns : i32
  memref.store %s, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    lambda make: [
        37,
        make.integers("i32", -9, 9, 37),
        make.zeros("i32", make.n),
    ],
)

DIVERGENCE.add(
    "nested-divergent-loops",
    """
spmd.kernel @nested(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %end = arith.index_cast %v : i32 to index
  %r = scf.for %k = %c0 to %end step %c1 iter_args(%a = %zero) -> (i32) {
    %k32 = arith.index_cast %k : index to i32
    %low = arith.andi %k32, %one : i32
    %odd = arith.cmpi eq, %low, %one : i32
    %c = scf.if %odd -> (i32) {
      %w = scf.while (%b = %k32) : (i32) -> i32 {
        %more = arith.cmpi slt, %b, %v : i32
        scf.condition(%more) %b : i32
      } do {
      ^bb0(%b: i32):
        %d = arith.addi %b, %k32 : i32
        memref.store %d, %y[%i] : memref<?xi32>
        scf.yield %d : i32
      }
      scf.yield %w : i32
    } else {
      scf.yield %a : i32
    }
    %s = arith.addi %c, %a : i32
    scf.yield %s : i32
  }
  %old = memref.load %y[%i] : memref<?xi32>
  %t = arith.addi %r, %old : i32
  memref.store %t, %y[%i] : memref<?xi32>
  spmd.return
}
""",
    counts,
)

DIVERGENCE.add(
    "divided-by-what-a-vote-says",
    """
spmd.kernel @divided(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %p = arith.cmpi sgt, %v, %zero : i32
  scf.if %p {
    %some = spmd.any %p across sub_group
    %d = arith.extui %some : i1 to i32
    %q = arith.divui %d, %d : i32
    memref.store %q, %y[%i] : memref<?xi32>
  }
  spmd.return
}
""",
    counts,
)
