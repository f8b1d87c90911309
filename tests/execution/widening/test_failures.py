"""`spmd.fail` in lanes: the first work-item that fails speaks, with numbers of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.reference import run_kernel
from spmd.reference.errors import UndefinedBehavior
from tests.execution.harness import Array, parsed

# The message has numbers of every form in which lanes hold them, of several types; the
# failure stands in a loop that lanes leave one after the other.
KERNEL = """
spmd.kernel @refuse(%x: memref<?xi16>, %y: memref<?xi16>, %most: i16) {
  %one = arith.constant 1 : i32
  %step = arith.constant 3 : i16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi16>
  %short = arith.index_cast %i : index to i32
  %back = arith.subi %one, %short : i32
  %in = arith.cmpi ult, %i, %n : index
  scf.if %in {
    %first = memref.load %x[%i] : memref<?xi16>
    %trips = arith.remui %i, %c2 : index
    %sum = scf.for %k = %c0 to %trips step %c1 iter_args(%s = %first) -> (i16) {
      %bad = arith.cmpi sgt, %s, %most : i16
      scf.if %bad {
        spmd.fail "{} of {}, {}: {no|yes} {}"(%s, %i, %back, %bad, %most)
            : i16, index, i32, i1, i16
      }
      %next = arith.addi %s, %step : i16
      scf.yield %next : i16
    }
    memref.store %sum, %y[%i] : memref<?xi16>
  }
  spmd.return
}
"""

FORMS: tuple[dict[str, Any], ...] = (
    {"vectorize": False},
    *({"width": width} for width in (1, 2, 4, 16, 64)),
)


def arguments(*large: int) -> tuple[Array, Array, int]:
    """Numbers below the limit, but at some places."""
    x = np.zeros(70, np.int16)
    x[list(large)] = 100 + np.arange(len(large))
    return x, np.zeros_like(x), 99


@pytest.mark.parametrize("options", FORMS, ids=str)
@pytest.mark.parametrize("large", [(5, 7), (69,), (4, 63), (64, 65, 67)], ids=str)
def test_the_first_that_fails_speaks(options: dict[str, Any], large: tuple[int, ...]):
    with pytest.raises(UndefinedBehavior) as meant:
        run_kernel(
            parsed(KERNEL), "refuse", arguments(*large), global_size=80, group_size=16
        )
    kernel = spmd.compile(KERNEL, **options)["refuse"]
    with pytest.raises(spmd.LaunchError) as said:
        kernel(*arguments(*large), global_size=80, group_size=16, threads=1)
    assert meant.value.message in str(said.value)


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_nobody_fails(options: dict[str, Any]):
    x, y, most = arguments(2, 4, 66)  # these go through no iteration
    spmd.compile(KERNEL, **options)["refuse"](x, y, most, global_size=80, group_size=16)
    assert (y == x + 3 * (np.arange(70) % 2)).all()
