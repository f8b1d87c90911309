// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// Printing in the generic form, parsing that and printing again gives the source.

// CHECK-LABEL: spmd.kernel @nothing() {
// CHECK-NEXT:    spmd.return
// CHECK-NEXT:  }

// GENERIC:      "spmd.kernel"() <{sym_name = "nothing", function_type = () -> ()}> ({
// GENERIC-NEXT:   "spmd.return"() : () -> ()
// GENERIC-NEXT: }) : () -> ()
spmd.kernel @nothing() {
  spmd.return
}

// CHECK-LABEL: spmd.kernel @scalars(%a: index, %b: i1, %c: i8, %d: i16, %e: i32, %f: i64, %g: f16, %h: bf16, %i: f32, %j: f64) {
spmd.kernel @scalars(%a: index, %b: i1, %c: i8, %d: i16, %e: i32, %f: i64, %g: f16, %h: bf16, %i: f32, %j: f64) {
  spmd.return
}

// CHECK-LABEL: spmd.kernel @memrefs(%a: memref<f32>, %b: memref<?x4xi1>, %c: memref<4xindex, #spmd.memory<global>>, %d: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %e: memref<?xf64, #spmd.memory<local>>, %f: memref<16x17xf16, #spmd.memory<local>>) {
spmd.kernel @memrefs(%a: memref<f32>, %b: memref<?x4xi1>, %c: memref<4xindex, #spmd.memory<global>>, %d: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %e: memref<?xf64, #spmd.memory<local>>, %f: memref<16x17xf16, #spmd.memory<local>>) {
  spmd.return
}

// CHECK-LABEL: spmd.kernel @copies(%{{.*}}: memref<2x?xi64> {spmd.thread_copies = #spmd.atomic_kind<maxui>}) {
// CHECK-NEXT:    spmd.return
// GENERIC:      "spmd.kernel"() <{sym_name = "copies"
spmd.kernel @copies(%a: memref<2x?xi64> {spmd.thread_copies = #spmd.atomic_kind<maxui>}) {
  spmd.return
}

// CHECK-LABEL: spmd.kernel @attributes(%a: memref<?xf32> {spmd.noalias}, %b: f32 {mine.note = "kept"}) attributes {work_group_size = array<i64: 8, 4, 2>, sub_group_size = 64 : i64, mine.x = 1 : i32, spmd.full_groups} {

// GENERIC:      "spmd.kernel"() <{sym_name = "attributes", function_type = (memref<?xf32>, f32) -> (), arg_attrs = [{spmd.noalias}, {mine.note = "kept"}], work_group_size = array<i64: 8, 4, 2>, sub_group_size = 64 : i64}> ({
// GENERIC:      }) {mine.x = 1 : i32, spmd.full_groups} : () -> ()
spmd.kernel @attributes(%a: memref<?xf32> {spmd.noalias}, %b: f32 {mine.note = "kept"})
    attributes {sub_group_size = 64 : i64, mine.x = 1 : i32, work_group_size = array<i64: 8, 4, 2>, spmd.full_groups} {
  spmd.return
}

// CHECK-LABEL: @sizes_in_one_dimension() attributes {work_group_size = array<i64: 1>, sub_group_size = 1 : i64}
spmd.kernel @sizes_in_one_dimension() attributes {work_group_size = array<i64: 1>, sub_group_size = 1 : i64} {
  spmd.return
}

// A body of several blocks may return more than once.

// CHECK-LABEL: @blocks
// CHECK-NEXT:    cf.cond_br %c, ^[[EARLY:.*]], ^[[LATE:.*]](%n : index)
// CHECK-NEXT:  ^[[EARLY]]:
// CHECK-NEXT:    spmd.return
// CHECK-NEXT:  ^[[LATE]](%i: index):
// CHECK-NEXT:    spmd.return
spmd.kernel @blocks(%c: i1, %n: index) {
  cf.cond_br %c, ^early, ^late(%n : index)
^early:
  spmd.return
^late(%i: index):
  spmd.return
}

// CHECK-LABEL: @local_memory
// CHECK-NEXT:    %tile = spmd.local_alloc : memref<16x17xf32, #spmd.memory<local>>
// CHECK-NEXT:    %flag = spmd.local_alloc {mine.note} : memref<i1, #spmd.memory<local>>
spmd.kernel @local_memory() {
  %tile = spmd.local_alloc : memref<16x17xf32, #spmd.memory<local>>
  %flag = spmd.local_alloc {mine.note} : memref<i1, #spmd.memory<local>>
  spmd.return
}

// Modules may be nested; functions that kernels call may have local memory.

// CHECK-LABEL: spmd.kernel @inner
// CHECK-LABEL: func.func @called
// CHECK-NEXT:    %t = spmd.local_alloc : memref<4xi8, #spmd.memory<local>>
builtin.module {
  spmd.kernel @inner() {
    spmd.return
  }
  func.func @called() {
    %t = spmd.local_alloc : memref<4xi8, #spmd.memory<local>>
    func.return
  }
}
