// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// Without results, the terminators are printed too.

// CHECK-LABEL: func.func @no_results
// CHECK-NEXT:    scf.execute_region {
// CHECK-NEXT:      cf.cond_br %c, ^bb1, ^bb2
// CHECK-NEXT:    ^bb1:
// CHECK-NEXT:      cf.br ^bb2
// CHECK-NEXT:    ^bb2:
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {spmd.note = "kept"}
func.func @no_results(%c: i1) {
  scf.execute_region {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    cf.br ^bb2
  ^bb2:
    scf.yield
  } {spmd.note = "kept"}
  func.return
}

// CHECK-LABEL: func.func @results
// CHECK-NEXT:    %0, %1 = scf.execute_region -> (i1, index) {
// CHECK-NEXT:      scf.yield %c, %i : i1, index
// CHECK-NEXT:    }
func.func @results(%c: i1, %i: index) -> i1 {
  %0, %1 = scf.execute_region -> (i1, index) {
    scf.yield %c, %i : i1, index
  }
  func.return %0 : i1
}
