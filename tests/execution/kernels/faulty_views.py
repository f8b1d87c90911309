"""Views that are not inside of what they are of, and sizes that nothing can have."""

from __future__ import annotations

import numpy as np

from tests.execution.kernels.faulty_kernels import SIZE, Faulty

# Four steps of it, or four factors, come back to where they began, in 64 bits.
HALF_WAY, QUARTER = 1 << 62, 1 << 16

VIEWS = {
    "cast": Faulty(
        """\
  %size = arith.select %at_fault, %c1, %c4 : index
  %p = memref.subview %x[0] [%size] [1] : memref<?xi32> to memref<?xi32, strided<[1]>>
  %q = memref.cast %p : memref<?xi32, strided<[1]>> to memref<4xi32, strided<[1]>> // here
  %v = memref.load %q[%c0] : memref<4xi32, strided<[1]>>
  memref.store %v, %y[%i] : memref<?xi32>
""",
        "expected sizes 4, got global memory %x of 1 elements [memref.cast]",
        column=8,
        arguments="%x: memref<?xi32>, %y: memref<?xi32>",
        values=(np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32)),
        finding="expected sizes (4,), strides (1,) and offset 0, got (1,), (1,) and 0",
    ),
    "number of a dimension": Faulty(
        """\
  %d = arith.select %at_fault, %c4, %c0 : index
  %n = memref.dim %x, %d : memref<?xi32> // here
  %v = arith.index_cast %n : index to i32
  memref.store %v, %x[%i] : memref<?xi32>
""",
        "expected a dimension below 1, got 4 [memref.dim]",
        column=8,
        finding="expected a dimension below 1, got 4",
    ),
    "sizes that do not split": Faulty(
        """\
  %n = arith.select %at_fault, %c4, %c1 : index
  %c40 = arith.constant 40 : index
  %p = memref.expand_shape %x [[0, 1]] output_shape [%n, %c40] : memref<?xi32> into memref<?x?xi32> // here
  %v = memref.load %p[%c0, %i] : memref<?x?xi32>
  memref.store %v, %y[%i] : memref<?xi32>
""",
        "expected sizes that split global memory %x of 40 elements, got [4, 40] "
        "[memref.expand_shape]",
        column=8,
        arguments="%x: memref<?xi32>, %y: memref<?xi32>",
        values=(np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32)),
        finding="expected (4, 40) to split (40,)",
    ),
    "view of bytes that end": Faulty(
        """\
  %at = arith.select %at_fault, %c100, %c0 : index
  %p = memref.view %x[%at] [] : memref<104xi8> to memref<2xi32> // here
  %v = memref.load %p[%c0] : memref<2xi32>
  memref.store %v, %y[%i] : memref<?xi32>
""",
        "out of bounds: a view of 2x4 bytes at byte 100 of 104 bytes [memref.view]",
        column=8,
        arguments="%x: memref<104xi8>, %y: memref<?xi32>",
        values=(np.zeros(104, np.int8), np.zeros(SIZE, np.int32)),
        finding="access out of bounds: a view of 2x4 bytes at byte 100 of 104 bytes",
    ),
    "view of more bytes than there are numbers": Faulty(
        f"""\
  %many = arith.constant {QUARTER} : index
  %n = arith.select %at_fault, %many, %c1 : index
  %p = memref.view %x[%c0] [%n, %n, %n, %n] : memref<{QUARTER}xi8> to memref<?x?x?x?xi32> // here
  %v = memref.load %p[%c0, %c0, %c0, %c0] : memref<?x?x?x?xi32>
  memref.store %v, %y[%i] : memref<?xi32>
""",
        f"out of bounds: a view of {QUARTER}x{QUARTER}x{QUARTER}x{QUARTER}x4 bytes at byte "
        f"0 of {QUARTER} bytes [memref.view]",
        column=8,
        arguments=f"%x: memref<{QUARTER}xi8>, %y: memref<?xi32>",
        values=(np.zeros(QUARTER, np.int8), np.zeros(SIZE, np.int32)),
        finding=f"a view of {QUARTER}x{QUARTER}x{QUARTER}x{QUARTER}x4 bytes at byte 0",
    ),
    "strides that come back to an element": Faulty(
        f"""\
  %far = arith.constant {HALF_WAY} : index
  %s = arith.select %at_fault, %far, %c1 : index
  %p = memref.reinterpret_cast %x to offset: [0], sizes: [2, 2, 2, 2], strides: [%s, %s, %s, %s] : memref<?xi32> to memref<2x2x2x2xi32, strided<[?, ?, ?, ?]>> // here
  %v = memref.load %p[%c0, %c0, %c0, %c0] : memref<2x2x2x2xi32, strided<[?, ?, ?, ?]>>
  memref.store %v, %y[%i] : memref<?xi32>
""",
        f"out of bounds: offset 0, sizes [2, 2, 2, 2] and strides [{HALF_WAY}, {HALF_WAY}, "
        f"{HALF_WAY}, {HALF_WAY}] of global memory %x of 40 elements "
        "[memref.reinterpret_cast]",
        column=8,
        arguments="%x: memref<?xi32>, %y: memref<?xi32>",
        values=(np.zeros(SIZE, np.int32), np.zeros(SIZE, np.int32)),
        finding="access out of bounds: offset 0, sizes (2, 2, 2, 2) and strides",
    ),
}
