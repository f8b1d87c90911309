// RUN: xdsl-opt %s -p version-edges --split-input-file --verify-diagnostics | filecheck %s

// The last element again: what the first lane and the last one load says whether lanes are
// neighbours. Overflow flags of lanes that may not exist are gone.

// CHECK-LABEL: func.func @clamped
// CHECK:         spmd.sub_group (%i) shape [16] at (%base) count %n {
// CHECK-NEXT:      %last = arith.subi %n, %c1 : index
// CHECK-NEXT:      %left_first = arith.subi %base, %c1 : index
// CHECK-NEXT:      %low_first = arith.maxsi %left_first, %c0 : index
// CHECK-NEXT:      %at_first = arith.minsi %low_first, %last : index
// CHECK-NEXT:      %end = arith.addi %base, %c15 : index
// CHECK-NEXT:      %left_last = arith.subi %end, %c1 : index
// CHECK-NEXT:      %low_last = arith.maxsi %left_last, %c0 : index
// CHECK-NEXT:      %at_last = arith.minsi %low_last, %last : index
// CHECK-NEXT:      %span = arith.subi %at_last, %at_first : index
// CHECK-NEXT:      %neighbours = arith.cmpi eq, %span, %c15 : index
// CHECK-NEXT:      %rises = arith.cmpi slt, %at_first, %at_last : index
// CHECK-NEXT:      %inside = arith.andi %neighbours, %rises : i1
// CHECK-NEXT:      %v = scf.if %inside -> (f32) {
// CHECK-NEXT:        %ahead = arith.subi %i, %base : index
// CHECK-NEXT:        %here = arith.addi %at_first, %ahead : index
// CHECK-NEXT:        [[NEAR:%\w+]] = memref.load %x[%y, %here] : memref<?x?xf32>
// CHECK-NEXT:        scf.yield [[NEAR]] : f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %left = arith.subi %i, %c1 overflow<nsw> : index
// CHECK-NEXT:        %low = arith.maxsi %left, %c0 : index
// CHECK-NEXT:        %at = arith.minsi %low, %last : index
// CHECK-NEXT:        [[FAR:%\w+]] = memref.load %x[%y, %at] {spmd.near_edge} : memref<?x?xf32>
// CHECK-NEXT:        scf.yield [[FAR]] : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %v, %out[%i] : memref<?xf32>
func.func @clamped(%x: memref<?x?xf32>, %out: memref<?xf32>, %base: index, %y: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%i) shape [16] at (%base) count %n {
    %last = arith.subi %n, %c1 : index
    %left = arith.subi %i, %c1 overflow<nsw> : index
    %low = arith.maxsi %left, %c0 : index
    %at = arith.minsi %low, %last : index
    %v = memref.load %x[%y, %at] : memref<?x?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Pixels: what rises need not be the last index, if it is known how far apart lanes are.

// CHECK-LABEL: func.func @pixels
// CHECK:         %v = scf.if %inside -> (f32) {
// CHECK:           {{%.*}} = memref.load %x[%y, %here, %c1] : memref<?x?x3xf32>
// CHECK:         } else {
// CHECK:           {{%.*}} = memref.load %x[%y, %at, %c1] {spmd.near_edge} : memref<?x?x3xf32>
// CHECK:         %w = memref.load %x[%at, %y, %c1] : memref<?x?x3xf32>
// CHECK-NEXT:    %u = memref.load %x[%y, %at, %i] : memref<?x?x3xf32>
func.func @pixels(%x: memref<?x?x3xf32>, %out: memref<?xf32>, %base: index, %y: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%i) shape [16] at (%base) count %n {
    %left = arith.subi %i, %c1 : index
    %at = arith.maxsi %left, %c0 : index
    %v = memref.load %x[%y, %at, %c1] : memref<?x?x3xf32>
    %w = memref.load %x[%at, %y, %c1] : memref<?x?x3xf32>
    %u = memref.load %x[%y, %at, %i] : memref<?x?x3xf32>
    %s = arith.addf %v, %w : f32
    %t = arith.addf %s, %u : f32
    memref.store %t, %out[%i] : memref<?xf32>
  }
  func.return
}

// -----

// The other side: a remainder made positive, and one that is so. What is also used elsewhere
// stays where it was; several rows of lanes have the same.

