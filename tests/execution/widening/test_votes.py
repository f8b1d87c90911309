"""A vote on a comparison: what the ends of a sub-group say is what all lanes say."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.dialects.names import PREDICATES
from tests.execution.harness import LINES, Maker, check_native

KERNEL = """
spmd.kernel @vote(%x: memref<?xi32>, %bound: {type}, %other: index)
    attributes {{sub_group_size = 8 : i64}} {{
  %one = arith.constant 1 : i32
  %step = arith.constant {step} : index
  %seven = arith.constant 7 : index
  %i = spmd.global_id x
  %scaled = arith.muli %i, %step : index
  %moved = arith.addi %scaled, %seven : index
  %k = arith.index_cast %moved : index to {type}
  %p = arith.cmpi {predicate}, {operands} : {type}
  %some = spmd.any %p across sub_group
  %a = arith.extui %some : i1 to i32
  %q = arith.cmpi eq, %i, %other : index
  %either = arith.ori %p, %q : i1
  %any = spmd.any %either across sub_group
  %b = arith.extui %any : i1 to i32
  %twice = arith.addi %b, %b : i32
  %both = arith.addi %a, %twice : i32
  memref.store %both, %x[%i] : memref<?xi32>
  spmd.return
}}
"""


@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("step", [-3, 1])
def test_the_ends_say_what_all_lanes_say(predicate: str, step: int):
    # The numbers of a sub-group go from 7 down to -14, or past each of the bounds.
    for number, bound in enumerate((-6, -1, 0, 9, 40)):
        source = KERNEL.format(
            type=("i64", "i16")[number % 2],
            step=step,
            predicate=predicate,
            operands=("%k, %bound", "%bound, %k")[number // 2 % 2],
        )

        def arguments(make: Maker, bound: int = bound) -> list[Any]:
            return [make.zeros("i32", make.n), bound, 13]

        check_native(source, arguments, LINES[2 + number % 3])
