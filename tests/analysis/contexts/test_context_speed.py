"""Splitting at barriers takes work in proportion to the size of a kernel."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.rematerialization.rematerialize_memrefs import RematerializeMemrefsPass
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass, Strategy
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.analysis.work import calls_of

FEW, MANY = 200, 1_000
HEAD = """
spmd.kernel @k(%x: memref<?xf32>, %y: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %v0 = memref.load %x[%lid] : memref<?xf32>
"""
TAIL = "  spmd.return\n}\n"


def one_after_the_other(size: int) -> str:
    """Values that live across one barrier each, one of two at a time."""
    step = """
      %aI = arith.addf %vI, %vI : f32
      %bI = arith.mulf %aI, %vI : f32
      spmd.barrier
      %wI = memref.load %x[%lid] : memref<?xf32>
      %dI = arith.addf %bI, %wI : f32
      memref.store %dI, %x[%lid] : memref<?xf32>
      %vNEXT = arith.addf %dI, %aI : f32
    """
    return "".join(
        step.replace("NEXT", str(i + 1)).replace("I", str(i)) for i in range(size // 7)
    )


def all_at_once(size: int) -> str:
    """Many values that live across one barrier."""
    count = size // 3
    loads = (f"  %u{i} = memref.load %x[%lid] : memref<?xf32>\n" for i in range(count))
    uses = (
        f"  %w{i} = arith.addf %u{i}, %u{i * 7 % count} : f32\n"
        f"  memref.store %w{i}, %x[%lid] : memref<?xf32>\n"
        for i in range(count)
    )
    return "".join((*loads, "  spmd.barrier\n", *uses))


def loops_that_swap(size: int) -> str:
    """Loops with a sum and two arrays that change places."""
    loop = """
      %rI:3 = scf.for %iI = %c0 to %c1 step %c1 iter_args(%sI = %v0, %fI = %x, %tI = %y) -> (f32, memref<?xf32>, memref<?xf32>) {
        %aI = memref.load %fI[%iI] : memref<?xf32>
        %bI = arith.addf %aI, %sI : f32
        spmd.barrier
        memref.store %bI, %tI[%lid] : memref<?xf32>
        spmd.barrier
        scf.yield %bI, %tI, %fI : f32, memref<?xf32>, memref<?xf32>
      }
      memref.store %rI#0, %rI#1[%lid] : memref<?xf32>
    """
    return "".join(loop.replace("I", str(i)) for i in range(size // 8))


def calls_per_op(text: str, strategy: Strategy) -> float:
    """Calls of the pass that splits."""
    module = parse(SourceText("kernel.mlir", HEAD + text + TAIL))
    RematerializeMemrefsPass().apply(make_context(), module)
    HoistIdsPass().apply(make_context(), module)
    size = sum(1 for _ in module.walk())
    split = SplitAtBarriersPass(strategy=strategy)
    return calls_of(lambda: split.apply(make_context(), module)) / size


SPLIT: list[tuple[Callable[[int], str], Strategy]] = [
    (one_after_the_other, "fission"),
    (one_after_the_other, "continuations"),
    (all_at_once, "fission"),
    (all_at_once, "continuations"),
    # A continuation holds all that can run up to the next barrier: of loops that may have
    # no iteration, all loops.
    (loops_that_swap, "fission"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "strategy"), SPLIT)
def test_work_per_operation_does_not_grow(
    text: Callable[[int], str], strategy: Strategy
):
    few = calls_per_op(text(FEW), strategy)
    many = calls_per_op(text(MANY), strategy)
    assert many < 1.3 * few, (few, many)


@pytest.mark.slow
def test_memrefs_are_rebuilt_in_linear_time():
    calls: list[float] = []
    for size in (FEW, MANY):
        module = parse(SourceText("kernel.mlir", HEAD + loops_that_swap(size) + TAIL))
        size = sum(1 for _ in module.walk())
        run = RematerializeMemrefsPass()
        calls.append(calls_of(lambda: run.apply(make_context(), module)) / size)
    assert calls[1] < 1.3 * calls[0], calls