// CHECK-LABEL: func.func @wrapped
// CHECK:         %left = arith.subi %i, %c1 : index
// CHECK-NEXT:    %rest = arith.remsi %left, %n : index
// CHECK:         %at = arith.select %negative, %more, %rest : index
// CHECK:         %at_last = arith.select
// CHECK:         %v = scf.if %inside
// CHECK:           {{.*}} = memref.load %x[%here]
// CHECK:         %w = scf.if
// CHECK:           {{.*}} = memref.load %x[%here_1]
// CHECK:         } else {
// CHECK-NEXT:      %right = arith.addi %i, %c1 : index
// CHECK-NEXT:      %to = arith.remui %right, %n : index
// CHECK-NEXT:      {{.*}} = memref.load %x[%to]
func.func @wrapped(%x: memref<?xf32>, %out: memref<?xindex>, %sums: memref<?xf32>, %base: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  spmd.sub_group (%i, %row) shape [8, 2] at (%base, %j) {
    %left = arith.subi %i, %c1 : index
    %rest = arith.remsi %left, %n : index
    %negative = arith.cmpi slt, %rest, %c0 : index
    %more = arith.addi %rest, %n : index
    %at = arith.select %negative, %more, %rest : index
    %v = memref.load %x[%at] : memref<?xf32>
    %right = arith.addi %i, %c1 : index
    %to = arith.remui %right, %n : index
    %w = memref.load %x[%to] : memref<?xf32>
    %sum = arith.addf %v, %w : f32
    memref.store %at, %out[%i] : memref<?xindex>
    memref.store %sum, %sums[%row] : memref<?xf32>
  }
  func.return
}

// -----

// Left alone: what neighbours need not be inside either, what rises by more than one or falls in
// between, an unsigned bound of what may have wrapped, other dimensions, private arrays, and few lanes.

// CHECK-LABEL: func.func @others
// CHECK-NOT:     scf.if
// CHECK:         func.return
func.func @others(%x: memref<?xf32>, %m: memref<?x?xf32>, %out: memref<?xf32>, %base: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %private = memref.alloca() : memref<32xf32>
    %twice = arith.muli %i, %c2 : index
    %at = arith.minsi %twice, %n : index
    %a = memref.load %x[%at] : memref<?xf32>
    %rest = arith.remui %i, %c9 : index
    %again = arith.remui %rest, %n : index
    %b = memref.load %x[%again] : memref<?xf32>
    %clamped = arith.maxsi %i, %c0 : index
    %unsigned = arith.minui %clamped, %n : index
    %d = memref.load %x[%unsigned] : memref<?xf32>
    %e = memref.load %m[%clamped, %c0] : memref<?x?xf32>
    %f = memref.load %private[%clamped] : memref<32xf32>
    %g = memref.load %m[%i, %clamped] : memref<?x?xf32>
    memref.store %a, %out[%i] : memref<?xf32>
    memref.store %b, %out[%i] : memref<?xf32>
    memref.store %d, %out[%i] : memref<?xf32>
    memref.store %e, %out[%i] : memref<?xf32>
    memref.store %f, %out[%i] : memref<?xf32>
    memref.store %g, %out[%i] : memref<?xf32>
  }
  spmd.sub_group (%i) shape [2] at (%base) {
    %at = arith.maxsi %i, %c0 : index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  func.return
}

// -----

// A remainder rounded down adds the divisor where the remainder is not 0 and has another sign; what
// adds it where something else holds may jump between the first lane and the last one.

