// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v3}' | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v4}' | filecheck %s --check-prefix=GATHERS

// Four sums of their own in four registers each are more than sixteen registers hold beside
// what is added to them; three are not, and what all lanes have in common needs none. What a lane
// keeps for all iterations takes its place, too.

// Loops that gather wait for memory longer than for the stack, but not for that of the group.

// GATHERS-LABEL: @own_rows
// GATHERS:         spmd.sub_group (%i) shape [32] at
// GATHERS-LABEL: @own_places
// GATHERS:         spmd.sub_group (%i) shape [64] at
// GATHERS-LABEL: @in_group
// GATHERS:         spmd.sub_group (%i) shape [32] at

// CHECK-LABEL: @tile
// CHECK:         spmd.sub_group (%i) shape [16] at
// CHECK-LABEL: @fewer
// CHECK:         spmd.sub_group (%i) shape [32] at
// CHECK-LABEL: @kept
// CHECK:         spmd.sub_group (%i) shape [16] at
func.func @tile(%x: memref<?xf32>, %w: memref<?x4xf32>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %v, %c = %v, %d = %v) -> (f32, f32, f32, f32) {
      %w0 = memref.load %w[%k, %c0] : memref<?x4xf32>
      %w1 = memref.load %w[%k, %c1] : memref<?x4xf32>
      %w2 = memref.load %w[%k, %c2] : memref<?x4xf32>
      %w3 = memref.load %w[%k, %c3] : memref<?x4xf32>
      %a1 = math.fma %a, %w0, %v : f32
      %b1 = math.fma %b, %w1, %v : f32
      %c4 = math.fma %c, %w2, %v : f32
      %d1 = math.fma %d, %w3, %v : f32
      scf.yield %a1, %b1, %c4, %d1 : f32, f32, f32, f32
    }
    %s0 = arith.addf %r#0, %r#1 : f32
    %s1 = arith.addf %r#2, %r#3 : f32
    %s = arith.mulf %s0, %s1 : f32
    memref.store %s, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @fewer(%x: memref<?xf32>, %w: memref<?x4xf32>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %v, %c = %v, %u = %one) -> (f32, f32, f32, f32) {
      %w0 = memref.load %w[%k, %c0] : memref<?x4xf32>
      %w1 = memref.load %w[%k, %c1] : memref<?x4xf32>
      %w2 = memref.load %w[%k, %c2] : memref<?x4xf32>
      %a1 = math.fma %a, %w0, %w1 : f32
      %b1 = math.fma %b, %w1, %w1 : f32
      %c3 = math.fma %c, %w2, %w1 : f32
      %u1 = arith.addf %u, %w0 : f32
      scf.yield %a1, %b1, %c3, %u1 : f32, f32, f32, f32
    }
    %s0 = arith.addf %r#0, %r#1 : f32
    %s1 = arith.addf %r#2, %r#3 : f32
    %s = arith.mulf %s0, %s1 : f32
    memref.store %s, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @kept(%x: memref<?xf32>, %w: memref<?x4xf32>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %v, %c = %v, %u = %one) -> (f32, f32, f32, f32) {
      %w0 = memref.load %w[%k, %c0] : memref<?x4xf32>
      %w1 = memref.load %w[%k, %c1] : memref<?x4xf32>
      %w2 = memref.load %w[%k, %c2] : memref<?x4xf32>
      %a1 = math.fma %a, %w0, %v : f32
      %b1 = math.fma %b, %w1, %v : f32
      %c3 = math.fma %c, %w2, %v : f32
      %u1 = arith.addf %u, %w0 : f32
      scf.yield %a1, %b1, %c3, %u1 : f32, f32, f32, f32
    }
    %s0 = arith.addf %r#0, %r#1 : f32
    %s1 = arith.addf %r#2, %r#3 : f32
    %s = arith.mulf %s0, %s1 : f32
    memref.store %s, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @own_rows(%x: memref<?xf32>, %p: memref<?x64xindex>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r:8 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %v, %c = %v, %d = %v, %e = %v, %f = %v, %g = %v, %h = %v) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
      %place = memref.load %p[%k, %c0] : memref<?x64xindex>
      %w = memref.load %x[%place] : memref<?xf32>
      %next_a = math.fma %a, %w, %v : f32
      %next_b = math.fma %b, %w, %v : f32
      %next_c = math.fma %c, %w, %v : f32
      %next_d = math.fma %d, %w, %v : f32
      %next_e = math.fma %e, %w, %v : f32
      %next_f = math.fma %f, %w, %v : f32
      %next_g = math.fma %g, %w, %v : f32
      %next_h = math.fma %h, %w, %v : f32
      scf.yield %next_a, %next_b, %next_c, %next_d, %next_e, %next_f, %next_g, %next_h : f32, f32, f32, f32, f32, f32, f32, f32
    }
    %s1 = arith.addf %r#0, %r#1 : f32
    %s2 = arith.addf %s1, %r#2 : f32
    %s3 = arith.addf %s2, %r#3 : f32
    %s4 = arith.addf %s3, %r#4 : f32
    %s5 = arith.addf %s4, %r#5 : f32
    %s6 = arith.addf %s5, %r#6 : f32
    %s7 = arith.addf %s6, %r#7 : f32
    memref.store %s7, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @own_places(%x: memref<?xf32>, %p: memref<?x64xindex>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r:8 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %v, %c = %v, %d = %v, %e = %v, %f = %v, %g = %v, %h = %v) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
      %place = memref.load %p[%k, %i] : memref<?x64xindex>
      %w = memref.load %x[%place] : memref<?xf32>
      %next_a = math.fma %a, %w, %v : f32
      %next_b = math.fma %b, %w, %v : f32
      %next_c = math.fma %c, %w, %v : f32
      %next_d = math.fma %d, %w, %v : f32
      %next_e = math.fma %e, %w, %v : f32
      %next_f = math.fma %f, %w, %v : f32
      %next_g = math.fma %g, %w, %v : f32
      %next_h = math.fma %h, %w, %v : f32
      scf.yield %next_a, %next_b, %next_c, %next_d, %next_e, %next_f, %next_g, %next_h : f32, f32, f32, f32, f32, f32, f32, f32
    }
    %s1 = arith.addf %r#0, %r#1 : f32
    %s2 = arith.addf %s1, %r#2 : f32
    %s3 = arith.addf %s2, %r#3 : f32
    %s4 = arith.addf %s3, %r#4 : f32
    %s5 = arith.addf %s4, %r#5 : f32
    %s6 = arith.addf %s5, %r#6 : f32
    %s7 = arith.addf %s6, %r#7 : f32
    memref.store %s7, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @in_group(%x: memref<?xf32>, %p: memref<?x64xindex>, %n: index, %near: memref<64xf32, 3 : i64>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %r:8 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %v, %c = %v, %d = %v, %e = %v, %f = %v, %g = %v, %h = %v) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
      %at = memref.load %p[%k, %c0] : memref<?x64xindex>
      %place = arith.xori %at, %i : index
      %w = memref.load %near[%place] : memref<64xf32, 3 : i64>
      %next_a = math.fma %a, %w, %v : f32
      %next_b = math.fma %b, %w, %v : f32
      %next_c = math.fma %c, %w, %v : f32
      %next_d = math.fma %d, %w, %v : f32
      %next_e = math.fma %e, %w, %v : f32
      %next_f = math.fma %f, %w, %v : f32
      %next_g = math.fma %g, %w, %v : f32
      %next_h = math.fma %h, %w, %v : f32
      scf.yield %next_a, %next_b, %next_c, %next_d, %next_e, %next_f, %next_g, %next_h : f32, f32, f32, f32, f32, f32, f32, f32
    }
    %s1 = arith.addf %r#0, %r#1 : f32
    %s2 = arith.addf %s1, %r#2 : f32
    %s3 = arith.addf %s2, %r#3 : f32
    %s4 = arith.addf %s3, %r#4 : f32
    %s5 = arith.addf %s4, %r#5 : f32
    %s6 = arith.addf %s5, %r#6 : f32
    %s7 = arith.addf %s6, %r#7 : f32
    memref.store %s7, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
