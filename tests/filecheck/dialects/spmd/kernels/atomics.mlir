// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: spmd.kernel @kinds
// GENERIC-LABEL: sym_name = "kinds"
spmd.kernel @kinds(%m: memref<?xi32>, %f: memref<?xf32>, %i: index, %v: i32, %w: f32) {
  // CHECK-NEXT: %0 = spmd.atomic_rmw add %v, %m[%i] : memref<?xi32>
  // CHECK-NEXT: %1 = spmd.atomic_rmw sub %w, %f[%i] : memref<?xf32>
  // CHECK-NEXT: %2 = spmd.atomic_rmw min %w, %f[%i] : memref<?xf32>
  // CHECK-NEXT: %3 = spmd.atomic_rmw max %w, %f[%i] : memref<?xf32>
  // CHECK-NEXT: %4 = spmd.atomic_rmw minui %v, %m[%i] : memref<?xi32>
  // CHECK-NEXT: %5 = spmd.atomic_rmw maxui %v, %m[%i] : memref<?xi32>
  // CHECK-NEXT: %6 = spmd.atomic_rmw and %v, %m[%i] : memref<?xi32>
  // CHECK-NEXT: %7 = spmd.atomic_rmw or %v, %m[%i] : memref<?xi32>
  // CHECK-NEXT: %8 = spmd.atomic_rmw xor %v, %m[%i] : memref<?xi32>
  // CHECK-NEXT: %9 = spmd.atomic_rmw exchange %w, %f[%i] : memref<?xf32>
  // GENERIC: %0 = "spmd.atomic_rmw"(%v, %m, %i) <{kind = #spmd.atomic_kind<add>, ordering = #spmd.ordering<relaxed>, scope = #spmd.atomic_scope<device>}> : (i32, memref<?xi32>, index) -> i32
  %0 = spmd.atomic_rmw add %v, %m[%i] : memref<?xi32>
  %1 = spmd.atomic_rmw sub %w, %f[%i] : memref<?xf32>
  %2 = spmd.atomic_rmw min %w, %f[%i] : memref<?xf32>
  %3 = spmd.atomic_rmw max %w, %f[%i] : memref<?xf32>
  %4 = spmd.atomic_rmw minui %v, %m[%i] : memref<?xi32>
  %5 = spmd.atomic_rmw maxui %v, %m[%i] : memref<?xi32>
  %6 = spmd.atomic_rmw and %v, %m[%i] : memref<?xi32>
  %7 = spmd.atomic_rmw or %v, %m[%i] : memref<?xi32>
  %8 = spmd.atomic_rmw xor %v, %m[%i] : memref<?xi32>
  %9 = spmd.atomic_rmw exchange %w, %f[%i] : memref<?xf32>
  spmd.return
}

// What has its default is not printed.

// CHECK-LABEL: spmd.kernel @orderings
// CHECK-NEXT:    %0 = spmd.atomic_rmw add %v, %m[%i, %i] : memref<?x4xi8, #spmd.memory<local>>
// CHECK-NEXT:    %1 = spmd.atomic_rmw add %v, %m[%i, %i] ordering(acquire) : memref<?x4xi8, #spmd.memory<local>>
// CHECK-NEXT:    %2 = spmd.atomic_rmw add %v, %m[%i, %i] ordering(release) scope(work_group) : memref<?x4xi8, #spmd.memory<local>>
// CHECK-NEXT:    %3 = spmd.atomic_rmw add %v, %m[%i, %i] ordering(acq_rel) scope(work_group) {mine.note} : memref<?x4xi8, #spmd.memory<local>>
// CHECK-NEXT:    %4 = spmd.atomic_rmw add %i, %p[] ordering(seq_cst) : memref<index>
// GENERIC: ordering = #spmd.ordering<acq_rel>, scope = #spmd.atomic_scope<work_group>
spmd.kernel @orderings(%m: memref<?x4xi8, #spmd.memory<local>>, %p: memref<index>, %i: index, %v: i8) {
  %0 = spmd.atomic_rmw add %v, %m[%i, %i] ordering(relaxed) scope(device) : memref<?x4xi8, #spmd.memory<local>>
  %1 = spmd.atomic_rmw add %v, %m[%i, %i] ordering(acquire) : memref<?x4xi8, #spmd.memory<local>>
  %2 = spmd.atomic_rmw add %v, %m[%i, %i] ordering(release) scope(work_group) : memref<?x4xi8, #spmd.memory<local>>
  %3 = spmd.atomic_rmw add %v, %m[%i, %i] ordering(acq_rel) scope(work_group) {mine.note} : memref<?x4xi8, #spmd.memory<local>>
  %4 = spmd.atomic_rmw add %i, %p[] ordering(seq_cst) : memref<index>
  spmd.return
}

// CHECK-LABEL: spmd.kernel @compare_and_swap
// CHECK-NEXT:    %old, %won = spmd.atomic_cas %a, %b, %m[%i] : memref<?xi64>
// CHECK-NEXT:    %0, %1 = spmd.atomic_cas %a, %b, %m[%i] ordering(acq_rel) scope(work_group) {mine.note} : memref<?xi64>
// CHECK-NEXT:    %2, %3 = spmd.atomic_cas %i, %i, %n[] : memref<index>

// GENERIC: %old, %won = "spmd.atomic_cas"(%a, %b, %m, %i) <{ordering = #spmd.ordering<relaxed>, scope = #spmd.atomic_scope<device>}> : (i64, i64, memref<?xi64>, index) -> (i64, i1)
spmd.kernel @compare_and_swap(%m: memref<?xi64>, %n: memref<index>, %i: index, %a: i64, %b: i64) {
  %old, %won = spmd.atomic_cas %a, %b, %m[%i] : memref<?xi64>
  %0, %1 = spmd.atomic_cas %a, %b, %m[%i] ordering(acq_rel) scope(work_group) {mine.note} : memref<?xi64>
  %2, %3 = spmd.atomic_cas %i, %i, %n[] : memref<index>
  spmd.return
}
