// RUN: xdsl-opt %s -p vectorize --verify-diagnostics --parsing-diagnostics --split-input-file --allow-unregistered-dialect | filecheck %s

// Nobody knows what an op that is not registered does with work-items.

// CHECK: expected an operation that is registered, got 'foo.bar': nobody knows what it does with work-items; load the dialect 'foo'
spmd.kernel @of_a_work_item(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.load %x[%i] : memref<?xf32>
  %w = "foo.bar"(%v) : (f32) -> f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}

// -----

// CHECK: expected an operation that is registered, got 'foo.bar'
func.func @loop(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = "foo.bar"(%v) : (f32) -> f32
    memref.store %w, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// CHECK: func.func @of_the_host
func.func @of_the_host() {
  "foo.bar"() : () -> ()
  func.return
}