// CHECK-LABEL: func.func @modulo
// CHECK-COUNT-1: %inside = arith.cmpi eq
// CHECK:         %v = scf.if %inside
// CHECK-NOT:     scf.if
// CHECK:         func.return
func.func @modulo(%x: memref<?xf32>, %out: memref<?xf32>, %base: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  spmd.sub_group (%i) shape [16] at (%base) {
    %left = arith.subi %i, %c1 : index
    %rest = arith.remsi %left, %n : index
    %more = arith.addi %rest, %n : index
    %some = arith.cmpi ne, %rest, %c0 : index
    %both = arith.xori %rest, %n : index
    %sign = arith.cmpi slt, %both, %c0 : index
    %floor = arith.andi %some, %sign : i1
    %at = arith.select %floor, %more, %rest : index
    %v = memref.load %x[%at] : memref<?xf32>
    %early = arith.cmpi slt, %i, %c9 : index
    %one = arith.andi %some, %early : i1
    %at_one = arith.select %one, %more, %rest : index
    %w = memref.load %x[%at_one] : memref<?xf32>
    %other = arith.andi %early, %sign : i1
    %at_other = arith.select %other, %more, %rest : index
    %u = memref.load %x[%at_other] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
    memref.store %w, %out[%i] : memref<?xf32>
    memref.store %u, %out[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Sub-groups stand in functions, not in kernels.

// CHECK: expected spmd.sub_group in a func.func, which spmd-to-loops makes
spmd.kernel @no_function(%x: memref<?xf32>, %base: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i) shape [8] at (%base) {
    %at = arith.maxsi %i, %c0 : index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
  }
  spmd.return
}

// -----

// A window that ends at the edges: elsewhere lanes go over theirs together, with one counter. What
// lanes share may be added to what rises, and where a number wraps around it falls.

// CHECK-LABEL: func.func @window
// CHECK:         spmd.sub_group (%i) shape [16] at (%base) {
// CHECK-NEXT:      %left_first = arith.subi %base, %w : index
// CHECK-NEXT:      %low_first = arith.maxsi %left_first, %c0 : index
// CHECK-NEXT:      %right_first = arith.minsi %base, %last : index
// CHECK-NEXT:      %high_first = arith.addi %right_first, %c1 : index
// CHECK-NEXT:      %end = arith.addi %base, %c15 : index
// CHECK-NEXT:      %left_last = arith.subi %end, %w : index
// CHECK-NEXT:      %low_last = arith.maxsi %left_last, %c0 : index
// CHECK-NEXT:      %right_last = arith.minsi %end, %last : index
// CHECK-NEXT:      %high_last = arith.addi %right_last, %c1 : index
// CHECK-NEXT:      %span = arith.subi %low_last, %low_first : index
// CHECK-NEXT:      %neighbours = arith.cmpi eq, %span, %c15 : index
// CHECK-NEXT:      %rises = arith.cmpi slt, %low_first, %low_last : index
// CHECK-NEXT:      %span_1 = arith.subi %right_last, %right_first : index
// CHECK-NEXT:      %neighbours_1 = arith.cmpi eq, %span_1, %c15 : index
// CHECK-NEXT:      %rises_1 = arith.cmpi slt, %high_first, %high_last : index
// CHECK:           %sum = scf.if %inside{{.*}} -> (f32) {
// CHECK-NEXT:        %ahead = arith.subi %i, %base : index
// CHECK-NEXT:        %{{.*}} = scf.for %k = %low_first to %high_first step %step iter_args(%s = %zero) -> (f32) {
// CHECK-NEXT:          %[[K:.*]] = arith.addi %k, %ahead : index
// CHECK-NEXT:          %{{.*}} = memref.load %x[%[[K]]] : memref<?xf32>
// CHECK:           } else {
// CHECK:             %low = arith.maxsi %left, %c0 : index
// CHECK:             scf.for %[[OWN:.*]] = %low to %high step %step
// CHECK-NEXT:          %{{.*}} = memref.load %x[%[[OWN]]] {spmd.near_edge} : memref<?xf32>
// CHECK:             } {spmd.near_edge}
func.func @window(%x: memref<?xf32>, %y: memref<?xf32>, %base: index, %w: index, %last: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%i) shape [16] at (%base) {
    %left = arith.subi %i, %w : index
    %low = arith.maxsi %left, %c0 : index
    %right = arith.minsi %i, %last : index
    %high = arith.addi %right, %c1 : index
    %sum = scf.for %k = %low to %high step %step iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%k] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  }
  func.return
}

// -----

// No windows: lanes begin together, or end so, or take steps of their own, or go nowhere in memory.

