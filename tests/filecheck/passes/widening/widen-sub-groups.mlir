// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// Uniform values stay scalar, ids count from lane 0, vectors are made late.

// CHECK-LABEL: func.func @values
// CHECK-DAG:     %two_lanes = arith.constant dense<2.000000e+00> : vector<8xf32>
// CHECK-DAG:     [[A:%\w+]] = vector.broadcast %a : f32 to vector<8xf32>
// CHECK:         %s = arith.mulf %a, %two : f32
// CHECK-NEXT:    [[S:%\w+]] = vector.broadcast %s : f32 to vector<8xf32>
// CHECK-NEXT:    %i = arith.addi %b, %base : index
// CHECK-NEXT:    %v = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    %w = arith.addf %v, [[S]] : vector<8xf32>
// CHECK-NEXT:    %u = arith.mulf %w, [[A]] fastmath<contract> : vector<8xf32>
// CHECK-NEXT:    %t = arith.mulf %u, %two_lanes : vector<8xf32>
// CHECK-NEXT:    vector.store %t, %x[%i] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT:    func.return
func.func @values(%base: index, %b: index, %a: f32, %x: memref<?xf32>) {
  %two = arith.constant 2.0 : f32
  spmd.sub_group (%lx) shape [8] at (%b) {
    %s = arith.mulf %a, %two : f32
    %i = arith.addi %lx, %base : index
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %s : f32
    %u = arith.mulf %w, %a fastmath<contract> : f32
    %t = arith.mulf %u, %two : f32
    memref.store %t, %x[%i] : memref<?xf32>
  }
  func.return
}

// -----

// A value with a stride becomes a vector where it is stored.

// CHECK-LABEL: func.func @stride
// CHECK:         [[LANE:%\w+]] = vector.step : vector<4xindex>
// CHECK-NEXT:    [[STEPS:%\w+]] = arith.muli [[LANE]], %c3_lanes : vector<4xindex>
// CHECK-NEXT:    %v = arith.muli %b, %c3 : index
// CHECK-NEXT:    [[V:%\w+]] = vector.broadcast %v : index to vector<4xindex>
// CHECK-NEXT:    [[VECTOR:%\w+]] = arith.addi [[V]], [[STEPS]] : vector<4xindex>
// CHECK-NEXT:    vector.store [[VECTOR]], %x[%b]
func.func @stride(%b: index, %x: memref<?xindex>) {
  %c3 = arith.constant 3 : index
  spmd.sub_group (%lx) shape [4] at (%b) {
    %v = arith.muli %lx, %c3 : index
    memref.store %v, %x[%lx] : memref<?xindex>
  }
  func.return
}

// -----

// Each shape of address.

