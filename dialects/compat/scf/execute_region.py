"""
Repairs the custom syntax of `scf.execute_region` without results.

xDSL 0.74 drops the terminators of its blocks, so that a `cf.cond_br` vanishes and the
text cannot be read again, and it forgets discardable attributes while parsing.

```mlir
// 0.74                                 // repaired
scf.execute_region {                    scf.execute_region {
  %c = "test.op"() : () -> i1             %c = "test.op"() : () -> i1
^bb1:                                     cf.cond_br %c, ^bb1, ^bb2
^bb2:                                   ^bb1:
}                                         cf.br ^bb2
                                        ^bb2:
                                          scf.yield
                                        }
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.scf import ExecuteRegionOp
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from spmd.dialects.compat import set_syntax


def _parse(cls: type[ExecuteRegionOp], parser: Parser) -> ExecuteRegionOp:
    types: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        listed = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        types = [parser.parse_type()] if listed is None else listed
    region = parser.parse_region()
    op = cls(types, region)
    op.attributes.update(parser.parse_optional_attr_dict())
    return op


def _print(self: ExecuteRegionOp, printer: Printer) -> None:
    if self.outs:
        printer.print_string(" -> (")
        printer.print_list(self.outs.types, printer.print_attribute)
        printer.print_string(")")
    printer.print_string(" ")
    printer.print_region(self.region, print_entry_block_args=False)
    printer.print_op_attributes(self.attributes)


def repair() -> None:
    """Give `scf.execute_region` a syntax that can be read again."""
    set_syntax(ExecuteRegionOp, _parse, _print)
