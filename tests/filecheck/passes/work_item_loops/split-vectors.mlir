// RUN: xdsl-opt %s -p split-vectors --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p split-vectors,split-vectors --split-input-file | filecheck %s

// Accesses side by side, and one op for each element.

// CHECK-LABEL: func.func @square
// CHECK:         scf.for %lx
// CHECK-NEXT:      %v = memref.load %x[%lx] {nontemporal = true} : memref<?xf32>
// CHECK-NEXT:      [[NEXT:%\w+]] = arith.addi %lx, %c1 : index
// CHECK-NEXT:      [[V1:%\w+]] = memref.load %x[[[NEXT]]]
// CHECK-NEXT:      %w = arith.mulf %v, %v fastmath<nnan> : f32
// CHECK-NEXT:      [[W1:%\w+]] = arith.mulf [[V1]], [[V1]] fastmath<nnan> : f32
// CHECK-NEXT:      [[U:%\w+]] = arith.addf %w, %cst : f32
// CHECK-NEXT:      [[U1:%\w+]] = arith.addf [[W1]], %cst_1 : f32
// CHECK-NEXT:      memref.store [[U]], %x[%lx]
// CHECK-NEXT:      [[NEXT:%\w+]] = arith.addi %lx, %c1 : index
// CHECK-NEXT:      memref.store [[U1]], %x[[[NEXT]]]
// CHECK-NEXT:    }
func.func @square(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant 1.0 : f32
  %cst_1 = arith.constant 2.0 : f32
  scf.for %lx = %c0 to %n step %c1 {
    %more = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    %v = vector.load %x[%lx] {nontemporal = true} : memref<?xf32>, vector<2xf32>
    %w = arith.mulf %v, %v fastmath<nnan> : vector<2xf32>
    %u = arith.addf %w, %more : vector<2xf32>
    vector.store %u, %x[%lx] : memref<?xf32>, vector<2xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Of a vector from outside of a nest of work-items, elements are taken outside of all of it.

// CHECK-LABEL: func.func @nest
// CHECK:         scf.for %j
// CHECK-NEXT:      vector.extract %a[0]
// CHECK-NEXT:      vector.extract %a[1]
// CHECK-NEXT:      scf.for %ly
// CHECK-NEXT:        scf.for %lx
func.func @nest(%x: memref<?x?xf32>, %n: index, %a: vector<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    scf.for %ly = %c0 to %n step %c1 {
      scf.for %lx = %c0 to %n step %c1 {
        %s = vector.reduction <add>, %a fastmath<reassoc> : vector<2xf32> into f32
        memref.store %s, %x[%ly, %lx] : memref<?x?xf32>
      } {spmd.work_items = array<i64: 0>}
    } {spmd.work_items = array<i64: 1>}
  }
  func.return
}

// -----

// Elements are taken, put, ordered and combined; of a vector from outside there.

// CHECK-LABEL: func.func @elements
// CHECK:         [[A:%\w+]] = vector.extract %a[0] : f32 from vector<2xf32>
// CHECK-NEXT:    [[B:%\w+]] = vector.extract %a[1] : f32 from vector<2xf32>
// CHECK-NEXT:    scf.for %lx
// CHECK-NEXT:      %s = memref.load
// CHECK-NEXT:      [[IS0:%\w+]] = arith.cmpi eq, %lx, %c0 : index
// CHECK-NEXT:      [[P0:%\w+]] = arith.select [[IS0]], %s, [[B]] : f32
// CHECK-NEXT:      [[IS1:%\w+]] = arith.cmpi eq, %lx, %c1 : index
// CHECK-NEXT:      [[P1:%\w+]] = arith.select [[IS1]], %s, [[A]] : f32
// CHECK-NEXT:      [[LARGE:%\w+]] = arith.maximumf [[P0]], [[P1]] : f32
// CHECK-NEXT:      [[SUM:%\w+]] = arith.addf [[LARGE]], [[P1]] fastmath<reassoc> : f32
// CHECK-NEXT:      [[ALL:%\w+]] = arith.addf [[SUM]], %s fastmath<reassoc> : f32
// CHECK-NEXT:      [[IS:%\w+]] = arith.cmpi eq, %lx, %c1 : index
// CHECK-NEXT:      [[ONE:%\w+]] = arith.select [[IS]], [[P1]], [[P0]] : f32
// CHECK-NEXT:      %fused = math.fma [[P0]], %s, [[P0]] : f32
// CHECK-NEXT:      %{{.*}} = math.fma [[P1]], %s, [[P1]] : f32
// CHECK-NEXT:      "test.op"([[ALL]], [[ONE]], %fused, [[P1]])
func.func @elements(%x: memref<?xf32>, %n: index, %a: vector<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %s = memref.load %x[%lx] : memref<?xf32>
    %turned = vector.shuffle %a, %a [1, 2] : vector<2xf32>, vector<2xf32>
    %put = vector.insert %s, %turned[%lx] : f32 into vector<2xf32>
    %large = vector.reduction <maximumf>, %put : vector<2xf32> into f32
    %ss = vector.broadcast %s : f32 to vector<2xf32>
    %two = vector.insert %large, %ss[0] : f32 into vector<2xf32>
    %mixed = vector.shuffle %two, %put [0, 3, 1] : vector<2xf32>, vector<2xf32>
    %all = vector.reduction <add>, %mixed fastmath<reassoc> : vector<3xf32> into f32
    %one = vector.extract %put[%lx] : f32 from vector<2xf32>
    %fused = vector.fma %put, %ss, %put : vector<2xf32>
    %first = vector.extract %fused[0] : f32 from vector<2xf32>
    %last = vector.extract %put[1] : f32 from vector<2xf32>
    "test.op"(%all, %one, %first, %last) : (f32, f32, f32, f32) -> ()
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Control flow forwards elements.

// CHECK-LABEL: func.func @control
// CHECK:         scf.for %lx
// CHECK:           [[R:%\w+]], [[R1:%\w+]], %k = scf.while ([[A:%\w+]] = %v, [[A1:%\w+]] = %{{.*}}, %{{.*}} = %c0) : (f32, f32, index) -> (f32, f32, index) {
// CHECK:             scf.condition(%{{.*}}) [[A]], [[A1]], %{{.*}} : f32, f32, index
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^bb0([[B:%\w+]]: f32, [[B1:%\w+]]: f32, %{{.*}}: index):
// CHECK:             [[C:%\w+]], [[C1:%\w+]] = scf.if %{{.*}} -> (f32, f32) {
// CHECK:               scf.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield [[B]], [[B1]] : f32, f32
// CHECK-NEXT:        }
// CHECK:             scf.yield [[C]], [[C1]], %{{.*}} : f32, f32, index
// CHECK:           memref.store [[R]]
func.func @control(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %v = vector.load %x[%lx] : memref<?xf32>, vector<2xf32>
    %r, %k = scf.while (%a = %v, %i = %c0) : (vector<2xf32>, index) -> (vector<2xf32>, index) {
      %more = arith.cmpi slt, %i, %lx : index
      scf.condition(%more) %a, %i : vector<2xf32>, index
    } do {
    ^bb0(%b: vector<2xf32>, %j: index):
      %odd = arith.cmpi eq, %j, %c1 : index
      %c = scf.if %odd -> (vector<2xf32>) {
        %d = arith.negf %b : vector<2xf32>
        scf.yield %d : vector<2xf32>
      } else {
        scf.yield %b : vector<2xf32>
      }
      %next = arith.addi %j, %c1 : index
      scf.yield %c, %next : vector<2xf32>, index
    }
    vector.store %r, %x[%k] : memref<?xf32>, vector<2xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: an op on whole vectors; vectors that fill a register, of AVX2 here; and loops that are not over work-items.

// CHECK-LABEL: func.func @kept
// CHECK:         vector.load
// CHECK:         vector.bitcast
// CHECK:         vector.load %x[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK:         vector.load
func.func @kept(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %v = vector.load %x[%lx] : memref<?xf32>, vector<2xf32>
    %bits = vector.bitcast %v : vector<2xf32> to vector<1xi64>
    "test.op"(%bits) : (vector<1xi64>) -> ()
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    %v = vector.load %x[%lx] : memref<?xf32>, vector<8xf32>
    vector.store %v, %x[%lx] : memref<?xf32>, vector<8xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %i = %c0 to %n step %c1 {
    %v = vector.load %x[%i] : memref<?xf32>, vector<2xf32>
    vector.store %v, %x[%c0] : memref<?xf32>, vector<2xf32>
  }
  func.return
}