// CHECK-LABEL: func.func @addresses
// CHECK:         %u = memref.load %x[%k] : memref<?xf32>
// CHECK-NEXT:    [[U:%\w+]] = vector.broadcast %u : f32 to vector<4xf32>
// CHECK:         [[LOW:%\w+]] = arith.subi %back, %c3 : index
// CHECK-NEXT:    [[R:%\w+]] = vector.load %x[[[LOW]]] {spmd.access = "reversed", spmd.why = "lanes access %x backwards"} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:    %r = vector.shuffle [[R]], [[R]] [3, 2, 1, 0] : vector<4xf32>, vector<4xf32>
// CHECK:         %p = vector.load %perm[%b] : memref<?xi32>, vector<4xi32>
// CHECK:         %g = vector.gather %x[%c0] [%p], %all_on, {{%\w+}} {spmd.access = "gather", spmd.why = "%at has no fixed step from lane to lane"} : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:         [[PITCH:%\w+]] = memref.dim %m, %c1 : memref<?x?xf32>
// CHECK:         [[FAR:%\w+]] = arith.muli %lane, {{%\w+}} : vector<4xindex>
// CHECK-NEXT:    %c = vector.gather %m[%b, %k] {{\[}}[[FAR]]], %all_on, {{%\w+}} {spmd.access = "gather", spmd.why = "lanes go along dimension 0 of %m, not along the last one"} : memref<?x?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:         %l = vector.gather %tile[%b, %k] [{{%\w+}}], %all_on, {{%\w+}} {spmd.access = "gather", spmd.why = "lanes go along dimension 0 of %tile, not along the last one"} : memref<8x9xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:         [[FIRST:%\w+]] = vector.extract {{%\w+}}[0] : f32 from vector<4xf32>
// CHECK-NEXT:    memref.store [[FIRST]], %x[%k] : memref<?xf32>
// CHECK-NEXT:    memref.store %u, %x[%k] : memref<?xf32>
func.func @addresses(%b: index, %k: index, %perm: memref<?xi32>, %x: memref<?xf32>, %m: memref<?x?xf32>, %tile: memref<8x9xf32>) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %u = memref.load %x[%k] : memref<?xf32>
    %back = arith.subi %k, %lx : index
    %r = memref.load %x[%back] : memref<?xf32>
    %p = memref.load %perm[%lx] : memref<?xi32>
    %at = arith.index_cast %p : i32 to index
    %g = memref.load %x[%at] : memref<?xf32>
    %c = memref.load %m[%lx, %k] : memref<?x?xf32>
    %l = memref.load %tile[%lx, %k] : memref<8x9xf32>
    %s0 = arith.addf %u, %r : f32
    %s1 = arith.addf %s0, %g : f32
    %s2 = arith.addf %s1, %c : f32
    %s3 = arith.addf %s2, %l : f32
    memref.store %s3, %x[%k] : memref<?xf32>
    memref.store %u, %x[%k] : memref<?xf32>
  }
  func.return
}

// -----

// Masks: a prefix of the lanes is counted; divisors and what the math library gets are
// harmless in inactive lanes.

// CHECK-LABEL: func.func @masks
// CHECK:         %in_count = arith.subi %n, %b : index
// CHECK-NEXT:    %in = vector.create_mask %in_count : vector<4xi1>
// CHECK-NEXT:    %v = vector.maskedload %x[%b], %in, {{%\w+}} : memref<64xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
// CHECK-NEXT:    [[D:%\w+]] = arith.select %in, %v, %ones_1 : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:    [[ZERO:%\w+]] = arith.cmpi eq, [[D]], %zeros : vector<4xi32>
// CHECK:         %q = arith.fptosi {{%\w+}} : vector<4xf64> to vector<4xi32>
// CHECK-NEXT:    %f = arith.sitofp %q : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:    [[F:%\w+]] = arith.select %in, %f, {{%\w+}} : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    %l = math.log [[F]] : vector<4xf32>
// CHECK-NEXT:    vector.maskedstore %y[%b], %in, %l : memref<64xf32>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    [[R:%\w+]] = arith.select %in, %f, {{%\w+}} : vector<4xi1>, vector<4xf32>
// CHECK:         %any = arith.cmpi sgt, %in_count, %c0 : index
// CHECK:         %odd = vector.reduction <or>, {{%\w+}} : vector<4xi1> into i1
// CHECK:         %sum = vector.reduction <add>, [[R]] fastmath<reassoc> : vector<4xf32> into f32
func.func @masks(%one: i32, %start: index, %x: memref<64xi32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<64xi32>
  %b = arith.andi %start, %n : index
  spmd.sub_group (%lx) shape [4] at (%b) {
    %in = arith.cmpi slt, %lx, %n : index
    %r = spmd.masked %in -> (f32) {
      %v = memref.load %x[%lx] : memref<64xi32>
      %q = arith.divsi %one, %v : i32
      %f = arith.sitofp %q : i32 to f32
      %l = math.log %f : f32
      memref.store %l, %y[%lx] : memref<64xf32>
      spmd.yield %f : f32
    } else %zero : f32
    %any = spmd.any %in across sub_group
    %bit = arith.trunci %one : i32 to i1
    %differs = arith.cmpf one, %r, %zero : f32
    %odd = spmd.any %differs across sub_group
    %sum = spmd.reduce add %r across sub_group : f32
    "test.op"(%any, %odd, %sum) : (i1, i1, f32) -> ()
  }
  func.return
}

// -----

