// RUN: xdsl-opt %s -p spmd-to-loops --split-input-file | filecheck %s

// Whole groups of a kernel that fixes its size: only full groups, and a check of the size.

// CHECK-LABEL: func.func @fill(
// CHECK-LABEL: func.func @fill.full(
// CHECK-LABEL: func.func @host
// CHECK-SAME:    (%g: index, %e: index, %x: memref<?xi32>)
// CHECK:         [[SAME:%.*]] = arith.cmpi eq, %e, %c64 : index
// CHECK-NEXT:    cf.assert [[SAME]], "spmd.launch @fill: expected the group size 64 x 1 x 1 that the kernel fixes"
// CHECK:         cf.assert %{{.*}}, "spmd.launch @fill: expected sizes from 0 to 281474976710656"
// CHECK:         %items_x = arith.muli %g, %c64 overflow<nsw,nuw> : index
// CHECK:         scf.for %gz = %c0 to %c1 step %c1 {
// CHECK-NEXT:      scf.for %gy = %c0 to %c1 step %c1 {
// CHECK-NEXT:        scf.for %gx = %c0 to %g step %c1 {
// CHECK-NEXT:          func.call @fill.full(%x, %gx, %gy, %gz, %c64, %c1, %c1, %items_x, %{{.*}}, %{{.*}})
// CHECK-NEXT:        } {spmd.groups}
// CHECK-NEXT:      } {spmd.groups}
// CHECK-NEXT:    } {spmd.groups}
// CHECK-NEXT:    func.return
spmd.kernel @fill(%x: memref<?xi32, #spmd.memory<global>>) attributes {work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %v = arith.constant 7 : i32
  memref.store %v, %x[%i] : memref<?xi32, #spmd.memory<global>>
  spmd.return
}
func.func @host(%g: index, %e: index, %x: memref<?xi32>) {
  spmd.launch @fill groups(%g) of(%e) (%x) : memref<?xi32>
  func.return
}

// -----

// That many work-items: each group calls the version that fits.

// CHECK-LABEL: func.func @host
// CHECK:         %groups_x = arith.ceildivui %n, %c64 : index
// CHECK:             scf.for %gx = %c0 to %groups_x step %c1 {
// CHECK:               scf.if %is_full {
// CHECK-NEXT:            func.call @fill.full(
// CHECK-NEXT:          } else {
// CHECK-NEXT:            func.call @fill(
spmd.kernel @fill(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %v = arith.constant 7 : i32
  memref.store %v, %x[%i] : memref<?xi32>
  spmd.return
}
func.func @host(%n: index, %x: memref<?xi32>) {
  spmd.launch @fill global(%n) (%x) : memref<?xi32>
  func.return
}

// -----

// Local memory of a size given at launch, and scratch memory, are allocated once.

// CHECK-LABEL: func.func @host
// CHECK:         %local = memref.alloc(%e) {alignment = 64 : i64} : memref<?xi32, 3 : i64>
// CHECK:         [[BYTES:%.*]] = func.call @local.scratch_bytes(%e, %c1, %c1) : (index, index, index) -> index
// CHECK-NEXT:    %scratch = memref.alloc([[BYTES]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NEXT:    scf.for %gz
// CHECK:               func.call @local(%x, %local, {{.*}}, %scratch)
// CHECK-COUNT-3:   } {spmd.groups}
// CHECK-NEXT:    memref.dealloc %scratch : memref<?xi8>
// CHECK-NEXT:    memref.dealloc %local : memref<?xi32, 3 : i64>
spmd.kernel @local(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %i = spmd.global_id x
  %l = spmd.local_id x
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  memref.store %v, %x[%l] : memref<?xi32>
  spmd.return
}
func.func @host(%n: index, %e: index, %x: memref<?xi32>) {
  spmd.launch @local global(%n) of(%e) (%x, local(%e)) : memref<?xi32>, memref<?xi32, #spmd.memory<local>>
  func.return
}

// -----

// Sizes that depend on values are checked where the kernel does not fix them; local memory too.

// CHECK-LABEL: func.func @host
// CHECK:         [[X:%.*]] = arith.subi %ex, %c1 : index
// CHECK-NEXT:    [[FITS:%.*]] = arith.cmpi ult, [[X]], %c16384 : index
// CHECK-NEXT:    cf.assert [[FITS]], "spmd.launch @any: expected a group size from 1 to 16384"
// CHECK:         cf.assert %{{.*}}, "spmd.launch @any: expected a group size from 1 to 16384"
// CHECK-NEXT:    [[ITEMS:%.*]] = arith.muli %ex, %ey : index
// CHECK-NEXT:    [[FEW:%.*]] = arith.cmpi ule, [[ITEMS]], %c16384 : index
// CHECK-NEXT:    cf.assert [[FEW]], "spmd.launch @any: expected at most 16384 work-items in a group"
// CHECK:         [[SMALL:%.*]] = arith.cmpi ule, %l, %c131072 : index
// CHECK-NEXT:    cf.assert [[SMALL]], "spmd.launch @any: expected at most 1048576 bytes of local memory, and sizes that are not negative"
// CHECK-NEXT:    memref.alloc(%l)
spmd.kernel @any(%tile: memref<2x?xi32, #spmd.memory<local>>) {
  spmd.return
}
func.func @host(%n: index, %ex: index, %ey: index, %l: index) {
  spmd.launch @any global(%n) of(%ex, %ey) (local(%l)) : memref<2x?xi32, #spmd.memory<local>>
  func.return
}

// -----

// A size that is left out is 1 and has to be what the kernel fixes.

// CHECK-LABEL: func.func @host
// CHECK:         cf.assert
// CHECK:         [[SAME:%.*]] = arith.cmpi eq, %c1, %c3 : index
// CHECK-NEXT:    cf.assert [[SAME]], "spmd.launch @plane: expected the group size 2 x 3 x 1 that the kernel fixes"
spmd.kernel @plane() attributes {work_group_size = array<i64: 2, 3>} {
  spmd.return
}
func.func @host(%n: index, %e: index) {
  spmd.launch @plane global(%n) of(%e) ()
  func.return
}

// -----

// What a kernel promises of its launches is held against them.

// CHECK-LABEL: func.func @host
// CHECK:         %items_x = arith.muli %g, %c64
// CHECK:         [[FEW:%.*]] = arith.cmpi ule, %items_x, %c1073741823 : index
// CHECK-NEXT:    cf.assert [[FEW]], "spmd.launch @fill: the kernel has spmd.few_items"
spmd.kernel @fill(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>, spmd.few_items} {
  %i = spmd.global_id x
  %v = arith.constant 7 : i32
  memref.store %v, %x[%i] : memref<?xi32>
  spmd.return
}
func.func @host(%g: index, %x: memref<?xi32>) {
  spmd.launch @fill groups(%g) (%x) : memref<?xi32>
  func.return
}

// -----

// A kernel may have the name that the version for full groups would have.

// CHECK-LABEL: func.func @host
// CHECK-NOT:     func.call @k.full(
// CHECK:         func.call @k(
// CHECK-NOT:     func.call @k.full(
spmd.kernel @k(%x: memref<?xi32>) {
  "test.op"() {of_groups} : () -> ()
  spmd.return
}
spmd.kernel @k.full(%x: memref<?xi32>) {
  "test.op"() {another} : () -> ()
  spmd.return
}
func.func @host(%n: index, %x: memref<?xi32>) {
  %c8 = arith.constant 8 : index
  spmd.launch @k global(%n) of(%c8) (%x) : memref<?xi32>
  func.return
}
