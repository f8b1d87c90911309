"""Kernels with one fault each, and what both the interpreter and checked native code say."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Faulty:
    """A kernel of `SIZE` work-items, one of which is at fault."""

    body: str
    says: str
    """What checked native code says, from the op on."""

    column: int = 3
    """Where the op at fault begins; it stands in the line that ends in `// here`."""

    arguments: str = "%x: memref<?xi32>"
    values: tuple[Any, ...] = ()
    """Of the arguments; if there are none, zeros."""

    finding: str = "access out of bounds"
    """The words of the interpreter, of which it has others in a few cases."""

    @property
    def source(self) -> str:
        return (
            f"spmd.kernel @k({self.arguments}) {{\n{HEAD}{self.body}  spmd.return\n}}\n"
        )

    @property
    def line(self) -> int:
        """That of the op at fault, counted from 1."""
        lines = self.source.split("\n")
        return 1 + next(i for i, line in enumerate(lines) if "// here" in line)

    def make(self) -> tuple[Any, ...]:
        """The arguments of a launch."""
        if not self.values:
            return (np.zeros(SIZE, np.int32),)
        return copy.deepcopy(self.values)


SIZE, GROUP, LAST = 40, 16, 37
"""Work-items, how many a group has, and the one that is at fault."""

WHO = f"in work-item {LAST} (local {LAST % GROUP} of work-group {LAST // GROUP})"

HEAD = f"""\
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %last = arith.constant {LAST} : index
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %l = spmd.local_id x
  %at_fault = arith.cmpi eq, %i, %last : index
"""


def numbers(at_last: float, others: float = 1, dtype: Any = np.int32) -> Any:
    """An array with one number that is not like the others."""
    array = np.full(SIZE, others, dtype)
    array[LAST] = at_last
    return array


FAULTS = {
    "load": Faulty(
        """\
  %j = arith.select %at_fault, %c100, %i : index
  %v = memref.load %x[%j] : memref<?xi32> // here
  memref.store %v, %x[%i] : memref<?xi32>
""",
        "access out of bounds: [100] of global memory %x of 40 elements [memref.load]",
        column=8,
    ),
    "store of a negative index": Faulty(
        """\
  %m = arith.constant -5 : index
  %j = arith.select %at_fault, %m, %i : index
  memref.store %one, %x[%j] : memref<?xi32> // here
""",
        "access out of bounds: [-5] of global memory %x of 40 elements [memref.store]",
    ),
    "second dimension": Faulty(
        """\
  %j = arith.select %at_fault, %c4, %c1 : index
  %v = memref.load %x[%i, %j] : memref<?x3xi32> // here
  memref.store %v, %x[%i, %c0] : memref<?x3xi32>
""",
        "access out of bounds: [37, 4] of global memory %x of 40x3 elements [memref.load]",
        column=8,
        arguments="%x: memref<?x3xi32>",
        values=(np.zeros((SIZE, 3), np.int32),),
    ),
    "local memory": Faulty(
        f"""\
  %t = spmd.local_alloc : memref<{GROUP}xi32, #spmd.memory<local>>
  memref.store %one, %t[%l] : memref<{GROUP}xi32, #spmd.memory<local>>
  spmd.barrier
  %j = arith.select %at_fault, %c100, %l : index
  %v = memref.load %t[%j] : memref<{GROUP}xi32, #spmd.memory<local>> // here
  memref.store %v, %x[%i] : memref<?xi32>
""",
        "access out of bounds: [100] of local memory %t of 16 elements [memref.load]",
        column=8,
    ),
    "private memory": Faulty(
        """\
  %p = memref.alloca() : memref<4xi32>
  memref.store %one, %p[%c1] : memref<4xi32>
  %j = arith.select %at_fault, %c4, %c1 : index
  %v = memref.load %p[%j] : memref<4xi32> // here
  memref.store %v, %x[%i] : memref<?xi32>
""",
        "access out of bounds: [4] of private memory %p of 4 elements [memref.load]",
        column=8,
    ),
    "part of a memref": Faulty(
        """\
  %j = arith.select %at_fault, %c4, %c1 : index
  %part = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<?x4xi32> to memref<1x4xi32, strided<[4, 1], offset: ?>>
  %v = memref.load %part[%c0, %j] : memref<1x4xi32, strided<[4, 1], offset: ?>> // here
  memref.store %v, %x[%i, %c0] : memref<?x4xi32>
""",
        "access out of bounds: [0, 4] of global memory %x of 1x4 elements [memref.load]",
        column=8,
        arguments="%x: memref<?x4xi32>",
        values=(np.zeros((SIZE, 4), np.int32),),
    ),
    "view that leaves its source": Faulty(
        """\
  %size = arith.select %at_fault, %c100, %c1 : index
  %part = memref.subview %x[%i] [%size] [1] : memref<?xi32> to memref<?xi32, strided<[1], offset: ?>> // here
  memref.store %one, %part[%c0] : memref<?xi32, strided<[1], offset: ?>>