// Control flow around vectors: a counter stays scalar, an id that is carried on as well.

// CHECK-LABEL: func.func @control
// CHECK:         %r, %j = scf.for %k = %c0 to %n step %c1 iter_args([[A:%\w+]] = %v, [[J:%\w+]] = %b) -> (vector<4xf32>, index) {
// CHECK-NEXT:      [[W:%\w+]] = vector.load %x[[[J]]] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:      [[S:%\w+]] = arith.addf [[A]], [[W]] : vector<4xf32>
// CHECK-NEXT:      [[N:%\w+]] = arith.addi [[J]], %k : index
// CHECK-NEXT:      scf.yield [[S]], [[N]] : vector<4xf32>, index
// CHECK-NEXT:    }
// CHECK-NEXT:    vector.store %r, %x[%j] : memref<?xf32>, vector<4xf32>
func.func @control(%b: index, %n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%lx) shape [4] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %r, %j = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %i = %lx) -> (f32, index) {
      %w = memref.load %x[%i] : memref<?xf32>
      %s = arith.addf %a, %w : f32
      %next = arith.addi %i, %k : index
      scf.yield %s, %next : f32, index
    }
    memref.store %r, %x[%j] : memref<?xf32>
  }
  func.return
}

// -----

// Private arrays: `[element][lane]`, so that an element of all lanes is contiguous.

// CHECK-LABEL: func.func @private
// CHECK:         %a = memref.alloca() {alignment = 64 : i64} : memref<3x4xf32>
// CHECK:         vector.store %v, %a[%k, %c0] : memref<3x4xf32>, vector<4xf32>
// CHECK-NEXT:    %i = vector.load %e[%b] : memref<?xi32>, vector<4xi32>
// CHECK-NEXT:    {{%\w+}} = arith.muli %i, %c4_lanes overflow<nsw> : vector<4xi32>
// CHECK:         vector.gather %a[%c0, %c0] [{{%\w+}}], %all_on, {{%\w+}} {spmd.access = "gather", spmd.why = "%at has no fixed step from lane to lane"} : memref<3x4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
func.func @private(%b: index, %k: index, %x: memref<?xf32>, %e: memref<?xi32>) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %a = memref.alloca() : memref<3xf32>
    %v = memref.load %x[%lx] : memref<?xf32>
    memref.store %v, %a[%k] : memref<3xf32>
    %i = memref.load %e[%lx] : memref<?xi32>
    %at = arith.index_cast %i : i32 to index
    %p = memref.load %a[%at] : memref<3xf32>
    memref.store %p, %x[%lx] : memref<?xf32>
  }
  func.return
}

// -----

// Local memory is of one thread: a masked store writes back what was there, where that
// surely lies inside. Of an array of everybody nothing is read that was not asked for.

// CHECK-LABEL: func.func @local
// CHECK:         %v = vector.maskedload %x[%k], {{%\w+}}, {{%\w+}} : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK-NEXT:    %w = vector.load %tile[%k] : memref<8xf32, 3 : i64>, vector<4xf32>
// CHECK-NEXT:    %s = arith.addf %v, %w : vector<4xf32>
// CHECK-NEXT:    [[OLD:%\w+]] = vector.load %tile[%k] {spmd.access = "blend", spmd.why = "inactive lanes keep what is there"} : memref<8xf32, 3 : i64>, vector<4xf32>
// CHECK-NEXT:    [[NEW:%\w+]] = arith.select [[ON:%\w+]], %s, [[OLD]] : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    vector.store [[NEW]], %tile[%k] : memref<8xf32, 3 : i64>, vector<4xf32>
// CHECK-NEXT:    vector.maskedstore %x[%k], [[ON]], %s : memref<?xf32>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    vector.maskedstore %all[%k], [[ON]], %s : memref<8xf32>, vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    vector.maskedstore %small[%k], [[ON]], %s : memref<7xf32, 3 : i64>, vector<4xi1>, vector<4xf32>
func.func @local(%x: memref<?xf32>, %all: memref<8xf32>, %m: f32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %tile = memref.alloca() {spmd.group_memory} : memref<8xf32, 3 : i64>
  %small = memref.alloca() {spmd.group_memory} : memref<7xf32, 3 : i64>
  scf.for %k = %c0 to %c8 step %c4 {
    spmd.sub_group (%lx) shape [4] at (%k) {
      %i = arith.index_cast %lx : index to i64
      %f = arith.sitofp %i : i64 to f32
      %p = arith.cmpf olt, %f, %m : f32
      spmd.masked %p {
        %v = memref.load %x[%lx] : memref<?xf32>
        %w = memref.load %tile[%lx] : memref<8xf32, 3 : i64>
        %s = arith.addf %v, %w : f32
        memref.store %s, %tile[%lx] : memref<8xf32, 3 : i64>
        memref.store %s, %x[%lx] : memref<?xf32>
        memref.store %s, %all[%lx] : memref<8xf32>
        memref.store %s, %small[%lx] : memref<7xf32, 3 : i64>
      }
    }
  }
  func.return
}

