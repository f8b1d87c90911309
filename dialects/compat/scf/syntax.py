"""
Upstream's syntax for `scf.parallel`, which xDSL 0.74 reads and writes as a generic op, for
`scf.reduce` of several values, and for `scf.while` without values, which has no parentheses.

```mlir
%sum = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) init (%zero) -> f32 {
  %v = memref.load %x[%i, %j] : memref<?x?xf32>
  scf.reduce(%v : f32) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    scf.reduce.return %s : f32
  }
}
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.scf import ParallelOp, ReduceOp, WhileOp
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator, ensure_terminator

from spmd.dialects.compat import set_syntax


def _operands(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )


def _resolved(
    parser: Parser, operands: Sequence[UnresolvedOperand], types: Sequence[Attribute]
) -> list[SSAValue]:
    return list(parser.resolve_operands(operands, types, parser.pos))


def _parse(cls: type[ParallelOp], parser: Parser) -> ParallelOp:
    index = IndexType()
    counters = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    bounds: list[list[SSAValue]] = []
    for word in ("=", "to", "step"):
        if word == "=":
            parser.parse_punctuation("=")
        else:
            parser.parse_keyword(word)
        place, found = parser.pos, _operands(parser)
        if len(found) != len(counters):
            parser.raise_error(
                f"expected {len(counters)} operands, one for each counter, got "
                f"{len(found)}",
                place,
            )
        bounds.append(_resolved(parser, found, [index] * len(found)))
    initial: list[UnresolvedOperand] = []
    if parser.parse_optional_keyword("init") is not None:
        initial = _operands(parser)
    types: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        listed = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        types = [parser.parse_type()] if listed is None else listed
    values = _resolved(parser, initial, types)
    body = parser.parse_region([counter.resolve(index) for counter in counters])
    lower, upper, step = bounds
    op = cls(lower, upper, step, body, values)
    op.attributes.update(parser.parse_optional_attr_dict())
    for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
        ensure_terminator(op, trait)
    return op


def _print(self: ParallelOp, printer: Printer) -> None:
    def in_parens(word: str, values: Sequence[SSAValue]) -> None:
        printer.print_string(f"{word}(")
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(")")

    in_parens(" ", self.body.block.args)
    in_parens(" = ", self.lowerBound)
    in_parens(" to ", self.upperBound)
    in_parens(" step ", self.step)
    if self.initVals:
        in_parens(" init ", self.initVals)
        printer.print_string(" -> ")
        types = self.res.types
        printer.print_string("(" if len(types) > 1 else "")
        printer.print_list(types, printer.print_attribute)
        printer.print_string(")" if len(types) > 1 else "")
    printer.print_string(" ")
    printer.print_region(self.body, print_entry_block_args=False)
    printer.print_op_attributes(self.attributes)


def _parse_reduce(cls: type[ReduceOp], parser: Parser) -> ReduceOp:
    values: list[SSAValue] = []
    if parser.parse_optional_punctuation("(") is not None:
        found = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_type
        )
        parser.parse_punctuation(")")
        values = _resolved(parser, found, types)
    regions = [parser.parse_region()] if values else []
    # xDSL writes no commas.
    while values and (
        parser.parse_optional_punctuation(",") or len(regions) < len(values)
    ):
        regions.append(parser.parse_region())
    op = cls(values, regions)
    op.attributes.update(parser.parse_optional_attr_dict())
    return op


def _print_reduce(self: ReduceOp, printer: Printer) -> None:
    if self.args:
        printer.print_string("(")
        printer.print_list(self.args, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list(self.args.types, printer.print_attribute)
        printer.print_string(") ")
        printer.print_list(self.reductions, printer.print_region)
    printer.print_op_attributes(self.attributes)


_parse_while_of_values = WhileOp.parse


def _parse_while(cls: type[WhileOp], parser: Parser) -> WhileOp:
    place = parser.pos
    if parser.parse_optional_punctuation(":") is None:
        return _parse_while_of_values(parser)
    type_ = parser.parse_function_type()
    if type_.inputs.data:
        parser.raise_error("expected '(' and a value for each of the types", place)
    before = parser.parse_region()
    parser.parse_characters("do")
    after = parser.parse_region()
    attributes = parser.parse_optional_attr_dict_with_keyword()
    op = cls((), type_.outputs.data, before, after)
    if attributes is not None:
        op.attributes |= attributes.data
    return op


def repair() -> None:
    """Give `scf.parallel` and `scf.while` their syntax, and `scf.reduce` its commas."""
    setattr(WhileOp, "parse", classmethod(_parse_while))
    set_syntax(ReduceOp, _parse_reduce, _print_reduce)
    set_syntax(ParallelOp, _parse, _print)