// CHECK-LABEL: func.func @no_windows
// CHECK-NOT:     scf.if
// CHECK:         func.return
func.func @no_windows(%x: memref<?xf32>, %base: index, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %low = arith.maxsi %i, %n : index
    %far = arith.addi %low, %n : index
    %step = arith.addi %low, %c1 : index
    scf.for %k = %c0 to %low step %c1 {
      memref.store %v, %x[%k] : memref<?xf32>
    }
    scf.for %k = %low to %n step %c1 {
      memref.store %v, %x[%k] : memref<?xf32>
    }
    scf.for %k = %low to %far step %step {
      memref.store %v, %x[%k] : memref<?xf32>
    }
    scf.for %k = %low to %far step %c1 {
      memref.store %v, %x[%c0] : memref<?xf32>
    }
  }
  func.return
}

// -----

// Loops over what a window has of an array: no lane's ends are larger than those of the lane before.

// CHECK-LABEL: func.func @together
// CHECK:         %together = arith.cmpi eq, %low_first, %low_last : index
// CHECK-NEXT:    %together_1 = arith.cmpi eq, %high_first, %high_last : index
// CHECK-NEXT:    %falls = arith.cmpi sge, %before_first, %before_last : index
// CHECK-NEXT:    %falls_1 = arith.cmpi sge, %after_first, %after_last : index
// CHECK:         %sum = scf.if %inside -> (f32) {
// CHECK-NEXT:      {{%.*}} = scf.for %k = %low_first to %high_first step %c1
// CHECK:         } else {
// CHECK:           {{%.*}} = scf.for %k_1 = %low to %high step %c1
// CHECK:             memref.load %x[%at_1] {spmd.near_edge} : memref<?xf32>
// CHECK:           } {spmd.near_edge}
func.func @together(%x: memref<?xf32>, %base: index, %r: index, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %more = arith.addi %n, %r : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %before = arith.subi %r, %i : index
    %low = arith.maxsi %before, %c0 : index
    %after = arith.subi %more, %i : index
    %high = arith.minsi %after, %r : index
    %sum = scf.for %k = %low to %high step %c1 iter_args(%s = %zero) -> (f32) {
      %at = arith.addi %i, %k : index
      %v = memref.load %x[%at] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %out[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Ends that rise, or are another one in each lane, are those of other loops.

// CHECK-LABEL: func.func @apart
// CHECK-NOT:     scf.if
func.func @apart(%x: memref<?xf32>, %base: index, %r: index, %n: index, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%i) shape [16] at (%base) {
    %rest = arith.subi %r, %i : index
    %before = arith.subi %i, %r : index
    %low = arith.maxsi %before, %c0 : index
    %a = scf.for %k = %c0 to %rest step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%k] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    %b = scf.for %k = %low to %n step %c1 iter_args(%s = %a) -> (f32) {
      %v = memref.load %x[%k] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %b, %out[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Where the first lane and the last one choose the same, all lanes do, if what is compared rises.

// CHECK-LABEL: func.func @chosen
// CHECK:         %is_left_first = arith.cmpi sgt, %base, %w : index
// CHECK:         %low_first = arith.select %is_left_first, %left_first, %c0 : index
// CHECK:         %is_left_last = arith.cmpi sgt, %end, %w : index
// CHECK:         %agreed = arith.cmpi eq, %is_left_first, %is_left_last : i1
// CHECK-NEXT:    %rises = arith.cmpi slt, %base, %end : index
// CHECK:         %inside = arith.andi
// CHECK:         scf.if %inside -> (f32) {
func.func @chosen(%x: memref<?xf32>, %y: memref<?xf32>, %base: index, %w: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %left = arith.subi %i, %w : index
    %is_left = arith.cmpi sgt, %i, %w : index
    %low = arith.select %is_left, %left, %c0 : index
    %v = memref.load %x[%low] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}

// -----

// A divisor that may be -1, by which the least number cannot be divided, is 1 instead.

// CHECK-LABEL: func.func @negative
// CHECK:         [[V0:%\w+]] = arith.cmpi eq, %n, %cm1 : index
// CHECK-NEXT:    %n_1 = arith.select [[V0]], %c1, %n : index
// CHECK-NEXT:    %at_first = arith.remsi %base, %n_1 : index
// CHECK:         %at_last = arith.remsi %end, %n_2 : index
// CHECK:         %inside = arith.andi
// CHECK-NEXT:    scf.if %inside
func.func @negative(%x: memref<?xf32>, %out: memref<?xf32>, %base: index, %n: index) {
  spmd.sub_group (%i) shape [16] at (%base) {
    %at = arith.remsi %i, %n : index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  func.return
}
