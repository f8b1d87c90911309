"""`mask-divergence` must not change what a sub-group computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import Launch, Maker, check_native, check_passes
from tests.execution.pipelines.vectorize_kernels import CASES

WIDTHS = (2, 8, 64)

PARTIAL = (Launch((33,), (64,)), Launch((70,), (32,)))
"""Some lanes of the last sub-group have no work-item."""


def check_in_lanes(
    kernel: str,
    arrays: Callable[[Maker], list[Any]],
    launches: Sequence[Launch],
    width: int,
) -> ModuleOp:
    """Levels 1 to 3 and native code do what level 0 does; gives level 3."""
    steps = SpmdToLoopsPass(), FormSubGroupsPass(width=width), MaskDivergencePass()
    module = check_passes(kernel, arrays, launches, *steps)
    for launch in launches:
        check_native(kernel, arrays, launch, width=width)
    return module


@pytest.mark.parametrize("name", CASES)
def test_masked_lanes_compute_what_work_items_do(name: str):
    width = WIDTHS[list(CASES).index(name) % len(WIDTHS)]
    CASES[name].check_in_lanes(width, MaskDivergencePass())


ENDS = """
spmd.kernel @ends(%ends: memref<?xi8>, %out: memref<?xi32>, %last: memref<?xi32>) {
  %c1 = arith.constant 1 : i8
  %first = arith.constant -100 : i8
  %step = arith.constant 50 : i8
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %end = memref.load %ends[%i] : memref<?xi8>
  %bit = arith.andi %end, %c1 : i8
  %odd = arith.cmpi eq, %bit, %c1 : i8
  scf.if %odd {
    %sum, %most = scf.for %k = %first to %end step %step
        iter_args(%s = %zero, %m = %zero) -> (i32, i32) : i8 {
      %k32 = arith.extsi %k : i8 to i32
      %t = arith.addi %s, %k32 : i32
      memref.store %t, %last[%i] : memref<?xi32>
      %n = arith.maxsi %m, %k32 : i32
      scf.yield %t, %n : i32, i32
    }
    %both = arith.muli %sum, %most : i32
    memref.store %both, %out[%i] : memref<?xi32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_the_last_end_counts_up_to_the_largest_number(width: int):
    def arrays(make: Maker):
        ends = make.random("i8", make.n)
        ends[make.n // 2 :] = 127
        return [ends, make.zeros("i32", make.n), make.zeros("i32", make.n)]

    launches = (Launch((70,), (64,)), Launch((32,), (16,)))
    module = check_in_lanes(ENDS, arrays, launches, width)
    assert "spmd.reduce max" in str(module)


# While the outer loop is put together again, nobody can say what its counter may be.
STEPS = """
spmd.kernel @steps(%x: memref<?xi32>, %y: memref<?xi32>) {
  %one = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %end = arith.constant 2147483646 : i32
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %low = arith.andi %v, %c3 : i32
  %sum = arith.addi %low, %end : i32
  %begin = arith.subi %sum, %c3 : i32
  %stride = arith.addi %low, %one : i32
  %all, %same = scf.for %i = %begin to %end step %stride
      iter_args(%a = %zero, %b = %one) -> (i32, i32) : i32 {
    %some = scf.for %j = %low to %end step %i iter_args(%c = %a) -> (i32) : i32 {
      %d = arith.addi %c, %one : i32
      %e = arith.xori %d, %j : i32
      scf.yield %e : i32
    }
    scf.yield %some, %b : i32, i32
  }
  memref.store %all, %y[%gid] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_steps_are_what_a_loop_around_counts(width: int):
    def arrays(make: Maker):
        return [make.random("i32", make.n), make.zeros("i32", make.n)]

    check_in_lanes(STEPS, arrays, (Launch((70,), (64,)),), width)


# All work-items access one element, but where none is, nothing was loaded that says which one.
ZERO = """
spmd.kernel @zero(%x: memref<?xi32>, %n: i32, %table: memref<4xi32>, %out: memref<?xi32>,
    %seen: memref<?xi32>, %last: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %first = memref.load %table[%c1] : memref<4xi32>
  %none = arith.andi %v, %zero : i32
  %at = arith.index_cast %none : i32 to index
  memref.store %n, %out[%at] : memref<?xi32>
  %t = memref.load %table[%at] : memref<4xi32>
  %j = spmd.local_id x
  %u = memref.load %x[%j] : memref<?xi32>
  %row = arith.divui %j, %c64 : index
  %s = memref.load %table[%row] : memref<4xi32>
  %more = arith.cmpi slt, %u, %n : i32
  scf.if %more {
    %w = memref.load %x[%i] : memref<?xi32>
    %second = memref.load %table[%c2] : memref<4xi32>
    %both = arith.addi %first, %second : i32
    %below = arith.muli %w, %zero : i32
    %there = arith.index_cast %below : i32 to index
    memref.store %both, %last[%there] : memref<?xi32>
    %all = arith.xori %t, %s : i32
    memref.store %all, %seen[%i] : memref<?xi32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_what_only_some_lanes_have_loaded_is_no_address_of_all(width: int):
    def arrays(make: Maker):
        x, table = make.random("i32", make.n), make.random("i32", 4)
        results = [make.zeros("i32", make.n) for _ in range(3)]
        return [x, np.int32(3), table, *results]

    check_in_lanes(ZERO, arrays, PARTIAL, width)


# What is the same in all lanes follows from their ids, which are known where none is active.
IDS = """
spmd.kernel @ids(%x: memref<?xi32>, %n: i32, %table: memref<4xi32>, %out: memref<?xi32>) {
  %one = arith.constant 1 : i32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %more = arith.cmpi slt, %v, %n : i32
  scf.if %more {
    %w = memref.load %x[%i] : memref<?xi32>
    %j = spmd.local_id x
    %twice = arith.muli %j, %c2 : index
    %first = memref.load %table[%c1] : memref<4xi32>
    %row = arith.divui %twice, %c256 : index
    %pair = memref.subview %table[%row][2][1] : memref<4xi32> to
        memref<2xi32, strided<[1], offset: ?>>
    %second = memref.load %pair[%c1] : memref<2xi32, strided<[1], offset: ?>>
    %row32 = arith.index_cast %row : index to i32
    %divisor = arith.addi %row32, %one : i32
    %quotient = arith.divui %n, %divisor : i32
    %s = arith.addi %second, %quotient : i32
    %t = arith.addi %w, %s : i32
    %u = arith.addi %t, %first : i32
    memref.store %u, %out[%i] : memref<?xi32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_what_follows_from_ids_is_known_in_all_lanes(width: int):
    def arrays(make: Maker):
        x, table = make.random("i32", make.n), make.random("i32", 4)
        return [x, np.int32(3), table, make.zeros("i32", make.n)]

    check_in_lanes(IDS, arrays, PARTIAL, width)


TO_THE_LARGEST = """
spmd.kernel @to_the_largest(%x: memref<?xi32>, %out: memref<?xi32>) {
  %seven = arith.constant 7 : i32
  %one = arith.constant 1 : i32
  %largest = arith.constant 9223372036854775807 : index
  %half = arith.constant 4611686018427387904 : index
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.andi %v, %seven : i32
  %first = arith.index_cast %low : i32 to index
  %sum = scf.for %k = %first to %largest step %half iter_args(%s = %v) -> (i32) {
    %k32 = arith.index_cast %k : index to i32
    %t = arith.muli %s, %k32 : i32
    %u = arith.addi %t, %one : i32
    scf.yield %u : i32
  }
  memref.store %sum, %out[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("width", WIDTHS)
def test_known_steps_to_the_largest_number(width: int):
    """From anywhere below 8 there are two of 2^62, of which the second ends past all numbers."""

    def arrays(make: Maker):
        return [make.random("i32", make.n), make.zeros("i32", make.n)]

    check_in_lanes(TO_THE_LARGEST, arrays, PARTIAL, width)
