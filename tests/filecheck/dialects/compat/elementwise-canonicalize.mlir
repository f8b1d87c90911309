// RUN: xdsl-opt %s -p canonicalize,cse | filecheck %s
// RUN: xdsl-opt %s -p canonicalize,cse,canonicalize,cse | filecheck %s

// A compare of a vector with itself becomes a vector, of a scalar a scalar.

// CHECK-LABEL: func.func @equal_operands
// CHECK-NEXT:    %a = arith.constant dense<true> : vector<4xi1>
// CHECK-NEXT:    %b = arith.constant dense<false> : vector<4xi1>
// CHECK-NEXT:    %c = arith.constant true
// CHECK-NEXT:    func.return %a, %b, %c : vector<4xi1>, vector<4xi1>, i1
func.func @equal_operands(%v: vector<4xi32>, %s: i32)
    -> (vector<4xi1>, vector<4xi1>, i1) {
  %a = arith.cmpi sle, %v, %v : vector<4xi32>
  %b = arith.cmpi ult, %v, %v : vector<4xi32>
  %c = arith.cmpi eq, %s, %s : i32
  func.return %a, %b, %c : vector<4xi1>, vector<4xi1>, i1
}

// Two equal compares are one; a compare of other operands stays.

// CHECK-LABEL: func.func @merged
// CHECK-NEXT:    %a = arith.cmpi slt, %v, %w : vector<4xi32>
// CHECK-NEXT:    %c = arith.cmpi sgt, %v, %w : vector<4xi32>
// CHECK-NEXT:    %d = arith.select %a, %v, %w : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:    func.return %a, %a, %c, %d
func.func @merged(%v: vector<4xi32>, %w: vector<4xi32>)
    -> (vector<4xi1>, vector<4xi1>, vector<4xi1>, vector<4xi32>) {
  %a = arith.cmpi slt, %v, %w : vector<4xi32>
  %b = arith.cmpi slt, %v, %w : vector<4xi32>
  %c = arith.cmpi sgt, %v, %w : vector<4xi32>
  %d = arith.select %b, %v, %w : vector<4xi1>, vector<4xi32>
  func.return %a, %b, %c, %d : vector<4xi1>, vector<4xi1>, vector<4xi1>, vector<4xi32>
}

// A vector condition is no constant condition: the select stays.

// CHECK-LABEL: func.func @selects
// CHECK:         arith.select %m, %v, %w : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:    func.return %{{.*}}, %v
func.func @selects(%v: vector<4xi32>, %w: vector<4xi32>)
    -> (vector<4xi32>, vector<4xi32>) {
  %m = arith.constant dense<[true, false, true, false]> : vector<4xi1>
  %a = arith.select %m, %v, %w : vector<4xi1>, vector<4xi32>
  %b = arith.select %m, %v, %v : vector<4xi1>, vector<4xi32>
  func.return %a, %b : vector<4xi32>, vector<4xi32>
}
