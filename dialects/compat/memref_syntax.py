"""
Upstream's syntax for `memref.copy`, `cast` and `global`, which xDSL 0.74 writes as generic ops.

```mlir
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

%v = memref.cast %x : memref<4xf32> to memref<?xf32>
memref.copy %x, %y : memref<?xf32> to memref<?xf32>
```
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AnyDenseElement,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.memref import CastOp, CopyOp, GlobalOp
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.hints import isa

from spmd.dialects.compat import give_format, set_syntax

_FORMATS: dict[type[IRDLOperation], str] = {
    CastOp: "$source attr-dict `:` type($source) `to` type($dest)",
    CopyOp: (
        "$source `,` $destination attr-dict `:` type($source) `to` type($destination)"
    ),
}


def _parse_global(cls: type[GlobalOp], parser: Parser) -> GlobalOp:
    visibility = parser.parse_optional_str_literal() or "public"
    constant = parser.parse_optional_keyword("constant")
    name = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    place = parser.pos
    type_ = parser.parse_type()
    if not isa(type_, MemRefType[AnyDenseElement]) or not type_.has_static_shape():
        parser.raise_error(
            f"expected a memref of numbers with fixed sizes, got {type_}",
            place,
            parser.pos,
        )
    parser.parse_punctuation("=")
    value: Attribute = UnitAttr()
    if parser.parse_optional_keyword("uninitialized") is None:
        elements = TensorType(type_.element_type, type_.shape)
        parser.parse_keyword("dense")
        value = parser.parse_dense_int_or_fp_elements_attr(elements)
    rest = parser.parse_optional_attr_dict()
    properties = {
        "sym_name": name,
        "sym_visibility": StringAttr(visibility),
        "type": type_,
        "initial_value": value,
        "constant": UnitAttr() if constant else None,
        "alignment": rest.pop("alignment", None),
    }
    return cls(properties=properties, attributes=rest)


def _print_global(self: GlobalOp, printer: Printer) -> None:
    if self.sym_visibility.data != "public":
        printer.print_string(" ")
        printer.print_string_literal(self.sym_visibility.data)
    if self.constant is not None:
        printer.print_string(" constant")
    printer.print_string(" ")
    printer.print_symbol_name(self.sym_name.data)
    printer.print_string(" : ")
    printer.print_attribute(self.type)
    printer.print_string(" = ")
    if isinstance(self.initial_value, UnitAttr):
        printer.print_string("uninitialized")
    else:
        self.initial_value.print_without_type(printer)
    alignment = {} if self.alignment is None else {"alignment": self.alignment}
    printer.print_op_attributes({**alignment, **self.attributes})


def repair() -> None:
    """Give the three ops upstream's syntax."""
    for op, text in _FORMATS.items():
        give_format(op, text)
    set_syntax(GlobalOp, _parse_global, _print_global)
