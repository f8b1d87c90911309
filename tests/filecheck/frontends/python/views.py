# RUN: python %s | filecheck %s
# pyright: basic
"""A row is a view whose last stride is known, and a slice ends at the end of the array."""

import numpy as np

import spmd
from spmd.language import global_id


@spmd.kernel
def windows(x, width, y):
    start = global_id()
    window = x[start, 2 : 2 + width]
    total = 0
    for j in range(len(window)):
        total += window[j]
    y[start] = total


x = np.zeros((4, 32), np.float32)
print(windows.ir("python", x, 3, x[0]))

# CHECK:      spmd.kernel @windows(%x: memref<?x?xf32>, %width: index, %y: memref<?xf32>) {
# CHECK:        %start = spmd.global_id x
# CHECK-NEXT:   %1 = arith.addi %c2, %width : index
# CHECK-NEXT:   %2 = memref.dim %x, %c1 : memref<?x?xf32>
# CHECK-NEXT:   %3 = arith.minsi %1, %2 : index
# CHECK-NEXT:   %4 = arith.subi %3, %c2 : index
# CHECK-NEXT:   %5 = arith.maxsi %4, %c0 : index
# CHECK-NEXT:   %window = memref.subview %x[%start, 2] [1, %5] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
# CHECK-NEXT:   %total = scf.for %j = %c0 to %5 step %c1 iter_args(%total_1 = {{%.*}}) -> (f32) {
# CHECK-NEXT:     %6 = memref.load %window[%j]
# CHECK-NEXT:     %total_2 = arith.addf %total_1, %6 : f32
# CHECK-NEXT:     scf.yield %total_2 : f32
# CHECK-NEXT:   }
# CHECK-NEXT:   memref.store %total, %y[%start] : memref<?xf32>
# CHECK-NEXT:   spmd.return
