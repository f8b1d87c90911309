// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

func.func @indices(%x: memref<?x8xf32>, %i: index) {
  // CHECK: expected one index per dimension of memref<?x8xf32> (2), got 1
  memref.prefetch %x[%i], read, locality<3>, data : memref<?x8xf32>
  func.return
}

// -----

func.func @locality(%x: memref<?xf32>, %i: index) {
  // CHECK: expected a locality from 0 (used once) to 3 (used again and again), got 4
  memref.prefetch %x[%i], read, locality<4>, data : memref<?xf32>
  func.return
}

// -----

func.func @access(%x: memref<?xf32>, %i: index) {
  // CHECK: expected 'read' or 'write'
  memref.prefetch %x[%i], both, locality<3>, data : memref<?xf32>
  func.return
}

// -----

func.func @cache(%x: memref<?xf32>, %i: index) {
  // CHECK: expected 'data' or 'instr'
  memref.prefetch %x[%i], read, locality<3>, code : memref<?xf32>
  func.return
}
