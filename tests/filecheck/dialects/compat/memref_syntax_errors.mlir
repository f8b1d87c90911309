// RUN: xdsl-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: expected a memref of numbers with fixed sizes, got memref<?xi32>
memref.global @table : memref<?xi32> = dense<1>

// -----

// CHECK: expected a memref of numbers with fixed sizes, got i32
memref.global @table : i32 = dense<1>

// -----

// CHECK: expected a memref of numbers with fixed sizes, got memref<2xmemref<2xi32>>
memref.global @table : memref<2xmemref<2xi32>> = dense<1>

// -----

// CHECK: Expected '='
memref.global @table : memref<2xi32>

// -----

// CHECK: Expected [2] shape from the type, but got [3] shape.
memref.global @table : memref<2xi32> = dense<[1, 2, 3]>
