// RUN: xdsl-opt %s -p spmd-to-loops,vectorize | filecheck %s --check-prefix AVX2
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{target=x86-64-v4}' | filecheck %s --check-prefix AVX512
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{target=128}' | filecheck %s --check-prefix BITS
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{target=host}' | filecheck %s --check-prefix HOST

// Lanes are chosen for a target, and by default for one that does not depend on the machine.

// AVX2-LABEL:   func.func @scale
// AVX2:           arith.mulf {{.*}} : vector<32xf32>
// AVX512-LABEL: func.func @scale
// AVX512:         arith.mulf {{.*}} : vector<64xf32>
// BITS-LABEL:   func.func @scale
// BITS:           arith.mulf {{.*}} : vector<16xf32>
// HOST-LABEL:   func.func @scale
// HOST:           arith.mulf {{.*}} : vector<{{16|32|64}}xf32>
spmd.kernel @scale(%a: f32, %x: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.mulf %a, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
