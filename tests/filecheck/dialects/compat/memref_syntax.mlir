// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK:      memref.global "private" constant @table : memref<4xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK-NEXT: memref.global @room : memref<2x2xi32> = uninitialized {alignment = 64 : i64, hot}
// GENERIC:      "memref.global"() <{sym_name = "table", sym_visibility = "private", type = memref<4xf32>, initial_value = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>, constant}> : () -> ()
// GENERIC-NEXT: "memref.global"() <{sym_name = "room", sym_visibility = "public", type = memref<2x2xi32>, initial_value, alignment = 64 : i64}> {hot} : () -> ()
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global @room : memref<2x2xi32> = uninitialized {alignment = 64 : i64, hot}

// CHECK:      %any = memref.cast %x {hot} : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: memref.copy %any, %y : memref<?xf32> to memref<?xf32>
// GENERIC:      %any = "memref.cast"(%x) {hot} : (memref<4xf32>) -> memref<?xf32>
// GENERIC-NEXT: "memref.copy"(%any, %y) : (memref<?xf32>, memref<?xf32>) -> ()
func.func @moves(%x: memref<4xf32>, %y: memref<?xf32>) {
  %any = memref.cast %x {hot} : memref<4xf32> to memref<?xf32>
  memref.copy %any, %y : memref<?xf32> to memref<?xf32>
  func.return
}
