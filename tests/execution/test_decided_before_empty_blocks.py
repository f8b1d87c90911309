"""What decides between blocks that only pass values on is a use, whatever they pass on."""

from xdsl.context import Context
from xdsl.dialects import arith, cf, func
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser

from spmd.passes.structuring.block_graph import BlockGraph

SOURCE = """
func.func @f(%c: i1, %d: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^start(%c : i1), ^start(%d : i1)
^start(%way: i1):
  cf.cond_br %way, ^first, ^second
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
