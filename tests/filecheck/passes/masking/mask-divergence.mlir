// RUN: xdsl-opt %s -p mask-divergence --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p mask-divergence,mask-divergence --split-input-file | filecheck %s

// A branch with effects is masked; one without is computed in all lanes and chosen.

// CHECK-LABEL: func.func @branches
// CHECK:         spmd.sub_group (%lx) shape [16] at (%b) {
// CHECK-NEXT:      %v = memref.load %x[%lx] : memref<?xf32>
// CHECK-NEXT:      %p = arith.cmpf ogt, %v, %zero : f32
// CHECK-NEXT:      spmd.masked %p {
// CHECK-NEXT:        memref.store %v, %x[%lx] : memref<?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %t = arith.addf %v, %v : f32
// CHECK-NEXT:      [[NOT:%\w+]] = arith.xori %p, %true : i1
// CHECK-NEXT:      %e = arith.mulf %v, %v : f32
// CHECK-NEXT:      [[R:%\w+]] = arith.select [[NOT]], %e, %t : f32
// CHECK-NEXT:      [[S:%\w+]] = spmd.masked %p -> (f32) {
// CHECK-NEXT:        [[W:%\w+]] = memref.load %y[%lx] : memref<?xf32>
// CHECK-NEXT:        spmd.yield [[W]] : f32
// CHECK-NEXT:      } else [[R]] : f32
// CHECK-NEXT:      "test.op"([[S]])
func.func @branches(%b: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    scf.if %p {
      memref.store %v, %x[%lx] : memref<?xf32>
    }
    %r = scf.if %p -> (f32) {
      %t = arith.addf %v, %v : f32
      scf.yield %t : f32
    } else {
      %e = arith.mulf %v, %v : f32
      scf.yield %e : f32
    }
    %s = scf.if %p -> (f32) {
      %w = memref.load %y[%lx] : memref<?xf32>
      scf.yield %w : f32
    } else {
      scf.yield %r : f32
    }
    "test.op"(%s) : (f32) -> ()
  }
  func.return
}

// -----

// A choice that computes nothing.

// CHECK-LABEL: func.func @choice
// CHECK:           [[NOT:%\w+]] = arith.xori %p, %true : i1
// CHECK-NEXT:      %r = arith.select [[NOT]], %zero, %v : f32
// CHECK-NEXT:      "test.op"(%r)
func.func @choice(%b: index, %x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    %r = scf.if %p -> (f32) {
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    "test.op"(%r) : (f32) -> ()
  }
  func.return
}

// -----

// Uniform control flow stays; in a divergent branch it runs where some lane is active, and
// what is uniform is not masked there.

// CHECK-LABEL: func.func @uniform
// CHECK:         scf.if %u {
// CHECK-NEXT:      memref.store %v, %x[%lx] : memref<?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %some = spmd.any %p across sub_group
// CHECK-NEXT:    scf.if %some {
// CHECK-NEXT:      %n = memref.load %sizes[%c0] : memref<?xindex>
// CHECK-NEXT:      scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:        %w = memref.load %x[%k] : memref<?xf32>
// CHECK-NEXT:        %s = arith.addf %v, %w : f32
// CHECK-NEXT:        spmd.masked %p {
// CHECK-NEXT:          memref.store %s, %x[%lx] : memref<?xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
func.func @uniform(%u: i1, %b: index, %sizes: memref<?xindex>, %x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    scf.if %u {
      memref.store %v, %x[%lx] : memref<?xf32>
    }
    scf.if %p {
      %n = memref.load %sizes[%c0] : memref<?xindex>
      scf.for %k = %c0 to %n step %c1 {
        %w = memref.load %x[%k] : memref<?xf32>
        %s = arith.addf %v, %w : f32
        memref.store %s, %x[%lx] : memref<?xf32>
      }
    }
  }
  func.return
}

// -----

// A divergent loop runs while some lane lives. A uniform counter stays uniform;
// only what is read after the loop is blended.

