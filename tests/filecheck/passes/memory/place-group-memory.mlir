// RUN: xdsl-opt %s -p place-group-memory | filecheck %s

// At most 16 KiB: stays. Memory of a work-item is none of our business.

// CHECK-LABEL: func.func @small
// CHECK-SAME:    %nz: index) attributes
// CHECK-NEXT:    %a = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<2048xf32, 3 : i64>
// CHECK-NEXT:    %b = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<2048xf32>
// CHECK-NEXT:    %private = memref.alloca() : memref<100000xf32>
// CHECK-NOT:   @small.scratch_bytes
func.func @small(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %a = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<2048xf32, 3 : i64>
  %b = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<2048xf32>
  %private = memref.alloca() : memref<100000xf32>
  "test.op"(%a, %b, %private) : (memref<2048xf32, 3 : i64>, memref<2048xf32>, memref<100000xf32>) -> ()
  func.return
}

// What does not fit any more begins at a multiple of a cache line.

// CHECK-LABEL: func.func @large
// CHECK-SAME:    (%x: memref<?xf32> {spmd.noalias}, %gx: index
// CHECK-SAME:    %nz: index, %scratch: memref<?xi8>) attributes
// CHECK-NEXT:    %c64 = arith.constant 64 : index
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %a = memref.alloca()
// CHECK-NEXT:    %b = memref.view %scratch[%c0][] : memref<?xi8> to memref<3xf32>
// CHECK-NEXT:    [[VIEW:%.*]] = memref.view %scratch[%c64][] : memref<?xi8> to memref<4096xf32>
// CHECK-NEXT:    %c = "memref.memory_space_cast"([[VIEW]]) : (memref<4096xf32>) -> memref<4096xf32, 3 : i64>
// CHECK-LABEL: func.func @large.scratch_bytes
// CHECK-SAME:    (%ex: index, %ey: index, %ez: index) -> index
// CHECK-NEXT:    %c16448 = arith.constant 16448 : index
// CHECK-NEXT:    func.return %{{bytes|c16448}} : index
func.func @large(%x: memref<?xf32> {spmd.noalias}, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %a = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<4096xf32, 3 : i64>
  %b = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<3xf32>
  %c = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<4096xf32, 3 : i64>
  "test.op"(%a, %b, %c) : (memref<4096xf32, 3 : i64>, memref<3xf32>, memref<4096xf32, 3 : i64>) -> ()
  func.return
}

// Sizes that the launch decides about.

// CHECK-LABEL: func.func @dynamic
// CHECK:         [[ROW:%.*]] = arith.muli %ey, %c4 overflow<nsw,nuw> : index
// CHECK-NEXT:    [[SIZE:%.*]] = arith.muli %ex, [[ROW]] overflow<nsw,nuw> : index
// CHECK-NEXT:    [[MORE:%.*]] = arith.addi [[SIZE]], %c63 overflow<nsw,nuw> : index
// CHECK-NEXT:    [[NEXT:%.*]] = arith.andi [[MORE]], %cm64 : index
// CHECK-NEXT:    %a = memref.view %scratch[%c0][%ey, %ex] : memref<?xi8> to memref<?x?xf32>
// CHECK:         %b = memref.view %scratch{{\[}}[[NEXT]]{{\]}}[%n] : memref<?xi8> to memref<?xi8>
// CHECK-LABEL: func.func @dynamic.scratch_bytes
// CHECK-SAME:    (%ex: index, %ey: index, %ez: index) -> index
// CHECK-NOT:     %scratch
// CHECK:         arith.muli %ez, %c32
// CHECK:         %bytes = arith.andi
// CHECK-NEXT:    func.return %{{bytes|c16448}} : index
func.func @dynamic(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c32 = arith.constant 32 : index
  %n = arith.muli %ez, %c32 : index
  %a = memref.alloca(%ey, %ex) {alignment = 64 : i64, spmd.group_memory} : memref<?x?xf32>
  %b = memref.alloca(%n) {alignment = 64 : i64, spmd.group_memory} : memref<?xi8>
  "test.op"(%a, %b) : (memref<?x?xf32>, memref<?xi8>) -> ()
  func.return
}
