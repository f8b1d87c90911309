// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: expected a shape of 1 to 3 powers of two with a product of at most 256, got [12]
func.func @shape_of_twelve(%b: index) {
  spmd.sub_group (%i) shape [12] at (%b) {
  }
  func.return
}

// -----

// CHECK: expected a shape of 1 to 3 powers of two with a product of at most 256, got [32, 16]
func.func @shape_too_large(%b: index) {
  spmd.sub_group (%i, %j) shape [32, 16] at (%b, %b) {
  }
  func.return
}

// -----

// CHECK: expected a shape of 1 to 3 powers of two with a product of at most 256, got [0]
func.func @shape_zero(%b: index) {
  spmd.sub_group (%i) shape [0] at (%b) {
  }
  func.return
}

// -----

// CHECK: expected a shape of 1 to 3 powers of two with a product of at most 256, got [2, 2, 2, 2]
func.func @four_dimensions(%b: index) {
  spmd.sub_group (%i, %j, %k, %l) shape [2, 2, 2, 2] at (%b, %b, %b, %b) {
  }
  func.return
}

// -----

// CHECK: expected one first index per dimension (2), got 1
func.func @too_few_bases(%b: index) {
  spmd.sub_group (%i, %j) shape [8, 2] at (%b) {
  }
  func.return
}

// -----

// CHECK: expected no count or one per dimension (2), got 1
func.func @too_few_counts(%b: index) {
  spmd.sub_group (%i, %j) shape [8, 2] at (%b, %b) count %b {
  }
  func.return
}

// -----

// CHECK: expected a body with one index argument per dimension (2), got (index)
func.func @too_few_arguments(%b: index) {
  spmd.sub_group (%i) shape [8, 2] at (%b, %b) {
  }
  func.return
}

// -----

// CHECK: expected a body that yields nothing, got 1 values
func.func @sub_group_yields(%b: index) {
  spmd.sub_group (%i) shape [8] at (%b) {
    spmd.yield %i : index
  }
  func.return
}

// -----

// CHECK: expected no sub-group inside a sub-group, got one
func.func @nested(%b: index) {
  spmd.sub_group (%i) shape [8] at (%b) {
    spmd.sub_group (%j) shape [8] at (%b) {
    }
  }
  func.return
}

// -----

// CHECK: expected spmd.masked inside spmd.sub_group, got it outside
func.func @mask_outside(%m: i1) {
  spmd.masked %m {
  }
  func.return
}

// -----

// CHECK: expected yielded values of types (f32), got (index)
func.func @yielded_type(%b: index, %m: i1) {
  spmd.sub_group (%i) shape [8] at (%b) {
    %r = spmd.masked %m -> (f32) {
      spmd.yield %i : index
    }
  }
  func.return
}

// -----

// CHECK: expected yielded values of types (index), got ()
func.func @yields_too_few(%b: index, %m: i1) {
  spmd.sub_group (%i) shape [8] at (%b) {
    %r = spmd.masked %m -> (index) {
      spmd.yield
    } else %i : index
  }
  func.return
}

// -----

// CHECK: expected else values of types (index), got (index, index)
func.func @else_count(%b: index, %m: i1) {
  spmd.sub_group (%i) shape [8] at (%b) {
    %r = spmd.masked %m -> (index) {
      spmd.yield %i : index
    } else %i, %i : index, index
  }
  func.return
}

// -----

// CHECK: expected a body without arguments, got 1
func.func @masked_arguments(%b: index, %m: i1) {
  spmd.sub_group (%i) shape [8] at (%b) {
    "spmd.masked"(%m) ({
    ^bb0(%a: index):
      spmd.yield
    }) : (i1) -> ()
  }
  func.return
}

// -----

// CHECK: Operation memref.store terminates block in single-block region but is not a terminator
func.func @masked_without_yield(%b: index, %m: i1, %x: memref<f32>, %v: f32) {
  spmd.sub_group (%i) shape [8] at (%b) {
    %r = spmd.masked %m -> (f32) {
      memref.store %v, %x[] : memref<f32>
    }
  }
  func.return
}

// -----

// CHECK: 'spmd.masked' terminates with operation test.termop instead of spmd.yield
func.func @masked_ends_in_another_yield(%b: index, %m: i1, %v: f32) {
  spmd.sub_group (%i) shape [8] at (%b) {
    %r = spmd.masked %m -> (f32) {
      "test.termop"() : () -> ()
    }
  }
  func.return
}

// -----

// CHECK: 'spmd.yield' expects parent op to be one of 'spmd.sub_group', 'spmd.masked'
func.func @yield_from_function() {
  spmd.yield
}

// -----

// CHECK: 'spmd.sub_group' does not contain single-block regions
func.func @two_blocks(%b: index) {
  spmd.sub_group (%i) shape [8] at (%b) {
    cf.br ^bb1
  ^bb1:
    spmd.yield
  }
  func.return
}

// -----

// CHECK: 'spmd.sub_group' terminates with operation test.termop instead of spmd.yield
func.func @sub_group_ends_in_another_op(%b: index) {
  spmd.sub_group (%i) shape [8] at (%b) {
    "test.termop"() : () -> ()
  }
  func.return
}
