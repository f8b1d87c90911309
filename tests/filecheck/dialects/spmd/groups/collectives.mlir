// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: spmd.kernel @reduce
// GENERIC-LABEL: sym_name = "reduce"
spmd.kernel @reduce(%b: i1, %i8: i8, %i: i32, %n: index, %h: f16, %f: f32) {
  // CHECK-NEXT: %0 = spmd.reduce add %f across work_group : f32
  // CHECK-NEXT: %1 = spmd.reduce mul %i8 across sub_group : i8
  // CHECK-NEXT: %2 = spmd.reduce min %h across work_group : f16
  // CHECK-NEXT: %3 = spmd.reduce max %n across work_group : index
  // CHECK-NEXT: %4 = spmd.reduce minui %i across work_group : i32
  // CHECK-NEXT: %5 = spmd.reduce maxui %n across work_group : index
  // CHECK-NEXT: %6 = spmd.reduce and %b across work_group : i1
  // CHECK-NEXT: %7 = spmd.reduce or %i across work_group : i32
  // CHECK-NEXT: %8 = spmd.reduce xor %n across sub_group {mine.note} : index
  // GENERIC: %0 = "spmd.reduce"(%f) <{kind = #spmd.kind<add>, scope = #spmd.scope<work_group>}> : (f32) -> f32
  // GENERIC: %8 = "spmd.reduce"(%n) <{kind = #spmd.kind<xor>, scope = #spmd.scope<sub_group>}> {mine.note} : (index) -> index
  %0 = spmd.reduce add %f across work_group : f32
  %1 = spmd.reduce mul %i8 across sub_group : i8
  %2 = spmd.reduce min %h across work_group : f16
  %3 = spmd.reduce max %n across work_group : index
  %4 = spmd.reduce minui %i across work_group : i32
  %5 = spmd.reduce maxui %n across work_group : index
  %6 = spmd.reduce and %b across work_group : i1
  %7 = spmd.reduce or %i across work_group : i32
  %8 = spmd.reduce xor %n across sub_group {mine.note} : index
  spmd.return
}

// CHECK-LABEL: spmd.kernel @scan
// CHECK-NEXT:    %0 = spmd.scan inclusive add %f across work_group : f32
// CHECK-NEXT:    %1 = spmd.scan exclusive or %b across sub_group {mine.note} : i1

// GENERIC: %0 = "spmd.scan"(%f) <{mode = #spmd.scan_mode<inclusive>, kind = #spmd.kind<add>, scope = #spmd.scope<work_group>}> : (f32) -> f32
spmd.kernel @scan(%b: i1, %f: f32) {
  %0 = spmd.scan inclusive add %f across work_group : f32
  %1 = spmd.scan exclusive or %b across sub_group {mine.note} : i1
  spmd.return
}

// CHECK-LABEL: spmd.kernel @broadcast
// CHECK-NEXT:    %0 = spmd.broadcast %f from %i across work_group : bf16
// CHECK-NEXT:    %1 = spmd.broadcast %b from %i across sub_group {mine.note} : i1

// GENERIC: %0 = "spmd.broadcast"(%f, %i) <{scope = #spmd.scope<work_group>}> : (bf16, index) -> bf16
spmd.kernel @broadcast(%b: i1, %f: bf16, %i: index) {
  %0 = spmd.broadcast %f from %i across work_group : bf16
  %1 = spmd.broadcast %b from %i across sub_group {mine.note} : i1
  spmd.return
}

// CHECK-LABEL: spmd.kernel @shuffle
// CHECK-NEXT:    %0 = spmd.shuffle idx %f, %i : f64
// CHECK-NEXT:    %1 = spmd.shuffle xor %f, %i : f64
// CHECK-NEXT:    %2 = spmd.shuffle up %b, %i : i1
// CHECK-NEXT:    %3 = spmd.shuffle down %i, %i : index
// CHECK-NEXT:    %4 = spmd.shuffle rotate %f, %i {mine.note} : f64

// GENERIC: %0 = "spmd.shuffle"(%f, %i) <{mode = #spmd.shuffle_mode<idx>}> : (f64, index) -> f64
spmd.kernel @shuffle(%b: i1, %f: f64, %i: index) {
  %0 = spmd.shuffle idx %f, %i : f64
  %1 = spmd.shuffle xor %f, %i : f64
  %2 = spmd.shuffle up %b, %i : i1
  %3 = spmd.shuffle down %i, %i : index
  %4 = spmd.shuffle rotate %f, %i {mine.note} : f64
  spmd.return
}
