"""
`linalg.map`, which xDSL 0.74 lacks, and the short form of `linalg.reduce`: both hold one op.

```mlir
linalg.map { arith.addf } ins(%x, %y : memref<8xf32>, memref<8xf32>) outs(%z : memref<8xf32>)
linalg.map ins(%x : memref<8xf32>) outs(%z : memref<8xf32>)
  (%a: f32) {
    %r = math.exp %a : f32
    linalg.yield %r : f32
  }
linalg.reduce { arith.addf } ins(%x : memref<8x8xf32>) outs(%y : memref<8xf32>) dimensions = [1]
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    ShapedType,
    i64,
)
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import ReduceOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, irdl_op_definition
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.compat import add_missing, set_syntax
from spmd.dialects.compat.linalg.named import results_of

_Payload = Callable[[Sequence[SSAValue], Attribute], Operation]
"""From operands and the type of the result to the op that is in the braces."""


@irdl_op_definition
class MapOp(LinalgStructuredOperation):
    """
    What its region makes of the elements of the inputs at one place, for all places.

    The region has an argument for each input, and one for the output, which is not written
    where nobody uses it.
    """

    name = "linalg.map"

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, inputs: Sequence[SSAValue], output: SSAValue, body: Region):
        block = body.block
        if len(block.args) == len(inputs):
            block.insert_arg(get_element_type_or_self(output.type), len(inputs))
        super().__init__(
            operands=[inputs, [output]],
            result_types=[results_of((output,))],
            regions=[body],
        )

    def get_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        map_ = AffineMapAttr(AffineMap.identity(self._rank))
        return ArrayAttr([map_] * len(self.operands))

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        return ArrayAttr([IteratorTypeAttr.parallel()] * self._rank)

    @property
    def _rank(self) -> int:
        output = self.outputs[0].type
        assert isinstance(output, ShapedType), "its definition says so"
        return output.get_num_dims()

    @classmethod
    def parse(cls, parser: Parser) -> MapOp:
        payload = _parse_payload(parser)
        inputs = _parse_operands(parser, "ins")
        (output,) = _parse_operands(parser, "outs", 1)
        if payload is None:
            body = _parse_body(parser)
        else:
            arguments = _arguments(inputs)
            body = _body(payload, arguments, arguments.args, output)
        return cls(inputs, output, body)

    def print(self, printer: Printer) -> None:
        for word, operands in (("ins", self.inputs), ("outs", self.outputs)):
            if operands:
                printer.print_string(f" {word}(")
                printer.print_list(operands, printer.print_ssa_value)
                printer.print_string(" : ")
                printer.print_list(operands.types, printer.print_attribute)
                printer.print_string(")")
        *arguments, output = self.body.block.args
        if output.first_use is not None:
            arguments.append(output)
        printer.print_string("\n")
        with printer.in_parens():
            printer.print_list(arguments, printer.print_block_argument)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _parse_reduce(cls: type[ReduceOp], parser: Parser) -> ReduceOp:
    payload = _parse_payload(parser)
    (source,) = _parse_operands(parser, "ins", 1)
    (init,) = _parse_operands(parser, "outs", 1)
    parser.parse_keyword("dimensions")
    parser.parse_punctuation("=")
    dimensions = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_integer
    )
    if payload is None:
        body = _parse_body(parser)
    else:
        arguments = _arguments((source, init))
        # As upstream has it: what was reduced before is the first operand.
        body = _body(payload, arguments, arguments.args[::-1], init)
    return cls(source, init, DenseArrayBase.from_list(i64, dimensions), body)


def _parse_operands(
    parser: Parser, word: str, count: int | None = None
) -> Sequence[SSAValue]:
    """`ins(%x, %y : type, type)`; there are none without the word."""
    place = parser.pos
    operands: Sequence[SSAValue] = ()
    if parser.parse_optional_characters(word) is not None:
        parser.parse_punctuation("(")
        unresolved = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_type
        )
        parser.parse_punctuation(")")
        operands = parser.resolve_operands(unresolved, types, place)
    if count is not None and len(operands) != count:
        parser.raise_error(f"expected {count} in {word}, got {len(operands)}", place)
    return operands


def _parse_payload(parser: Parser) -> _Payload | None:
    """`{ arith.addf {fastmath = #arith.fastmath<fast>} }`, if that is there."""
    if parser.parse_optional_punctuation("{") is None:
        return None
    place, name = parser.pos, parser.parse_identifier()
    op = parser.ctx.get_optional_op(name)
    if op is None or not issubclass(op, IRDLOperation):
        parser.raise_error(f"expected an operation, got {name}", place)
    attributes = dict(parser.parse_optional_attr_dict())
    parser.parse_punctuation("}")
    known = op.get_irdl_definition().properties
    properties = {key: attributes.pop(key) for key in known if key in attributes}
    return lambda operands, type_: op.create(
        operands=operands,
        result_types=[type_],
        properties=properties,
        attributes=attributes,
    )


def _parse_body(parser: Parser) -> Region:
    arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_argument
    )
    return parser.parse_region(arguments)


def _arguments(operands: Sequence[SSAValue]) -> Block:
    return Block(arg_types=[get_element_type_or_self(each.type) for each in operands])


def _body(
    payload: _Payload, block: Block, operands: Sequence[SSAValue], output: SSAValue
) -> Region:
    op = payload(operands, get_element_type_or_self(output.type))
    block.add_ops((op, YieldOp(*op.results)))
    return Region(block)


def repair() -> None:
    """Add `map` to xDSL's `linalg` dialect, and let its `reduce` be written in short."""
    add_missing(Linalg, (MapOp,))
    set_syntax(ReduceOp, _parse_reduce, ReduceOp.print)