""",
        "out of bounds: offsets [37], sizes [100] and strides [1] of global memory %x of "
        "40 elements [memref.subview]",
        column=11,
        finding="offset 37, sizes (100,) and strides (1,) of global memory of 40 elements",
    ),
    "atomic": Faulty(
        """\
  %j = arith.select %at_fault, %c100, %c1 : index
  %old = spmd.atomic_rmw add %one, %x[%j] : memref<?xi32> // here
""",
        "access out of bounds: [100] of global memory %x of 40 elements [spmd.atomic_rmw]",
        column=10,
    ),
    "vector": Faulty(
        """\
  %m = arith.muli %i, %c4 : index
  %off = arith.select %at_fault, %c1, %c0 : index
  %j = arith.addi %m, %off : index
  %last_row = arith.constant 156 : index
  %most = arith.minui %m, %last_row : index
  %k = arith.select %at_fault, %last_row, %most : index
  %n = arith.addi %k, %off : index
  %v = vector.load %x[%n] : memref<?xi32>, vector<4xi32> // here
  %e = vector.extract %v[0] : i32 from vector<4xi32>
  memref.store %e, %x[%m] : memref<?xi32>
""",
        "access out of bounds: 4 elements from [157] on of global memory %x of 160 elements "
        "[vector.load]",
        column=8,
        values=(np.zeros(4 * SIZE, np.int32),),
        finding="[160] of a global memref x of 160 elements",
    ),
    "masked transfer": Faulty(
        """\
  %n = arith.select %at_fault, %c4, %c1 : index
  %mask = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %x[%i], %one, %mask {in_bounds = [true]} : memref<?xi32>, vector<4xi32> // here
  %e = vector.extract %v[3] : i32 from vector<4xi32>
  memref.store %e, %x[%i] : memref<?xi32>
""",
        "access out of bounds: some of 4 elements from [37] on of global memory %x of 40 "
        "elements [vector.transfer_read]",
        column=8,
        finding="[40] of a global memref x of 40 elements",
    ),
    "row of a transfer": Faulty(
        """\
  %j = arith.select %at_fault, %c100, %c1 : index
  %v = vector.broadcast %one : i32 to vector<4xi32>
  vector.transfer_write %v, %x[%j, %i] : vector<4xi32>, memref<3x?xi32> // here
""",
        "access out of bounds: some of 4 elements from [100, 37] on of global memory %x of "
        "3x40 elements [vector.transfer_write]",
        arguments="%x: memref<3x?xi32>",
        values=(np.zeros((3, SIZE), np.int32),),
        finding="[100, 37] of a global memref x of 3x40 elements",
    ),
    "row of a masked transfer": Faulty(
        """\
  %n = arith.select %at_fault, %c4, %c1 : index
  %mask = vector.create_mask %c1, %n : vector<2x4xi1>
  %v = vector.transfer_read %x[%c0, %i], %one, %mask {in_bounds = [true, true]} : memref<3x?xi32>, vector<2x4xi32> // here
  %e = vector.extract %v[0, 3] : i32 from vector<2x4xi32>
  memref.store %e, %x[%c0, %i] : memref<3x?xi32>
""",
        "access out of bounds: some of 4 elements from [0, 37] on of global memory %x of "
        "3x40 elements [vector.transfer_read]",
        column=8,
        arguments="%x: memref<3x?xi32>",
        values=(np.zeros((3, SIZE), np.int32),),
        finding="[0, 40] of a global memref x of 3x40 elements",
    ),
    "rows of a transfer that ends with them": Faulty(
        """\
  %j = arith.select %at_fault, %c1, %c0 : index
  %v = vector.broadcast %one : i32 to vector<3x4xi32>
  vector.transfer_write %v, %x[%j, %i] {in_bounds = [true, false]} : vector<3x4xi32>, memref<3x?xi32> // here
""",
        "access out of bounds: some of 4 elements from [3, 37] on of global memory %x of "
        "3x40 elements [vector.transfer_write]",
        arguments="%x: memref<3x?xi32>",
        values=(np.zeros((3, SIZE), np.int32),),
        finding="[3, 37] of a global memref x of 3x40 elements",
    ),
    "element of a vector": Faulty(
        """\
  %v = vector.broadcast %one : i32 to vector<4xi32>
  %n = arith.select %at_fault, %c4, %c1 : index
  %e = vector.extract %v[%n] : i32 from vector<4xi32> // here
  memref.store %e, %x[%i] : memref<?xi32>
""",
        "out of bounds: [4] of a vector of [4] [vector.extract]",
        column=8,
        finding="out of bounds: [4] of a vector of [4]",
    ),
    "element put in": Faulty(
        """\
  %v = vector.broadcast %one : i32 to vector<2x4xi32>
  %n = arith.select %at_fault, %c4, %c1 : index
  %w = vector.insert %one, %v[1, %n] : i32 into vector<2x4xi32> // here
  %e = vector.extract %w[0, 0] : i32 from vector<2x4xi32>
  memref.store %e, %x[%i] : memref<?xi32>
