// RUN: xdsl-opt %s -p interchange-loops --split-input-file | filecheck %s

// All work-items run an iteration before the next one: %data is contiguous then.

// CHECK-LABEL: func.func @counters
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      scf.for %lx = %c0 to %c64 step %c1 {
// CHECK-NEXT:        %own = arith.addi %first, %lx : index
// CHECK-NEXT:        %row = arith.muli %i, %c64 : index
// CHECK:             memref.load %data
// CHECK:             memref.store %new
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    } {name}
func.func @counters(%data: memref<?xi32>, %counters: memref<256x64xi8>, %n: index, %first: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i8
  scf.for %lx = %c0 to %c64 step %c1 {
    %own = arith.addi %first, %lx : index
    scf.for %i = %c0 to %n step %c1 {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %own : index
      %v32 = memref.load %data[%at] : memref<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = memref.load %counters[%v, %lx] : memref<256x64xi8>
      %new = arith.addi %old, %one : i8
      memref.store %new, %counters[%v, %lx] : memref<256x64xi8>
    } {name}
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: contiguous from one iteration to the next.

// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %lx
// CHECK:           scf.for %i
func.func @rows(%data: memref<64x?xi32>, %counters: memref<256x64xi8>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i8
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %v32 = memref.load %data[%lx, %i] : memref<64x?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = memref.load %counters[%v, %lx] : memref<256x64xi8>
      %new = arith.addi %old, %one : i8
      memref.store %new, %counters[%v, %lx] : memref<256x64xi8>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: something is written before the loop.

// CHECK-LABEL: func.func @written
// CHECK:         scf.for %lx
// CHECK:           memref.store %zero
// CHECK:           scf.for %i
func.func @written(%data: memref<?xi32>, %counters: memref<256x64xi8>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  scf.for %lx = %c0 to %c64 step %c1 {
    memref.store %zero, %counters[%c0, %lx] : memref<256x64xi8>
    scf.for %i = %c0 to %n step %c1 {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %lx : index
      %v32 = memref.load %data[%at] : memref<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = memref.load %counters[%v, %lx] : memref<256x64xi8>
      %new = arith.addi %old, %one : i8
      memref.store %new, %counters[%v, %lx] : memref<256x64xi8>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Atomic updates come in any order.

// CHECK-LABEL: func.func @atomics
// CHECK:         scf.for %i = %c0 to %c64 step %c1 {
// CHECK-NEXT:      scf.for %lx = %c0 to %c256 step %c1 {
// CHECK:             spmd.atomic_rmw
func.func @atomics(%data: memref<?xi32>, %counters: memref<256xi32, 3 : i64>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1 : i32
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      %row = arith.muli %i, %c256 : index
      %at = arith.addi %row, %lx : index
      %v32 = memref.load %data[%at] : memref<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = spmd.atomic_rmw add %one, %counters[%v] : memref<256xi32, 3 : i64>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Work-items begin one beside the other; the last iteration is that of the first of them.

// CHECK-LABEL: func.func @grid_stride
// CHECK:         %base = arith.muli
// CHECK-NEXT:    scf.for %first = %base to %n step %size {
// CHECK-NEXT:      %left = arith.subi %n, %first : index
// CHECK-NEXT:      %active_x = arith.minui %c64, %left : index
// CHECK-NEXT:      scf.for %lx = %c0 to %active_x step %c1 {
// CHECK-NEXT:        %i = arith.addi %first, %lx overflow<nsw> : index
// CHECK-NEXT:        %v = memref.load %data[%i]
// CHECK-NEXT:        memref.store %v, %out[%i]
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    }
func.func @grid_stride(%data: memref<?xi32>, %out: memref<?xi32>, %n: index, %size: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %base = arith.muli %c64, %gx overflow<nsw, nuw> : index
  scf.for %lx = %c0 to %c64 step %c1 {
    %g = arith.addi %base, %lx overflow<nsw, nuw> : index
    scf.for %i = %g to %n step %size {
      %v = memref.load %data[%i] : memref<?xi32>
      memref.store %v, %out[%i] : memref<?xi32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: where the loop begins may wrap.

// CHECK-LABEL: func.func @wraps
// CHECK:         scf.for %lx
// CHECK:           scf.for %i
func.func @wraps(%data: memref<?xi32>, %n: index, %from: i64, %size: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %base = arith.index_cast %from : i64 to index
  scf.for %lx = %c0 to %c64 step %c1 {
    %g = arith.addi %base, %lx : index
    scf.for %i = %g to %n step %size {
      %at = arith.addi %i, %c1 : index
      memref.store %zero, %data[%at] : memref<?xi32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// It does not, since elements are stored there.

// CHECK-LABEL: func.func @stored
// CHECK:         scf.for %first = %base to %n step %size {
// CHECK:           scf.for %lx = %c0 to %active_x step %c1 {
func.func @stored(%data: memref<?xi32>, %n: index, %from: i64, %size: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %base = arith.index_cast %from : i64 to index
  scf.for %lx = %c0 to %c64 step %c1 {
    %g = arith.addi %base, %lx : index
    scf.for %i = %g to %n step %size {
      memref.store %zero, %data[%i] : memref<?xi32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Both loops go around the work-items of all dimensions.

// CHECK-LABEL: func.func @planes
// CHECK:         scf.for %i
// CHECK-NEXT:      scf.for %j
// CHECK-NEXT:        scf.for %ly
// CHECK-NEXT:          scf.for %lx
// CHECK:                 memref.store
func.func @planes(%data: memref<?x?x8x32xi32>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  scf.for %ly = %c0 to %c8 step %c1 {
    scf.for %lx = %c0 to %c32 step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          memref.store %zero, %data[%i, %j, %ly, %lx] : memref<?x?x8x32xi32>
        }
      }
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Kept: a function of the library would be called in each iteration; sums stay in registers.

// CHECK-LABEL: func.func @again
// CHECK:         scf.for %lx
// CHECK:           math.exp
// CHECK:           scf.for %i
// CHECK:         scf.for %lx
// CHECK:           scf.for %i
func.func @again(%data: memref<?xf32>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c64 step %c1 {
    %l = arith.index_cast %lx : index to i32
    %f = arith.sitofp %l : i32 to f32
    %e = math.exp %f : f32
    scf.for %i = %c0 to %n step %c1 {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %lx : index
      memref.store %e, %data[%at] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c64 step %c1 {
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %lx : index
      %v = memref.load %data[%at] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %data[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: the next rows are in the same page, or in local memory.

// CHECK-LABEL: func.func @near
// CHECK:         scf.for %lx
// CHECK:           scf.for %i
// CHECK:         scf.for %lx_1
// CHECK:           scf.for %i_1
func.func @near(%data: memref<?xf32>, %tile: memref<64x2048xf32, #spmd.memory<local>>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %i = %lx to %n step %c64 {
      memref.store %zero, %data[%i] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %tile[%i, %lx] : memref<64x2048xf32, #spmd.memory<local>>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Rows of 1024 bytes are stored as a whole, if near each other; what is read is there in any order.

// CHECK-LABEL: func.func @stored_rows
// CHECK:         scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %lx = %c0 to %c256 step %c1 {
// CHECK:         scf.for %lx_1 = %c0 to %c256 step %c1 {
// CHECK-NEXT:      scf.for %i_1 = %c0 to %c4 step %c1 {
// CHECK:         scf.for %lx_2 = %c0 to %c128 step %c1 {
// CHECK-NEXT:      scf.for %i_2 = %c0 to %c4 step %c1 {
func.func @stored_rows(%data: memref<?xf32>, %last: memref<256xf32, 3 : i64>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %c0 to %c4 step %c1 {
      %row = arith.muli %i, %c256 : index
      %at = arith.addi %row, %lx : index
      memref.store %zero, %data[%at] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %c0 to %c4 step %c1 {
      %row = arith.muli %i, %c256 : index
      %at = arith.addi %row, %lx : index
      %v = memref.load %data[%at] : memref<?xf32>
      memref.store %v, %last[%lx] : memref<256xf32, 3 : i64>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c128 step %c1 {
    scf.for %i = %c0 to %c4 step %c1 {
      %row = arith.muli %i, %c128 : index
      %at = arith.addi %row, %lx : index
      memref.store %zero, %data[%at] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: as many accesses go along memory in the inner loop as do in the outer one.

// CHECK-LABEL: func.func @as_many
// CHECK:         scf.for %lx
// CHECK:           scf.for %i
func.func @as_many(%x: memref<?x?xf32>, %rows: memref<?x?xf32>, %y: memref<?x?xf32>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %rows[%lx, %i] : memref<?x?xf32>
      %w = memref.load %y[%lx, %i] : memref<?x?xf32>
      %old = memref.load %x[%i, %lx] : memref<?x?xf32>
      %a = arith.addf %v, %w : f32
      %new = arith.addf %a, %old : f32
      memref.store %new, %x[%i, %lx] : memref<?x?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
