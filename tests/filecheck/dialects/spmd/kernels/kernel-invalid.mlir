// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: argument 1: expected index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, or a memref of one of these, got vector<4xf32>
spmd.kernel @vector_argument(%n: index, %v: vector<4xf32>) {
  spmd.return
}

// -----

// CHECK: argument 0: expected index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, or a memref of one of these, got i24
spmd.kernel @odd_integer(%n: i24) {
  spmd.return
}

// -----

// CHECK: argument 0: expected index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, or a memref of one of these, got si32
spmd.kernel @signed_integer(%n: si32) {
  spmd.return
}

// -----

// CHECK: argument 0: expected a memref of index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, or of vectors as vector<4xf32>, got memref<4xcomplex<f32>>
spmd.kernel @complex_elements(%x: memref<4xcomplex<f32>>) {
  spmd.return
}

// -----

// CHECK: argument 0: expected a memref in #spmd.memory<global> (or without memory space) or #spmd.memory<local>, got memref<4xf32, #spmd.memory<private>>
spmd.kernel @private_argument(%x: memref<4xf32, #spmd.memory<private>>) {
  spmd.return
}

// -----

// CHECK: argument 0: expected a memref in #spmd.memory<global> (or without memory space) or #spmd.memory<local>, got memref<4xf32, 3 : i64>
spmd.kernel @numbered_memory(%x: memref<4xf32, 3>) {
  spmd.return
}

// -----

// CHECK: argument 0: expected the identity layout, or a strided one with a stride for each dimension, got memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>
spmd.kernel @transposed(%x: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>) {
  spmd.return
}

// -----

// CHECK: argument 0: expected the identity layout in local memory, got memref<4xf32, strided<[2]>, #spmd.memory<local>>
spmd.kernel @strided_local(%x: memref<4xf32, strided<[2]>, #spmd.memory<local>>) {
  spmd.return
}

// -----

// CHECK: argument 0: expected spmd.noalias on a memref, got f32
spmd.kernel @noalias_scalar(%x: f32 {spmd.noalias}) {
  spmd.return
}

// -----

// CHECK: argument 1: expected spmd.noalias, spmd.small, spmd.streamed or an attribute with the prefix of another dialect, got spmd.noailas
spmd.kernel @misspelt_noalias(%n: index, %x: memref<f32> {spmd.noailas}) {
  spmd.return
}

// -----

// CHECK: argument 0: expected spmd.streamed without a value or with where in a cache line rows begin (0, 16, 32, 48 : i64), got 8 : i64
spmd.kernel @begins_elsewhere(%x: memref<?xf32> {spmd.streamed = 8 : i64}) {
  spmd.return
}

// -----

// CHECK: argument 0: expected spmd.streamed on a memref, got f32
spmd.kernel @no_line(%x: f32 {spmd.streamed = 16 : i64}) {
  spmd.return
}

// -----

// CHECK: expected work_group_size, sub_group_size or one of spmd.full_groups, {{.*}} on a kernel, got spmd.full_group
spmd.kernel @misspelt_full_groups() attributes {work_group_size = array<i64: 64>, spmd.full_group} {
  spmd.return
}

// -----

// CHECK: expected work_group_size, sub_group_size or one of spmd.full_groups, {{.*}} on a kernel, got spmd.work_group_size
spmd.kernel @prefixed_size() attributes {spmd.work_group_size = array<i64: 64>} {
  spmd.return
}

// -----

