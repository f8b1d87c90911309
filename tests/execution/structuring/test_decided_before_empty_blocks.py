"""What decides between blocks that only pass values on is a use, whatever they pass on."""

from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.structuring.block_graph import BlockGraph
from spmd.runtime.options import Strategy
from tests.execution.harness import (
    LINES,
    Launch,
    Maker,
    check_native,
    check_passes,
)

SOURCE = """
func.func @f(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^start(%c : i1), ^start(%d : i1)
^start(%path: i1):
  cf.cond_br %path, ^first, ^second
^first:
  func.return %x : i32
^second:
  func.return %y : i32
}
"""


def test_the_condition_in_front_of_empty_blocks_is_live():
    context = Context()
    for dialect in (Builtin, arith.Arith, cf.Cf, func.Func):
        context.load_dialect(dialect)
    module = Parser(context, SOURCE).parse_module()
    (function,) = module.ops
    graph = BlockGraph(function.regions[0], {})
    way = graph.arguments[1][0]
    assert graph.live[1] & way.bit


# Each iteration decides about the next one, which only forwards a number.
KERNEL = """
spmd.kernel @k(%x: memref<?xi32>, %out: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i32
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %bit = arith.andi %v, %one : i32
  %odd = arith.trunci %v : i32 to i1
  cf.br ^head(WAY, %zero, %zero : TYPE, i32, i32)
^head(%path: TYPE, %k: i32, %a: i32):
  DECIDE
^first:
  cf.br ^latch(%three : i32)
^second:
  cf.br ^latch(%five : i32)
^latch(%d: i32):
  %b = arith.muli %a, %d : i32
  %c = arith.addi %b, %d : i32
  BARRIER
  %next = arith.addi %k, %one : i32
  %more = arith.cmpi slt, %next, %three : i32
  %shifted = arith.shrui %v, %next : i32
  %next_bit = arith.andi %shifted, %one : i32
  %next_odd = arith.trunci %shifted : i32 to i1
  cf.cond_br %more, ^head(NEXT, %next, %c : TYPE, i32, i32), ^exit
^exit:
  memref.store %c, %out[%gid] : memref<?xi32>
  spmd.return
}
"""

BRANCH = {
    "WAY": "%odd",
    "NEXT": "%next_odd",
    "TYPE": "i1",
    "DECIDE": "cf.cond_br %path, ^first, ^second",
}
SWITCH = {
    "WAY": "%bit",
    "NEXT": "%next_bit",
    "TYPE": "i32",
    "DECIDE": "cf.switch %path : i32, [\n    default: ^first,\n    1: ^second\n  ]",
}


def arguments(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.n)]


@pytest.mark.parametrize("launch", LINES, ids=str)
@pytest.mark.parametrize("strategy", ["fission", "continuations"])
@pytest.mark.parametrize("barrier", ["", "spmd.barrier"])
@pytest.mark.parametrize("words", [BRANCH, SWITCH], ids=["branch", "switch"])
def test_each_iteration_takes_the_path_that_the_last_one_decided(
    words: dict[str, str], barrier: str, strategy: Strategy, launch: Launch
):
    source = KERNEL.replace("BARRIER", barrier)
    for word, text in words.items():
        source = source.replace(word, text)
    passes = SpmdToLoopsPass(strategy=strategy)
    check_passes(source, arguments, (launch,), passes, skip=("split-at-barriers",))
    for vectorize in (True, False):
        check_native(source, arguments, launch, strategy=strategy, vectorize=vectorize)