// CHECK-LABEL: func.func @loop
// CHECK:         [[LIVE:%\w+]], %a, %b, {{%\w+}}, [[LAST:%\w+]] = scf.while ([[L:%\w+]] = %true, [[A:%\w+]] = %v, [[B:%\w+]] = %v, [[K:%\w+]] = %zero, [[T:%\w+]] = %zero) : (i1, f32, f32, i32, i32) -> (i1, f32, f32, i32, i32) {
// CHECK-NEXT:      %more = arith.cmpf ogt, [[A]], [[B]] : f32
// CHECK-NEXT:      [[ON:%\w+]] = arith.select [[L]], %more, %false : i1
// CHECK-NEXT:      [[F:%\w+]] = arith.select [[L]], [[K]], [[T]] : i32
// CHECK-NEXT:      %some = spmd.any [[ON]] across sub_group
// CHECK-NEXT:      scf.condition(%some) [[ON]], [[A]], [[B]], [[K]], [[F]] : i1, f32, f32, i32, i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0([[L2:%\w+]]: i1, [[A2:%\w+]]: f32, [[B2:%\w+]]: f32, [[K2:%\w+]]: i32, [[F2:%\w+]]: i32):
// CHECK-NEXT:      [[A3:%\w+]] = arith.mulf [[A2]], %half : f32
// CHECK-NEXT:      [[B3:%\w+]] = arith.addf [[B2]], %half : f32
// CHECK-NEXT:      [[K3:%\w+]] = arith.addi [[K2]], %one : i32
// CHECK-NEXT:      [[B4:%\w+]] = arith.select [[L2]], [[B3]], [[B2]] : f32
// CHECK-NEXT:      scf.yield [[L2]], [[A3]], [[B4]], [[K3]], [[F2]] : i1, f32, f32, i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%b, [[LAST]])
func.func @loop(%base: index, %x: memref<?xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  spmd.sub_group (%lx) shape [16] at (%base) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %a, %b, %k = scf.while (%a = %v, %b = %v, %k = %zero) : (f32, f32, i32) -> (f32, f32, i32) {
      %more = arith.cmpf ogt, %a, %b : f32
      scf.condition(%more) %a, %b, %k : f32, f32, i32
    } do {
    ^bb0(%a: f32, %b: f32, %k: i32):
      %a2 = arith.mulf %a, %half : f32
      %b2 = arith.addf %b, %half : f32
      %k2 = arith.addi %k, %one : i32
      scf.yield %a2, %b2, %k2 : f32, f32, i32
    }
    "test.op"(%b, %k) : (f32, i32) -> ()
  }
  func.return
}

// -----

// A count becomes a mask. Pure code before the first access is not masked.

// CHECK-LABEL: func.func @tail
// CHECK:         spmd.sub_group (%lx) shape [16] at (%b) {
// CHECK-NEXT:      %lane = spmd.lane_id
// CHECK-NEXT:      %exists = arith.cmpi slt, %lane, %n : index
// CHECK-NEXT:      %some = spmd.any %exists across sub_group
// CHECK-NEXT:      scf.if %some {
// CHECK-NEXT:        %i = arith.addi %lx, %b overflow<nsw> : index
// CHECK-NEXT:        spmd.masked %exists {
// CHECK-NEXT:          %v = memref.load %x[%i] : memref<?xf32>
// CHECK-NEXT:          memref.store %v, %x[%lx] : memref<?xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
func.func @tail(%n: index, %b: index, %x: memref<?xf32>) {
  spmd.sub_group (%lx) shape [16] at (%b) count %n {
    %i = arith.addi %lx, %b overflow<nsw> : index
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%lx] : memref<?xf32>
  }
  func.return
}

// -----

// Counts of several dimensions hold together.

