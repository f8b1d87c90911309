"""Kernels with several branches or exits of a loop that lead to one place."""

from __future__ import annotations

from tests.execution.pipelines.vectorize_case import Cases, floats

EXITS = Cases()

EXITS.add(
    "else-if-of-which-each-is-skipped",
    """
spmd.kernel @chain(%x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %four = arith.constant 4.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %small = arith.cmpf olt, %v, %zero : f32
  %r, %s = scf.if %small -> (f32, f32) {
    %a = arith.divf %one, %v : f32
    %b = arith.divf %a, %four : f32
    %c = arith.divf %v, %b : f32
    %d = arith.divf %c, %a : f32
    scf.yield %d, %v : f32, f32
  } else {
    %middle = arith.cmpf olt, %v, %one : f32
    %q, %t = scf.if %middle -> (f32, f32) {
      %w = arith.addf %v, %one : f32
      scf.yield %w, %one : f32, f32
    } else {
      %large = arith.cmpf ogt, %v, %four : f32
      %p = scf.if %large -> (f32) {
        %a = arith.divf %four, %v : f32
        %b = arith.divf %a, %v : f32
        %c = arith.divf %v, %b : f32
        %d = arith.divf %c, %a : f32
        scf.yield %d : f32
      } else {
        %again = memref.load %x[%i] : memref<?xf32>
        scf.yield %again : f32
      }
      scf.yield %p, %four : f32, f32
    }
    %both = arith.subf %q, %t : f32
    scf.yield %q, %both : f32, f32
  }
  %sum = arith.addf %r, %s : f32
  memref.store %sum, %y[%i] : memref<?xf32>
  spmd.return
}
""",
    floats,
)

EXITS.add(
    "loop-left-by-all-or-by-some",
    """
spmd.kernel @exits(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  cf.br ^head(%c0, %v : index, f32)
^head(%k: index, %a: f32):
  %more = arith.cmpi slt, %k, %c5 : index
  cf.cond_br %more, ^body, ^out(%a : f32)
^body:
  %hit = arith.cmpf olt, %a, %one : f32
  cf.cond_br %hit, ^found(%k : index), ^next
^next:
  %a2 = arith.mulf %a, %half : f32
  %k2 = arith.addi %k, %c1 : index
  cf.br ^head(%k2, %a2 : index, f32)
^found(%kf: index):
  %ki = arith.index_cast %kf : index to i32
  %kff = arith.sitofp %ki : i32 to f32
  cf.br ^out(%kff : f32)
^out(%r: f32):
  memref.store %r, %y[%i] : memref<?xf32>
  spmd.return
}
""",
    lambda make: [make.random("f32", make.n) * 40, make.zeros("f32", make.n)],
)

EXITS.add(
    "branch-that-uniform-paths-lead-to",
    """
spmd.kernel @paths(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %g = spmd.group_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %low = arith.andi %g, %c1 : index
  %first = arith.cmpi eq, %low, %c1 : index
  cf.cond_br %first, ^both, ^some
^some:
  %w = arith.addf %v, %v : f32
  memref.store %w, %y[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  cf.cond_br %positive, ^again, ^done
^again:
  %z = arith.mulf %w, %v : f32
  memref.store %z, %y[%i] : memref<?xf32>
  %high = arith.andi %g, %c2 : index
  %second = arith.cmpi ne, %high, %c0 : index
  cf.cond_br %second, ^both, ^done
^both:
  %old = memref.load %y[%i] : memref<?xf32>
  %new = arith.subf %old, %v : f32
  memref.store %new, %y[%i] : memref<?xf32>
  cf.br ^done
^done:
  spmd.return
}
""",
    floats,
)

EXITS.add(
    "loop-that-ends-for-all-where-a-stack-is-empty",
    """
spmd.kernel @stack(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %off = arith.constant false
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %i = spmd.global_id x
  %g = spmd.group_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %deep = arith.andi %g, %c3 : index
  %start = arith.addi %deep, %c1 : index
  %end, %a, %n = scf.while (%top = %start, %a = %v, %n = %c0) : (index, f32, index) -> (index, f32, index) {
    %some = arith.cmpi sgt, %top, %c0 : index
    %few = arith.cmpi slt, %n, %c8 : index
    %large = arith.cmpf ogt, %a, %one : f32
    %before = arith.select %large, %few, %off : i1
    %more = arith.andi %some, %before : i1
    scf.condition(%more) %top, %a, %n : index, f32, index
  } do {
  ^bb0(%top: index, %a: f32, %n: index):
    %less = arith.subi %top, %c1 : index
    %small = arith.mulf %a, %half : f32
    %next = arith.addi %n, %c1 : index
    scf.yield %less, %small, %next : index, f32, index
  }
  %left = arith.index_cast %end : index to i32
  %leftf = arith.sitofp %left : i32 to f32
  %turns = arith.index_cast %n : index to i32
  %turnsf = arith.sitofp %turns : i32 to f32
  %both = arith.mulf %leftf, %turnsf : f32
  %sum = arith.addf %a, %both : f32
  memref.store %sum, %y[%i] : memref<?xf32>
  spmd.return
}
""",
    lambda make: [make.random("f32", make.n) * 40, make.zeros("f32", make.n)],
)
