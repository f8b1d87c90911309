# RUN: python %s | filecheck %s
# pyright: basic
"""Structured loops stay structured, break makes blocks, a tuple is unrolled."""

import numpy as np

import spmd
from spmd.language import global_id


@spmd.kernel
def find(x, keys, y):
    i = global_id()
    for k in range(x.size):
        if x[k] == keys[i]:
            y[i] = k
            break
    else:
        y[i] = -1


@spmd.kernel
def cross(x, y):
    i = global_id()
    total = 0
    for d, w in ((-1, 2), (1, 3)):
        total += w * x[i + d]
    y[i] = total


@spmd.kernel
def guarded(x, n):
    i = global_id()
    if i >= n:
        return
    while x[i] > 1:
        x[i] //= 2


x = np.zeros(4, np.int32)
for kernel, arguments in ((find, (x, x, x)), (cross, (x, x)), (guarded, (x, 3))):
    print(kernel.ir("python", *arguments))

# CHECK-LABEL: spmd.kernel @find
# CHECK:         cf.br ^[[HEAD:.*]](%c0 : index)
# CHECK-NEXT:  ^[[HEAD]](%k: index):
# CHECK-NEXT:    %[[MORE:.*]] = arith.cmpi slt, %k, %{{.*}} : index
# CHECK-NEXT:    cf.cond_br %[[MORE]], ^[[BODY:.*]], ^[[ELSE:.*]]
# CHECK-NEXT:  ^[[BODY]]:
# CHECK:         cf.cond_br %{{.*}}, ^[[FOUND:.*]], ^[[NEXT:.*]]
# CHECK-NEXT:  ^[[FOUND]]:
# CHECK:         memref.store %{{.*}}, %y[%i] : memref<?xi32>
# CHECK-NEXT:    cf.br ^[[AFTER:.*]]
# CHECK-NEXT:  ^[[NEXT]]:
# CHECK-NEXT:    %[[K:.*]] = arith.addi %k, %c1 : index
# CHECK-NEXT:    cf.br ^[[HEAD]](%[[K]] : index)
# CHECK-NEXT:  ^[[ELSE]]:
# CHECK-NEXT:    memref.store %cm1_i32, %y[%i] : memref<?xi32>
# CHECK-NEXT:    cf.br ^[[AFTER]]
# CHECK-NEXT:  ^[[AFTER]]:
# CHECK-NEXT:    spmd.return

# CHECK-LABEL: spmd.kernel @cross
# CHECK:         %[[LEFT:.*]] = arith.addi %i, %cm1 : index
# CHECK-NEXT:    memref.load %x[%[[LEFT]]]
# CHECK-NOT:     scf.for
# CHECK:         %[[RIGHT:.*]] = arith.addi %i, %c1 : index
# CHECK-NEXT:    memref.load %x[%[[RIGHT]]]
# CHECK:         memref.store %total{{.*}}, %y[%i] : memref<?xi32>

# CHECK-LABEL: spmd.kernel @guarded
# CHECK:         %[[OUT:.*]] = arith.cmpi slt, %i, %n : index
# CHECK-NEXT:    scf.if %[[OUT]] {
# CHECK-NEXT:      scf.while () : () -> () {