// CHECK-LABEL: func.func @corner
// CHECK:         spmd.sub_group (%lx, %ly) shape [8, 2] at (%b, %b) {
// CHECK-NEXT:      %lane = spmd.lane_id
// CHECK-NEXT:      %place = arith.remui %lane, %c8 : index
// CHECK-NEXT:      %row = arith.divui %lane, %c8 : index
// CHECK-NEXT:      [[X:%\w+]] = arith.cmpi slt, %place, %n : index
// CHECK-NEXT:      [[Y:%\w+]] = arith.cmpi slt, %row, %m : index
// CHECK-NEXT:      [[BOTH:%\w+]] = arith.andi [[X]], [[Y]] : i1
// CHECK-NEXT:      %some = spmd.any [[BOTH]] across sub_group
// CHECK-NEXT:      scf.if %some {
// CHECK-NEXT:        spmd.masked [[BOTH]] {
func.func @corner(%n: index, %m: index, %b: index, %x: memref<?x?xf32>) {
  spmd.sub_group (%lx, %ly) shape [8, 2] at (%b, %b) count %n, %m {
    %v = memref.load %x[%ly, %lx] : memref<?x?xf32>
    memref.store %v, %x[%ly, %lx] : memref<?x?xf32>
  }
  func.return
}

// -----

// A count that is known needs no test. In lanes that may be inactive nothing is known to
// overflow, and a divisor may be 0. What takes long is skipped if no lane wants it.

// CHECK-LABEL: func.func @garbage
// CHECK:         %exists = arith.cmpi slt, %lane, %c5 : index
// CHECK-NEXT:    [[V:%\w+]], %p = spmd.masked %exists -> (i32, i1) {
// CHECK:         [[ON:%\w+]] = arith.select %exists, %p, %false : i1
// CHECK-NEXT:    %some = spmd.any [[ON]] across sub_group
// CHECK-NEXT:    scf.if %some {
// CHECK-NEXT:      %j = arith.subi %lx, %c1 : index
// CHECK-NEXT:      spmd.masked [[ON]] {
// CHECK-NEXT:        %q = arith.divsi %one, [[V]] : i32
// CHECK-NEXT:        memref.store %q, %x[%j] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
func.func @garbage(%b: index, %x: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  spmd.sub_group (%lx) shape [8] at (%b) count %c5 {
    %v = memref.load %x[%lx] : memref<?xi32>
    %p = arith.cmpi ne, %v, %zero : i32
    scf.if %p {
      %j = arith.subi %lx, %c1 overflow<nuw> : index
      %q = arith.divsi %one, %v : i32
      memref.store %q, %x[%j] : memref<?xi32>
    }
  }
  func.return
}

// -----

// Where a lane is inactive the size of its array is garbage.

// CHECK-LABEL: func.func @sizes
// CHECK:         %n = spmd.masked %p -> (index) {
// CHECK:         [[N:%\w+]] = arith.select %p, %n, %c0 : index
// CHECK-NEXT:    %a = memref.alloca([[N]]) : memref<?xindex>
func.func @sizes(%b: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  spmd.sub_group (%lx) shape [8] at (%b) {
    %v = memref.load %x[%lx] : memref<?xindex>
    %p = arith.cmpi ne, %v, %c0 : index
    scf.if %p {
      %n = arith.divui %c9, %v : index
      %a = memref.alloca(%n) : memref<?xindex>
      memref.store %v, %a[%c0] : memref<?xindex>
      %w = memref.load %a[%c0] : memref<?xindex>
      memref.store %w, %x[%lx] : memref<?xindex>
    }
  }
  func.return
}

// -----

// What a lane promises is not promised where no lane does.

// CHECK-LABEL: func.func @promise
// CHECK-NOT:     memref.assume_alignment
// CHECK:         spmd.masked %p {
// CHECK-NEXT:      memref.store %v, %x[%lx] : memref<?xi32>
func.func @promise(%b: index, %x: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [8] at (%b) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %p = arith.cmpi ne, %v, %zero : i32
    scf.if %p {
      %a = memref.assume_alignment %x, 64 : memref<?xi32>
      memref.store %v, %a[%lx] : memref<?xi32>
    }
  }
  func.return
}

// -----

// What all lanes store to one place is stored once, where some lane is.

// CHECK-LABEL: func.func @uniform_store
// CHECK:         scf.if %some {
// CHECK-NEXT:      memref.store %s, %x[%c0] : memref<?xi32>
func.func @uniform_store(%b: index, %n: index, %s: i32, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%lx) shape [8] at (%b) {
    %low = arith.cmpi slt, %lx, %n : index
    scf.if %low {
      memref.store %s, %x[%c0] : memref<?xi32>
    }
  }
  func.return
}

