// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: func.func @casts
// CHECK-NEXT:    %a = arith.index_castui %x : i8 to index
// CHECK-NEXT:    %b = arith.index_castui %a : index to i32
// CHECK-NEXT:    %c = arith.index_castui %v : vector<4xi32> to vector<4xindex>
// GENERIC:         %a = "arith.index_castui"(%x) : (i8) -> index
func.func @casts(%x: i8, %v: vector<4xi32>) {
  %a = arith.index_castui %x : i8 to index
  %b = arith.index_castui %a : index to i32
  %c = arith.index_castui %v : vector<4xi32> to vector<4xindex>
  func.return
}

// CHECK-LABEL: func.func @remainders
// CHECK-NEXT:    %a = arith.remf %x, %x : f32
// CHECK-NEXT:    %b = arith.remf %v, %v fastmath<nnan> : vector<4xf64>
// GENERIC:         %a = "arith.remf"(%x, %x) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
func.func @remainders(%x: f32, %v: vector<4xf64>) {
  %a = arith.remf %x, %x : f32
  %b = arith.remf %v, %v fastmath<nnan> : vector<4xf64>
  func.return
}
