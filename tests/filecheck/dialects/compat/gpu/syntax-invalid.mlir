// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: expected memory of known size as attribution, got memref<?xf32, 3 : i64>; what the launch sizes is gpu.dynamic_shared_memory
gpu.module @m {
  gpu.func @f() workgroup(%x: memref<?xf32, 3>) kernel {
    gpu.return
  }
}

// -----

// CHECK: expected a kernel without results, got () -> f32
gpu.module @m {
  gpu.func @f() -> f32 kernel {
    %v = arith.constant 1.0 : f32
    gpu.return %v : f32
  }
}

// -----

// CHECK: expected a body whose arguments begin with those of the function, (f32), got (i32)
gpu.module @m {
  "gpu.func"() <{function_type = (f32) -> ()}> ({
  ^bb0(%x: i32):
    gpu.return
  }) {sym_name = "f"} : () -> ()
}

// -----

// CHECK: expected a gpu.func with a body, got a declaration
gpu.module @m {
  "gpu.func"() <{function_type = () -> ()}> ({
  }) {sym_name = "f"} : () -> ()
}

// -----

// CHECK: expected a body that begins with 12 arguments of type index (ids of groups, ids of work-items, numbers of groups, sizes of groups), got (i32)
func.func @f(%n: index) {
  "gpu.launch"(%n, %n, %n, %n, %n, %n) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
  ^bb0(%x: i32):
    "gpu.terminator"() : () -> ()
  }) : (index, index, index, index, index, index) -> ()
  func.return
}

// -----

// CHECK: expected blocks(...) with 3 ids in 3 sizes, got 2 in 3
func.func @f(%n: index) {
  gpu.launch blocks(%bx, %by) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%ex = %n, %ey = %n, %ez = %n) {
    gpu.terminator
  }
  func.return
}

// -----

// CHECK: expected a source like memref<4xf32>, got memref<5xf32>
func.func @f(%x: memref<4xf32>, %y: memref<5xf32>) {
  gpu.memcpy %x, %y : memref<4xf32>, memref<5xf32>
  func.return
}

// -----

// CHECK: expected a value of type f32, got i32
func.func @f(%x: memref<4xf32>, %y: i32) {
  gpu.memset %x, %y : memref<4xf32>, i32
  func.return
}

// -----

// CHECK: expected memory of type memref<?xi8, ...>, got memref<?xf32>
func.func @f() {
  %x = gpu.dynamic_shared_memory : memref<?xf32>
  func.return
}

// -----

// CHECK: expected a width that is a power of two, got 12
func.func @f(%v: f32) {
  %a, %b = gpu.rotate %v, 3, 12 : f32
  func.return
}

// -----

// CHECK: expected an offset below 16, got 16
func.func @f(%v: f32) {
  %a, %b = gpu.rotate %v, 16, 16 : f32
  func.return
}

// -----

// CHECK: expected clusters with a size that is a power of two, got 3
func.func @f(%v: f32) {
  %a = gpu.subgroup_reduce add %v cluster(size = 3) : (f32) -> f32
  func.return
}

// -----

// CHECK: expected a lane with specific_lane
func.func @f(%v: f32) {
  %a = gpu.subgroup_broadcast %v, specific_lane : f32
  func.return
}

// -----

// CHECK: attribute f32 expected from variable 'T', but got i32
func.func @f(%v: f32, %n: i32) {
  %a, %b = "gpu.shuffle"(%v, %n, %n) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (i32, i1)
  func.return
}