// -----

// A lane that has left the loop keeps what it left with.

// CHECK-LABEL: func.func @leaves_in_turn
// CHECK:         %sum = scf.for %k = %start to %n step %c8 iter_args(%a = %zero) -> (i32) {
// CHECK:           %c = spmd.masked %active -> (i32) {
// CHECK:           [[KEPT:%\w+]] = arith.select %active, %c, %a : i32
// CHECK-NEXT:      scf.yield [[KEPT]] : i32
func.func @leaves_in_turn(%b: index, %n: index, %x: memref<?xi32>) {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [8] at (%b) {
    %sum = scf.for %k = %lx to %n step %c8 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%k] : memref<?xi32>
      %c = arith.addi %a, %v : i32
      scf.yield %c : i32
    }
    memref.store %sum, %x[%lx] : memref<?xi32>
  }
  func.return
}

// -----

// A square root and a division in 64 bits cost as much as a branch, in 32 bits they do not.

// CHECK-LABEL: func.func @roots
// CHECK:           %some = spmd.any %low across sub_group
// CHECK-NEXT:      %r = scf.if %some -> (f64) {
// CHECK-NEXT:        %a = math.sqrt %v : f64
// CHECK-NEXT:        %b = arith.divf %v, %a : f64
// CHECK-NEXT:        %c = arith.addf %b, %a : f64
// CHECK:           memref.store %r, %x[%i] : memref<?xf64>
// CHECK-NOT:       scf.if
// CHECK:           memref.store %s, %y[%i] : memref<?xf32>
func.func @roots(%x: memref<?xf64>, %y: memref<?xf32>, %first: index, %cut: f64) {
  spmd.sub_group (%i) shape [4] at (%first) {
    %v = memref.load %x[%i] : memref<?xf64>
    %w = memref.load %y[%i] : memref<?xf32>
    %low = arith.cmpf olt, %v, %cut : f64
    %r = scf.if %low -> (f64) {
      %a = math.sqrt %v : f64
      %b = arith.divf %v, %a : f64
      %c = arith.addf %b, %a : f64
      scf.yield %c : f64
    } else {
      scf.yield %v : f64
    }
    memref.store %r, %x[%i] : memref<?xf64>
    %s = scf.if %low -> (f32) {
      %a = math.sqrt %w : f32
      %b = arith.divf %w, %a : f32
      %c = arith.addf %b, %a : f32
      scf.yield %c : f32
    } else {
      scf.yield %w : f32
    }
    memref.store %s, %y[%i] : memref<?xf32>
  }
  func.return
}

// -----

// A vote of active lanes is one bit, and so is what follows from it and what all have: no
// lane has to be asked for it.

// CHECK-LABEL: func.func @vote_under_a_mask
// CHECK:           %both = spmd.masked %p -> (i1) {
// CHECK-NEXT:        %any = spmd.any %q across sub_group
// CHECK-NEXT:        [[BOTH:%.*]] = arith.andi %any, %u : i1
// CHECK-NEXT:        spmd.yield [[BOTH]] : i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %both {
func.func @vote_under_a_mask(%b: index, %s: f32, %u: i1, %x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    scf.if %p {
      %q = arith.cmpf ogt, %v, %s : f32
      %any = spmd.any %q across sub_group
      %both = arith.andi %any, %u : i1
      scf.if %both {
        memref.store %s, %x[%lx] : memref<?xf32>
      }
    }
  }
  func.return
}

// -----

// One value goes through all branches of an else-if: lanes that do not come to the second have
// what the first left.

