// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

spmd.kernel @scale(%a: f32, %x: memref<?xf32, #spmd.memory<global>>) {
  spmd.return
}
spmd.kernel @fixed() attributes {work_group_size = array<i64: 8, 8>} {
  spmd.return
}
spmd.kernel @local(%tile: memref<?x?xf32, #spmd.memory<local>>, %n: index, %row: memref<4xf32, #spmd.memory<local>>) {
  spmd.return
}

// CHECK-LABEL: func.func @host
func.func @host(%n: index, %a: f32, %x: memref<?xf32>) {
  // CHECK-NEXT: spmd.launch @scale groups(%n) of(%n) (%a, %x) : f32, memref<?xf32>
  // GENERIC: "spmd.launch"(%n, %n, %a, %x) <{kernel = @scale, extent = #spmd.extent<groups>, argument_types = [f32, memref<?xf32>], operandSegmentSizes = array<i32: 1, 1, 2>}> : (index, index, f32, memref<?xf32>) -> ()
  spmd.launch @scale groups(%n) of(%n) (%a, %x) : f32, memref<?xf32>

  // CHECK-NEXT: spmd.launch @scale global(%n, %n, %n) of(%n, %n, %n) (%a, %x) {mine.note} : f32, memref<?xf32>
  spmd.launch @scale global(%n, %n, %n) of(%n, %n, %n) (%a, %x) {mine.note} : f32, memref<?xf32>

  // A kernel that fixes its size needs no `of`, but may have it.
  // CHECK-NEXT: spmd.launch @fixed global(%n, %n) ()
  // CHECK-NEXT: spmd.launch @fixed groups(%n) of(%n, %n) ()
  // GENERIC: "spmd.launch"(%n, %n) <{kernel = @fixed, extent = #spmd.extent<global>, argument_types = [], operandSegmentSizes = array<i32: 2, 0, 0>}> : (index, index) -> ()
  spmd.launch @fixed global(%n, %n) ()
  spmd.launch @fixed groups(%n) of(%n, %n) ()

  // A local argument is its sizes, one for each `?`.
  // CHECK-NEXT: spmd.launch @local groups(%n) of(%n) (local(%n, %n), %n, local()) : memref<?x?xf32, #spmd.memory<local>>, index, memref<4xf32, #spmd.memory<local>>
  // GENERIC: "spmd.launch"(%n, %n, %n, %n, %n) <{kernel = @local, extent = #spmd.extent<groups>, argument_types = [memref<?x?xf32, #spmd.memory<local>>, index, memref<4xf32, #spmd.memory<local>>], operandSegmentSizes = array<i32: 1, 1, 3>}>
  spmd.launch @local groups(%n) of(%n) (local(%n, %n), %n, local())
    : memref<?x?xf32, #spmd.memory<local>>, index, memref<4xf32, #spmd.memory<local>>
  func.return
}