// CHECK: argument 0: expected spmd.thread_copies = #spmd.atomic_kind<K> with a kind that combines, got #spmd.atomic_kind<exchange>
spmd.kernel @exchanged(%x: memref<?xi32> {spmd.thread_copies = #spmd.atomic_kind<exchange>}) {
  spmd.return
}

// -----

// CHECK: argument 0: expected spmd.thread_copies = #spmd.atomic_kind<K> with a kind that combines, got unit
spmd.kernel @copied_somehow(%x: memref<?xi32> {spmd.thread_copies}) {
  spmd.return
}

// -----

// CHECK: argument 0: expected spmd.thread_copies on a memref with identity layout in global memory, got memref<4xi32, strided<[2]>>
spmd.kernel @copied_stride(%x: memref<4xi32, strided<[2]>> {spmd.thread_copies = #spmd.atomic_kind<add>}) {
  spmd.return
}

// -----

// CHECK: argument 0: expected elements of an integer of 8 to 64 bits or index for and, got f32
spmd.kernel @copied_floats(%x: memref<?xf32> {spmd.thread_copies = #spmd.atomic_kind<and>}) {
  spmd.return
}

// -----

// CHECK: argument 1: expected spmd.small on a memref, got index
spmd.kernel @small_number(%x: memref<f32> {spmd.small}, %n: index {spmd.small}) {
  spmd.return
}

// -----

// CHECK: argument 0: expected spmd.noalias without a value, got true
spmd.kernel @noalias_with_value(%x: memref<f32> {spmd.noalias = true}) {
  spmd.return
}

// -----

// CHECK: expected a kernel without results
spmd.kernel @results() -> f32 {
  spmd.return
}

// -----

// CHECK: expected a kernel with a body, got a declaration
spmd.kernel @declaration(f32)

// -----

// CHECK: expected a body whose arguments have the types [f32], got ()
"spmd.kernel"() <{sym_name = "argument_types", function_type = (f32) -> ()}> ({
  "spmd.return"() : () -> ()
}) : () -> ()

// -----

// CHECK: expected a kernel without results, got () -> f32
"spmd.kernel"() <{sym_name = "generic_results", function_type = () -> f32}> ({
  "spmd.return"() : () -> ()
}) : () -> ()

// -----

// CHECK: expected attributes for 1 arguments, got 2
"spmd.kernel"() <{sym_name = "arg_attrs", function_type = (f32) -> (), arg_attrs = [{}, {}]}> ({
^bb0(%x: f32):
  "spmd.return"() : () -> ()
}) : () -> ()

// -----

// CHECK: expected work_group_size = array<i64: X[, Y[, Z]]> with positive sizes, got array<i64: 0>
spmd.kernel @size_zero() attributes {work_group_size = array<i64: 0>} {
  spmd.return
}

// -----

// CHECK: expected work_group_size = array<i64: X[, Y[, Z]]> with positive sizes, got array<i64: 1, 2, 3, 4>
spmd.kernel @four_sizes() attributes {work_group_size = array<i64: 1, 2, 3, 4>} {
  spmd.return
}

// -----

// CHECK: expected a work_group_size of at most 16384 work-items, got 1024 x 17 = 17408
spmd.kernel @group_too_large() attributes {work_group_size = array<i64: 1024, 17>} {
  spmd.return
}

// -----

// CHECK: expected work_group_size = array<i64: X[, Y[, Z]]> with positive sizes, got array<i64>
spmd.kernel @no_sizes() attributes {work_group_size = array<i64>} {
  spmd.return
}

// -----

// CHECK: expected work_group_size = array<i64: X[, Y[, Z]]> with positive sizes, got [64 : i64]
spmd.kernel @list() attributes {work_group_size = [64]} {
  spmd.return
}

// -----

// CHECK: expected work_group_size = array<i64: X[, Y[, Z]]> with positive sizes, got array<i32: 64>
"spmd.kernel"() <{sym_name = "generic_size", function_type = () -> (), work_group_size = array<i32: 64>}> ({
  "spmd.return"() : () -> ()
}) : () -> ()

// -----

// CHECK: expected sub_group_size = N : i64 with a power of two from 1 to 64, got 12 : i64
spmd.kernel @sub_group_of_twelve() attributes {sub_group_size = 12 : i64} {
  spmd.return
}

// -----

// CHECK: expected sub_group_size = N : i64 with a power of two from 1 to 64, got 128 : i64
spmd.kernel @sub_group_too_large() attributes {sub_group_size = 128 : i64} {
  spmd.return
}

// -----

// CHECK: expected sub_group_size = N : i64 with a power of two from 1 to 64, got 16 : i32
spmd.kernel @sub_group_of_i32() attributes {sub_group_size = 16 : i32} {
  spmd.return
}

// -----

// CHECK: expected the kernel attributes work_group_size, sub_group_size or names with the prefix of a dialect, got workgroup_size
spmd.kernel @misspelt() attributes {workgroup_size = array<i64: 64>} {
  spmd.return
}

// -----

// CHECK: expected work_group_size on a kernel with spmd.full_groups, got none
spmd.kernel @full_groups_of_any_size() attributes {spmd.full_groups} {
  spmd.return
}

// -----

// CHECK: expected spmd.full_groups without a value, got false
spmd.kernel @full_groups_with_value() attributes {work_group_size = array<i64: 64>, spmd.full_groups = false} {
  spmd.return
}

// -----

// CHECK: expected spmd.few_items without a value, got 3
spmd.kernel @few_items_with_value() attributes {spmd.few_items = 3} {
  spmd.return
}

// -----

// CHECK: expected kernel @nested directly in a module, got it inside func.func
func.func @around() {
  spmd.kernel @nested() {
    spmd.return
  }
  func.return
}

// -----

// CHECK: expected every block to end in spmd.return or a branch, got test.termop
spmd.kernel @wrong_end() {
  "test.termop"() : () -> ()
}

// -----

// CHECK: expected every block to end in spmd.return or a branch, got an empty block
spmd.kernel @empty_block(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  spmd.return
^b:
}

// -----

// CHECK: Operation spmd.barrier terminates block in single-block region but is not a terminator
spmd.kernel @no_end() {
  spmd.barrier
}

// -----

// CHECK: 'spmd.return' expects parent op 'spmd.kernel'
func.func @return_from_function() {
  spmd.return
}

// -----

// CHECK: 'spmd.return' must be the last operation in its parent block
spmd.kernel @return_twice() {
  spmd.return
  spmd.return
}

// -----

// CHECK: expected a memref in #spmd.memory<local>, got memref<4xf32>
spmd.kernel @alloc_in_global_memory() {
  %t = spmd.local_alloc : memref<4xf32>
  spmd.return
}

// -----

// CHECK: expected a static shape, got memref<?xf32, #spmd.memory<local>>: let the launch give the size of local memory through a kernel argument
spmd.kernel @alloc_of_any_size() {
  %t = spmd.local_alloc : memref<?xf32, #spmd.memory<local>>
  spmd.return
}

// -----

// CHECK: expected at most 1048576 bytes of local memory in a work-group, got 1048580 in memref<262145xf32, #spmd.memory<local>>; use smaller tiles
spmd.kernel @alloc_too_large() {
  %t = spmd.local_alloc : memref<262145xf32, #spmd.memory<local>>
  spmd.return
}

// -----

// CHECK: expected the identity layout, got memref<4xf32, strided<[2]>, #spmd.memory<local>>
spmd.kernel @alloc_strided() {
  %t = spmd.local_alloc : memref<4xf32, strided<[2]>, #spmd.memory<local>>
  spmd.return
}

// -----

// CHECK: expected a memref of index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, or of vectors as vector<4xf32>, got memref<4xvector<2x2xf32>, #spmd.memory<local>>
spmd.kernel @alloc_of_vectors() {
  %t = spmd.local_alloc : memref<4xvector<2x2xf32>, #spmd.memory<local>>
  spmd.return
}

// -----

// CHECK: expected spmd.local_alloc inside a kernel or function, got it at module level
%t = spmd.local_alloc : memref<4xf32, #spmd.memory<local>>

// -----

// CHECK: Expected `global`, `local`, or `private`
spmd.kernel @no_such_memory(%x: memref<4xf32, #spmd.memory<shared>>) {
  spmd.return
}