// CHECK-LABEL: func.func @chain
// CHECK:           %s = math.sqrt %v : f32
// CHECK-NEXT:      %not_p = arith.xori %p, %true : i1
// CHECK-NEXT:      %q = arith.cmpf olt, %v, %one : f32
// CHECK-NEXT:      [[ON:%\w+]] = arith.select %not_p, %q, %false : i1
// CHECK-NEXT:      [[U:%\w+]] = spmd.masked [[ON]] -> (f32) {
// CHECK:           } else %s : f32
// CHECK-NEXT:      %not_q = arith.xori %q, %true : i1
// CHECK-NEXT:      [[REST:%\w+]] = arith.select %not_p, %not_q, %false : i1
// CHECK-NEXT:      %w = arith.mulf %v, %v : f32
// CHECK-NEXT:      [[T:%\w+]] = arith.select [[REST]], %w, [[U]] : f32
// CHECK-NEXT:      "test.op"([[T]])
func.func @chain(%b: index, %x: memref<?xf32>, %z: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf olt, %v, %zero : f32
    %r = scf.if %p -> (f32) {
      %s = math.sqrt %v : f32
      scf.yield %s : f32
    } else {
      %q = arith.cmpf olt, %v, %one : f32
      %t = scf.if %q -> (f32) {
        %u = memref.load %z[%lx] : memref<?xf32>
        scf.yield %u : f32
      } else {
        %w = arith.mulf %v, %v : f32
        scf.yield %w : f32
      }
      scf.yield %t : f32
    }
    "test.op"(%r) : (f32) -> ()
  }
  func.return
}

// -----

// Work-items come to the last branch if %u, or if %d and %v: it is skipped where neither %u nor %v.

// CHECK-LABEL: func.func @paths
// CHECK:           %path, %may = scf.if %u -> (i1, i1) {
// CHECK-NEXT:        scf.yield %true, %true : i1, i1
// CHECK-NEXT:      } else {
// CHECK-NEXT:        spmd.masked %d {
// CHECK:             [[BOTH:%\w+]] = arith.select %d, %v, %false : i1
// CHECK-NEXT:        scf.yield [[BOTH]], %v : i1, i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %may {
// CHECK-NEXT:        spmd.masked %path {
func.func @paths(%b: index, %u: i1, %v: i1, %x: memref<?xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %false = arith.constant false
  spmd.sub_group (%lx) shape [16] at (%b) {
    %w = memref.load %x[%lx] : memref<?xf32>
    %d = arith.cmpf ogt, %w, %zero : f32
    %path = scf.if %u -> (i1) {
      scf.yield %true : i1
    } else {
      %p = scf.if %d -> (i1) {
        memref.store %w, %y[%lx] : memref<?xf32>
        scf.yield %v : i1
      } else {
        scf.yield %false : i1
      }
      scf.yield %p : i1
    }
    scf.if %path {
      %s = memref.load %y[%lx] : memref<?xf32>
      memref.store %s, %x[%lx] : memref<?xf32>
    }
  }
  func.return
}

// -----

// A branch over elements that each lane has is short, if these exist whatever lanes are active:
// registers are exchanged by a choice of values.

// CHECK-LABEL: func.func @exchange
// CHECK-NOT:     spmd.any
// CHECK:         spmd.masked %less {
// CHECK-NEXT:      memref.store
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-LABEL: func.func @may_be_outside
// CHECK:         spmd.any
func.func @exchange(%b: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  spmd.sub_group (%lx) shape [16] at (%b) {
    %a = memref.alloca() : memref<8xf32>
    %first = memref.load %x[%lx] : memref<?xf32>
    memref.store %first, %a[%c0] : memref<8xf32>
    scf.for %i = %c0 to %c7 step %c1 {
      %next = arith.addi %i, %c1 : index
      %v = memref.load %a[%i] : memref<8xf32>
      %w = memref.load %a[%next] : memref<8xf32>
      %less = arith.cmpf olt, %w, %v : f32
      scf.if %less {
        memref.store %w, %a[%i] : memref<8xf32>
        memref.store %v, %a[%next] : memref<8xf32>
      }
    }
  }
  func.return
}
func.func @may_be_outside(%b: index, %k: index, %x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [16] at (%b) {
    %a = memref.alloca() : memref<8xf32>
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    scf.if %p {
      memref.store %v, %a[%k] : memref<8xf32>
    }
  }
  func.return
}