""",
        "out of bounds: [1, 4] of a vector of [2, 4] [vector.insert]",
        column=8,
        finding="out of bounds: [1, 4] of a vector of [2, 4]",
    ),
    "division": Faulty(
        """\
  %d = memref.load %x[%i] : memref<?xi32>
  %q = arith.divui %one, %d : i32 // here
  memref.store %q, %x[%i] : memref<?xi32>
""",
        "division by zero [arith.divui]",
        column=8,
        values=(numbers(0),),
        finding="division by zero",
    ),
    "a division in blocks that nobody needs": Faulty(
        """\
  %d = memref.load %x[%i] : memref<?xi32>
  %unused = scf.execute_region -> (i32) {
    cf.cond_br %at_fault, ^bb1, ^bb2(%one : i32)
  ^bb1:
    %q = arith.divui %one, %d : i32 // here
    cf.br ^bb2(%q : i32)
  ^bb2(%r: i32):
    scf.yield %r : i32
  }
""",
        "division by zero [arith.divui]",
        column=10,
        values=(numbers(0),),
        finding="division by zero",
    ),
    "a loop after blocks that nobody needs": Faulty(
        """\
  %step = arith.select %at_fault, %c0, %c1 : index
  %unused = scf.execute_region -> (i32) {
    cf.cond_br %at_fault, ^bb1, ^bb2(%one : i32)
  ^bb1:
    cf.br ^bb2(%one : i32)
  ^bb2(%r: i32):
    scf.yield %r : i32
  }
  %sum = scf.for %k = %c0 to %c4 step %step iter_args(%s = %one) -> (i32) { // here
    %t = arith.addi %s, %one : i32
    scf.yield %t : i32
  }
""",
        "expected a loop with a positive step, got 0 [scf.for]",
        column=10,
        finding="expected a loop with a positive step, got 0",
    ),
    "overflow of a division": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %m = arith.subi %n, %n : i32
  %d = arith.subi %m, %one : i32
  %q = arith.remsi %n, %d : i32 // here
  memref.store %q, %x[%i] : memref<?xi32>
""",
        "overflow: the quotient of -2147483648 and -1 does not fit i32 [arith.remsi]",
        column=8,
        values=(numbers(-(2**31)),),
        finding="overflow: the quotient of -2147483648 and -1 does not fit i32",
    ),
    "step": Faulty(
        """\
  %step = arith.select %at_fault, %c0, %c1 : index
  scf.for %k = %c0 to %c4 step %step { // here
    memref.store %one, %x[%i] : memref<?xi32>
  }
""",
        "expected a loop with a positive step, got 0 [scf.for]",
        finding="expected a loop with a positive step, got 0",
    ),
    "step of a loop that only computes": Faulty(
        """\
  %step = arith.select %at_fault, %c0, %c1 : index
  %sum = scf.for %k = %c0 to %c4 step %step iter_args(%s = %one) -> (i32) { // here
    %t = arith.addi %s, %one : i32
    scf.yield %t : i32
  }
  memref.store %sum, %x[%i] : memref<?xi32>
""",
        "expected a loop with a positive step, got 0 [scf.for]",
        column=10,
        finding="expected a loop with a positive step, got 0",
    ),
    "assertion": Faulty(
        """\
  %n = memref.load %x[%i] : memref<?xi32>
  %ok = arith.cmpi eq, %n, %one : i32
  cf.assert %ok, "expected {1}" // here
""",
        "assertion failed: expected {1} [cf.assert]",
        values=(numbers(0),),
        finding="assertion failed: expected {1}",
    ),
    "copy": Faulty(
        """\
  %p = memref.alloca() : memref<4xi32>
  %size = arith.select %at_fault, %c1, %c4 : index
  %q = memref.reinterpret_cast %p to offset: [0], sizes: [%size], strides: [1] : memref<4xi32> to memref<?xi32>
  %from = memref.subview %x[0] [4] [1] : memref<?xi32> to memref<4xi32>
  %some = "memref.cast"(%from) : (memref<4xi32>) -> memref<?xi32>
  "memref.copy"(%some, %q) : (memref<?xi32>, memref<?xi32>) -> () // here
""",
        "expected equal shapes, got global memory %x of 4 elements and private memory %p "
        "of 1 elements [memref.copy]",
        finding="expected equal shapes, got (4,) and (1,)",
    ),
    "divergent loop": Faulty(
        """\
  %sum = scf.for %k = %c0 to %i step %c1 iter_args(%s = %one) -> (i32) {
    %twice = arith.muli %k, %c1 : index
    %v = memref.load %x[%twice] : memref<?xi32> // here
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  %z = arith.select %at_fault, %sum, %one : i32
  memref.store %z, %y[%i] : memref<?xi32>
""",
        "access out of bounds: [38] of global memory %x of 38 elements [memref.load] in "
        "work-item 39 (local 7 of work-group 2)",
        column=10,
        arguments="%x: memref<?xi32>, %y: memref<?xi32>",
        values=(np.zeros(38, np.int32), np.zeros(SIZE, np.int32)),
    ),
}