// -----

// Offsets have 32 bits where no offset in the array needs more.

// CHECK-LABEL: func.func @as_far_as_i32_reaches
// CHECK:         vector.gather %x[%k, %c0] {{.*}} vector<4xi32>, vector<4xi1>
// CHECK-NEXT:    vector.scatter %y[%k, %c0] {{.*}} vector<4xindex>, vector<4xi1>
func.func @as_far_as_i32_reaches(%b: index, %at: memref<?xindex>, %x: memref<2x1000000000xi8>, %y: memref<2x1200000000xi8>, %k: index) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %i = memref.load %at[%lx] : memref<?xindex>
    %v = memref.load %x[%k, %i] : memref<2x1000000000xi8>
    memref.store %v, %y[%k, %i] : memref<2x1200000000xi8>
  }
  func.return
}

// -----

// The count of active lanes is one more than the bound, if that is a number of the type.

// CHECK-LABEL: func.func @last_counted
// CHECK:         [[END:%\w+]] = arith.addi %some, %c1_i32 : i32
// CHECK:         %p = vector.create_mask
// CHECK-NOT:     vector.create_mask
// CHECK:         %q = arith.cmpi sle
func.func @last_counted(%n: i32, %b: index, %x: memref<?xi32>) {
  %next_to_last = arith.constant 2147483646 : i32
  %last = arith.constant 2147483647 : i32
  %zero = arith.constant 0 : i32
  %from = arith.maxsi %n, %zero : i32
  %some = arith.minsi %from, %next_to_last : i32
  %all = arith.minsi %from, %last : i32
  spmd.sub_group (%lx) shape [4] at (%b) {
    %l = arith.index_cast %lx : index to i32
    %lid = spmd.lane_id
    %i = arith.index_cast %lid : index to i32
    %p = arith.cmpi sle, %i, %some : i32
    %q = arith.cmpi sle, %i, %all : i32
    spmd.masked %p {
      memref.store %zero, %x[%lx] : memref<?xi32>
    }
    spmd.masked %q {
      memref.store %zero, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}

// -----

// Where no lane is active the divisor is 1.

// CHECK-LABEL: func.func @quotient_of_none
// CHECK:         %c1_i32 = arith.constant 1 : i32
// CHECK:         [[SOME:%\w+]] = vector.reduction <or>
// CHECK-NEXT:    [[DIVISOR:%\w+]] = arith.select [[SOME]], %d, %c1_i32 : i32
// CHECK-NEXT:    %q = arith.divsi %u, [[DIVISOR]] : i32
func.func @quotient_of_none(%b: index, %x: memref<?xi32>, %u: i32, %d: i32, %n: index) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %low = arith.cmpi slt, %lx, %n : index
    spmd.masked %low {
      %q = arith.divsi %u, %d : i32
      memref.store %q, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}

// -----

// Read as unsigned, an end below zero is past all lanes.

// CHECK-LABEL: func.func @unsigned_end
// CHECK:         [[END:%\w+]] = arith.minui %n, %c9223372036854775807 : index
// CHECK-NEXT:    %low = vector.create_mask [[END]] : vector<4xi1>
func.func @unsigned_end(%b: index, %n: index, %x: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [4] at (%b) {
    %lane = spmd.lane_id
    %low = arith.cmpi ult, %lane, %n : index
    spmd.masked %low {
      memref.store %zero, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}

// -----

// Where some lane is known to be active the divisor is its own.

// CHECK-LABEL: func.func @quotient_of_some
// CHECK:         %q = arith.divsi %u, %d : i32
func.func @quotient_of_some(%b: index, %x: memref<?xi32>, %u: i32, %d: i32, %n: index) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %low = arith.cmpi slt, %lx, %n : index
    %some = spmd.any %low across sub_group
    scf.if %some {
      spmd.masked %low {
        %q = arith.divsi %u, %d : i32
        memref.store %q, %x[%lx] : memref<?xi32>
      }
    }
  }
  func.return
}

// -----

// A number of 32 bits that grows by one may wrap, but no lane after that accesses memory.

// CHECK-LABEL: func.func @narrow_index
// CHECK:         [[AT:%.*]] = arith.index_cast %n : i32 to index
// CHECK-NEXT:    vector.load %x{{\[}}[[AT]]]
// CHECK:         vector.maskedstore %x
// CHECK:         vector.scatter %x
// CHECK:         vector.scatter %x
func.func @narrow_index(%b: index, %n: i32, %x: memref<?xi32>, %m: memref<?xi1>) {
  spmd.sub_group (%lx) shape [16] at (%b) {
    %lane = spmd.lane_id
    %l = arith.index_cast %lane : index to i32
    %k = arith.addi %n, %l : i32
    %at = arith.index_cast %k : i32 to index
    %v = memref.load %x[%at] : memref<?xi32>
    %on = memref.load %m[%lx] : memref<?xi1>
    spmd.masked %on {
      memref.store %v, %x[%at] : memref<?xi32>
    }
    // What falls may have been the least number, and what has 16 bits may come all around.
    %down = arith.subi %n, %l : i32
    %below = arith.index_cast %down : i32 to index
    memref.store %v, %x[%below] : memref<?xi32>
    %short = arith.trunci %k : i32 to i16
    %near = arith.index_cast %short : i16 to index
    memref.store %v, %x[%near] : memref<?xi32>
  }
  func.return
}

// -----

// A choice between one value and the same is that value, and no vector.

// CHECK-LABEL: func.func @no_choice
// CHECK-NOT:     arith.select
// CHECK:         memref.load %t[%k]
// CHECK:         func.return
func.func @no_choice(%b: index, %k: index, %t: memref<?xf32>, %x: memref<?xf32>, %m: memref<?xi1>) {
  spmd.sub_group (%lx) shape [16] at (%b) {
    %on = memref.load %m[%lx] : memref<?xi1>
    %same = arith.select %on, %k, %k : index
    %v = memref.load %t[%same] : memref<?xf32>
    memref.store %v, %x[%lx] : memref<?xf32>
  }
  func.return
}

// -----

// Active lanes may only store the same value at one place: that of the first of them.

// CHECK-LABEL: func.func @one_place
// CHECK:         [[SOME:%\w+]] = vector.reduction <or>, %on : vector<4xi1> into i1
// CHECK-NEXT:    scf.if [[SOME]] {
// CHECK-NEXT:      [[PLACES:%\w+]] = arith.select %on, {{%\w+}}, {{%\w+}} : vector<4xi1>, vector<4xindex>
// CHECK-NEXT:      %storing = vector.reduction <minui>, [[PLACES]] : vector<4xindex> into index
// CHECK-NEXT:      [[FIRST:%\w+]] = vector.extract %v[%storing] : f32 from vector<4xf32>
// CHECK-NEXT:      memref.store [[FIRST]], %y[] : memref<f32>
// CHECK-NEXT:    }
func.func @one_place(%x: memref<64xf32>, %y: memref<f32>, %b: index) {
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [4] at (%b) {
    %v = memref.load %x[%lx] : memref<64xf32>
    %on = arith.cmpf ogt, %v, %zero : f32
    spmd.masked %on {
      memref.store %v, %y[] : memref<f32>
    }
  }
  func.return
}
