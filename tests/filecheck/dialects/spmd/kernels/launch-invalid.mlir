// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: expected a kernel named @missing, got nothing
func.func @no_such_kernel(%n: index) {
  spmd.launch @missing groups(%n) of(%n) ()
  func.return
}

// -----

// CHECK: expected a kernel named @not_a_kernel, got func.func
func.func @not_a_kernel(%n: index) {
  spmd.launch @not_a_kernel groups(%n) of(%n) ()
  func.return
}

// -----

// CHECK: expected of(...) with the work-group size, since kernel @k does not fix its own
spmd.kernel @k() {
  spmd.return
}
func.func @no_group_size(%n: index) {
  spmd.launch @k groups(%n) ()
  func.return
}

// -----

// CHECK: expected 1 arguments for kernel @k, got 0
spmd.kernel @k(%n: index) {
  spmd.return
}
func.func @too_few(%n: index) {
  spmd.launch @k groups(%n) of(%n) ()
  func.return
}

// -----

// CHECK: expected argument 1 of kernel @k to be memref<?xf32>, got memref<4xf32>
spmd.kernel @k(%n: index, %x: memref<?xf32>) {
  spmd.return
}
func.func @static_size(%n: index, %x: memref<4xf32>) {
  spmd.launch @k groups(%n) of(%n) (%n, %x) : index, memref<4xf32>
  func.return
}

// -----

// CHECK: expected 1 types, got 2
func.func @too_many_types(%n: index) {
  spmd.launch @k groups(%n) of(%n) (%n) : index, index
  func.return
}

// -----

// CHECK: expected local(...) for an argument of type memref<?xf32, #spmd.memory<local>>, got a value
func.func @value_for_local(%n: index, %x: memref<?xf32, #spmd.memory<local>>) {
  spmd.launch @k groups(%n) of(%n) (%x) : memref<?xf32, #spmd.memory<local>>
  func.return
}

// -----

// CHECK: expected a memref in #spmd.memory<local> for local(...), got memref<?xf32>
func.func @local_for_value(%n: index) {
  spmd.launch @k groups(%n) of(%n) (local(%n)) : memref<?xf32>
  func.return
}

// -----

// CHECK: expected one size for each ? of memref<?x?xf32, #spmd.memory<local>> (2), got 1
func.func @too_few_local_sizes(%n: index) {
  spmd.launch @k groups(%n) of(%n) (local(%n)) : memref<?x?xf32, #spmd.memory<local>>
  func.return
}

// -----

// CHECK: Expected `groups`, or `global`
func.func @no_sizes(%n: index) {
  spmd.launch @k of(%n) ()
  func.return
}

// -----

// CHECK: expected 1 to 3 sizes in groups(...), got 4
spmd.kernel @k() {
  spmd.return
}
func.func @four_sizes(%n: index) {
  spmd.launch @k groups(%n, %n, %n, %n) of(%n) ()
  func.return
}

// -----

// CHECK: expected 1 to 3 sizes in global(...), got 0
spmd.kernel @k() {
  spmd.return
}
func.func @empty_sizes(%n: index) {
  spmd.launch @k global() of(%n) ()
  func.return
}

// -----

// CHECK: expected 1 to 3 sizes in of(...), got 4
spmd.kernel @k() {
  spmd.return
}
func.func @group_in_four_dimensions(%n: index) {
  spmd.launch @k groups(%n) of(%n, %n, %n, %n) ()
  func.return
}

// -----

// CHECK: expected operands for the arguments of types (f32), got (index)
spmd.kernel @k(%x: f32) {
  spmd.return
}
func.func @generic_types(%n: index) {
  "spmd.launch"(%n, %n, %n) <{kernel = @k, extent = #spmd.extent<groups>, argument_types = [f32], operandSegmentSizes = array<i32: 1, 1, 1>}> : (index, index, index) -> ()
  func.return
}

// -----

// CHECK: expected the launch of @k in a host function, got it inside a kernel
spmd.kernel @k() {
  %n = spmd.global_size x
  spmd.launch @k groups(%n) of(%n) ()
  spmd.return
}

// -----

// CHECK: expected spmd.launch inside a kernel or function, got it at module level
spmd.kernel @k() {
  spmd.return
}
%n = arith.constant 1 : index
spmd.launch @k groups(%n) of(%n) ()

// -----

// CHECK: expected of, got by
func.func @no_such_word(%n: index) {
  spmd.launch @k groups(%n) by(%n) ()
  func.return
}

// -----

// CHECK: expected local, got private
func.func @no_such_memory(%n: index) {
  spmd.launch @k groups(%n) of(%n) (private(%n)) : memref<?xf32>
  func.return
}
