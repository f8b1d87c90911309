"""Branches that moved out of work-item loops select the same code for all work-items."""

from collections.abc import Iterator
from typing import Any

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.work_item_loops.nests import nests_in
from spmd.passes.work_item_loops.unswitch_work_item_loops import (
    MOST_BESIDE,
    UnswitchWorkItemLoopsPass,
)
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    LINES,
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)
from tests.execution.work_item_loops.tree_kernels import tree_kernel

TREE = tree_kernel()

SWITCH = """
spmd.kernel @switch(%path: index, %w: index, %x: memref<?xi32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %row = arith.muli %gy, %w : index
  %i = arith.addi %row, %gx : index
  %v = memref.load %x[%i] : memref<?xi32>
  %new = scf.index_switch %path -> i32
  case 3 {
    %double = arith.addi %v, %v : i32
    memref.store %double, %x[%i] : memref<?xi32>
    scf.yield %double : i32
  }
  case 5 {
    scf.yield %v : i32
  }
  default {
    %square = arith.muli %v, %v : i32
    memref.store %square, %x[%i] : memref<?xi32>
    scf.yield %square : i32
  }
  spmd.return
}
"""


def tree(start: int):
    def arguments(make: Maker) -> list[Any]:
        return [
            start,
            make.integers("i32", -99, 99, make.n),
            make.zeros("i32", make.groups),
        ]

    return arguments


TREES = [tree(start) for start in (0, 1, 32)]


def switch(way: int):
    def arguments(make: Maker) -> list[Any]:
        width = make.launch.global_size[0]
        return [way, width, make.integers("i32", -99, 99, make.n)]

    return arguments


SWITCHES = [switch(way) for way in (0, 3, 5)]


@pytest.mark.parametrize("launch", LINES, ids=str)
@pytest.mark.parametrize("arguments", TREES, ids=["none", "one", "all"])
def test_a_loop_of_continuations(arguments: Any, launch: Launch):
    check_passes(
        TREE,
        arguments,
        (launch,),
        SpmdToLoopsPass(strategy="continuations"),
        skip=("split-at-barriers",),
    )
    for vectorize in (False, True):
        check_native(
            TREE, arguments, launch, strategy="continuations", vectorize=vectorize
        )


@pytest.mark.parametrize("launch", PLANES, ids=str)
@pytest.mark.parametrize("arguments", SWITCHES, ids=["default", "case", "nothing"])
def test_a_switch_in_two_dimensions(arguments: Any, launch: Launch):
    check_passes(
        SWITCH, arguments, (launch,), SpmdToLoopsPass(), skip=("split-at-barriers",)
    )
    check_native(SWITCH, arguments, launch)


def unswitched(source: str) -> ModuleOp:
    """The kernel as continuations, just after the pass."""
    module = parsed(source).clone()
    for step in flatten((SpmdToLoopsPass(strategy="continuations"),)):
        step.apply(make_context(), module)
        if isinstance(step, UnswitchWorkItemLoopsPass):
            break
    return module


def branches_in_loops(module: ModuleOp) -> Iterator[scf.IfOp | scf.IndexSwitchOp]:
    for function in module.ops:
        for nest in nests_in(function):
            for op in nest.walk():
                if isinstance(op, scf.IfOp | scf.IndexSwitchOp):
                    yield op


def test_only_varying_branches_are_left_in_the_loops():
    assert {
        name
        for branch in branches_in_loops(unswitched(TREE))
        if (name := branch.operands[0].name_hint)
    } == {"active", "first"}
    assert not list(branches_in_loops(unswitched(SWITCH)))


def test_much_code_is_not_written_twice():
    adds = "\n".join(
        f"  %v{i + 1} = arith.addi %v{i}, %g : index" for i in range(MOST_BESIDE)
    )
    source = f"""
spmd.kernel @long(%p: i1, %x: memref<?xindex>) {{
  %g = spmd.global_id x
  %v0 = memref.load %x[%g] : memref<?xindex>
{adds}
  scf.if %p {{
    memref.store %v{MOST_BESIDE}, %x[%g] : memref<?xindex>
  }}
  spmd.return
}}
"""
    assert len(list(branches_in_loops(unswitched(source)))) == 1
