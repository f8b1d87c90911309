// RUN: xdsl-opt %s -p expand-runner-calls | filecheck %s
// RUN: xdsl-opt %s -p expand-runner-calls,expand-runner-calls | filecheck %s
// RUN: spmd-run %s | filecheck %s --check-prefix PRINTED

// The rank is that before the cast; what separates elements comes before all but the first.

// CHECK-NOT:   @printMemref
// CHECK-NOT:   memref<*x
// CHECK-LABEL: func.func @main
// CHECK:         %{{.*}}, %[[OFFSET:.*]], %[[ROWS:.*]], %[[COLUMNS:.*]], %[[S:.*]], %[[T:.*]] = memref.extract_strided_metadata %x
// CHECK:         spmd.print "Unranked Memref base@ = 0x{u:x} rank = 2 offset = {} sizes = [{}, {}] strides = [{}, {}] data = \0A"(%{{.*}}, %[[OFFSET]], %[[ROWS]], %[[COLUMNS]], %[[S]], %[[T]])
// CHECK-NEXT:    spmd.print "["
// CHECK-NEXT:    scf.for %[[I:.*]] = %c0 to %[[ROWS]] step %c1 {
// CHECK-NEXT:      %[[LATER:.*]] = arith.cmpi ne, %[[I]], %c0
// CHECK-NEXT:      scf.if %[[LATER]] {
// CHECK-NEXT:        spmd.print ", \0A "
// CHECK-NEXT:      }
// CHECK-NEXT:      spmd.print "["
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %[[COLUMNS]] step %c1 {
// CHECK:             spmd.print ",   "
// CHECK:             %[[V:.*]] = memref.load %x[%[[I]], %[[J]]]
// CHECK-NEXT:        spmd.print "{:g}"(%[[V]]) : f32

// PRINTED:      Unranked Memref base@ = 0x{{[0-9a-f]+}} rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1] data = 
// PRINTED-NEXT: {{^\[\[2\.5,   2\.5,   2\.5\], $}}
// PRINTED-NEXT: {{^ \[2\.5,   2\.5,   -1e\+09\]\]$}}
// PRINTED-NEXT: Memref base@ = 0x{{[0-9a-f]+}} rank = 1 offset = 4 sizes = [1] strides = [1] data = 
// PRINTED-NEXT: [2.5]
// PRINTED-NEXT: Unranked Memref base@ = 0x{{[0-9a-f]+}} rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1]( -7, 18446744073709551609 )
func.func private @printMemrefF32(memref<*xf32>)
func.func private @printMemrefShapeF32(memref<*xf32>)
func.func private @printMemref1dF32(memref<1xf32, strided<[1], offset: 4>>)
func.func private @fillResource2DFloat(memref<?x?xf32>, f32)
func.func private @mgpuMemGetDeviceMemRef1dFloat(memref<?xf32>) -> memref<?xf32>
func.func private @printI64(i64)
func.func private @printU64(i64)
func.func private @printOpen()
func.func private @printComma()
func.func private @printClose()
func.func private @printNewline()
func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %v = arith.constant 2.5 : f32
  %w = arith.constant -1.0e+09 : f32
  %seven = arith.constant -7 : i64
  %x = memref.alloc() : memref<2x3xf32>
  %y = memref.cast %x : memref<2x3xf32> to memref<?x?xf32>
  call @fillResource2DFloat(%y, %v) : (memref<?x?xf32>, f32) -> ()
  %flat = memref.collapse_shape %x [[0, 1]] : memref<2x3xf32> into memref<6xf32>
  %unsized = memref.cast %flat : memref<6xf32> to memref<?xf32>
  %there = call @mgpuMemGetDeviceMemRef1dFloat(%unsized) : (memref<?xf32>) -> memref<?xf32>
  memref.store %w, %there[%c5] : memref<?xf32>
  %any = memref.cast %x : memref<2x3xf32> to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  %part = memref.subview %flat[4] [1] [1] : memref<6xf32> to memref<1xf32, strided<[1], offset: 4>>
  call @printMemref1dF32(%part) : (memref<1xf32, strided<[1], offset: 4>>) -> ()
  call @printMemrefShapeF32(%any) : (memref<*xf32>) -> ()
  call @printOpen() : () -> ()
  call @printI64(%seven) : (i64) -> ()
  call @printComma() : () -> ()
  call @printU64(%seven) : (i64) -> ()
  call @printClose() : () -> ()
  call @printNewline() : () -> ()
  return
}

// A function of such a name that has a body, or of another name, is called as before.

// CHECK-LABEL: func.func private @other
// CHECK:         func.call @printF64
// CHECK-NEXT:    func.call @shown
func.func private @shown(i64)
func.func private @printF64(%x: f64) {
  return
}
func.func private @other(%x: f64, %n: i64) {
  call @printF64(%x) : (f64) -> ()
  call @shown(%n) : (i64) -> ()
  return
}
