// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Compares: one bit per element; flags and attributes survive.

// CHECK-LABEL: func.func @compares
// CHECK-NEXT:    %a = arith.cmpi slt, %i, %i : vector<4xi32>
// CHECK-NEXT:    %b = arith.cmpf olt, %x, %x fastmath<nnan> : vector<4xf32>
// CHECK-NEXT:    %c = arith.cmpf une, %x, %x {spmd.note = "kept"} : vector<4xf32>
// CHECK-NEXT:    %d = arith.ori %a, %b : vector<4xi1>
// CHECK-NEXT:    func.return %d : vector<4xi1>
func.func @compares(%i: vector<4xi32>, %x: vector<4xf32>) -> vector<4xi1> {
  %a = arith.cmpi slt, %i, %i : vector<4xi32>
  %b = arith.cmpf olt, %x, %x fastmath<nnan> : vector<4xf32>
  %c = arith.cmpf une, %x, %x {spmd.note = "kept"} : vector<4xf32>
  %d = arith.ori %a, %b : vector<4xi1>
  func.return %d : vector<4xi1>
}

// Select: a condition per element is named in the type list, one for all is not.

// CHECK-LABEL: func.func @selects
// CHECK-NEXT:    %0 = arith.select %m, %x, %y : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    %1 = arith.select %c, %0, %y : vector<4xf32>
// CHECK-NEXT:    %2 = arith.select %c, %s, %s {spmd.note = "kept"} : f32
func.func @selects(
  %m: vector<4xi1>, %c: i1, %x: vector<4xf32>, %y: vector<4xf32>, %s: f32
) -> vector<4xf32> {
  %0 = arith.select %m, %x, %y : vector<4xi1>, vector<4xf32>
  %1 = arith.select %c, %0, %y : vector<4xf32>
  %2 = arith.select %c, %s, %s {spmd.note = "kept"} : f32
  func.return %1 : vector<4xf32>
}

// CHECK-LABEL: func.func @casts
// CHECK-NEXT:    arith.extui %m : vector<4xi1> to vector<4xi32>
// CHECK-NEXT:    arith.extsi %i : vector<4xi32> to vector<4xi64>
// CHECK-NEXT:    arith.trunci %i : vector<4xi32> to vector<4xi8>
// CHECK-NEXT:    arith.sitofp %i : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:    arith.uitofp %i : vector<4xi32> to vector<4xf64>
// CHECK-NEXT:    arith.fptosi %x : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:    arith.fptoui %x : vector<4xf32> to vector<4xi64>
// CHECK-NEXT:    arith.index_cast %i : vector<4xi32> to vector<4xindex>
func.func @casts(%m: vector<4xi1>, %i: vector<4xi32>, %x: vector<4xf32>) {
  %0 = arith.extui %m : vector<4xi1> to vector<4xi32>
  %1 = arith.extsi %i : vector<4xi32> to vector<4xi64>
  %2 = arith.trunci %i : vector<4xi32> to vector<4xi8>
  %3 = arith.sitofp %i : vector<4xi32> to vector<4xf32>
  %4 = arith.uitofp %i : vector<4xi32> to vector<4xf64>
  %5 = arith.fptosi %x : vector<4xf32> to vector<4xi32>
  %6 = arith.fptoui %x : vector<4xf32> to vector<4xi64>
  %7 = arith.index_cast %i : vector<4xi32> to vector<4xindex>
  func.return
}
