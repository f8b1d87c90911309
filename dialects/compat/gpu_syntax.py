"""
Upstream's syntax for the ops of `gpu` that kernels have, which xDSL 0.74 reads as generic ops.

```mlir
gpu.module @kernels {
  gpu.func @double(%x: memref<?xf32>) kernel {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %x[%i] : memref<?xf32>
    gpu.return
  }
}
func.func @main(%x: memref<?xf32>, %n: index, %c1: index) {
  gpu.launch_func @kernels::@double blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%x : memref<?xf32>)
  func.return
}
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    FunctionType,
    IndexType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.utils import print_func_argument
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

_IDS = (gpu.BlockDimOp, gpu.BlockIdOp, gpu.GlobalIdOp, gpu.GridDimOp, gpu.ThreadIdOp)
_PLAIN = (gpu.LaneIdOp, gpu.NumSubgroupsOp, gpu.SubgroupIdOp, gpu.SubgroupSizeOp)


def _with_attributes(op: Any, parser: Parser) -> Any:
    op.attributes.update(parser.parse_optional_attr_dict())
    return op


def _parse_id(cls: Any, parser: Parser) -> Operation:
    dimension = gpu.DimensionAttr(parser.parse_str_enum(gpu.DimensionEnum))
    return _with_attributes(cls(dimension), parser)


def _print_id(self: Any, printer: Printer) -> None:
    printer.print_string(f" {self.dimension.data}")
    printer.print_op_attributes(self.attributes)


def _parse_plain(cls: Any, parser: Parser) -> Operation:
    op = _with_attributes(cls(), parser)
    if op.results and parser.parse_optional_punctuation(":") is not None:
        place, type_ = parser.pos, parser.parse_type()
        if type_ != IndexType():
            parser.raise_error(f"expected index, got {type_}", place)
    return op


def _print_plain(self: Any, printer: Printer) -> None:
    printer.print_op_attributes(self.attributes)
    if self.results:
        printer.print_string(" : index")


def _parse_return(cls: type[gpu.ReturnOp], parser: Parser) -> gpu.ReturnOp:
    values: list[SSAValue] = []
    found = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    if found:
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_type
        )
        values = list(parser.resolve_operands(found, types, parser.pos))
    return cls(values)


def _print_return(self: gpu.ReturnOp, printer: Printer) -> None:
    if self.args:
        printer.print_string(" ")
        printer.print_list(self.args, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list(self.args.types, printer.print_attribute)


def _parse_module(cls: type[gpu.ModuleOp], parser: Parser) -> gpu.ModuleOp:
    name = parser.parse_symbol_name()
    attributes = parser.parse_optional_attr_dict_with_keyword()
    op = cls.create(properties={"sym_name": name}, regions=[parser.parse_region()])
    op.attributes.update({} if attributes is None else attributes.data)
    return op


def _print_module(self: gpu.ModuleOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_symbol_name(self.sym_name.data)
    printer.print_op_attributes(self.attributes, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(self.body)


def _parse_func(cls: type[gpu.FuncOp], parser: Parser) -> gpu.FuncOp:
    name = parser.parse_symbol_name()
    arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_argument
    )
    outputs: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        listed = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        outputs = [parser.parse_type()] if listed is None else listed
    place = parser.pos
    for word in ("workgroup", "private"):
        if parser.parse_optional_keyword(word) is not None:
            parser.raise_error(
                f"expected a gpu.func without {word}(...), whose memory xDSL's op cannot "
                "have: pass memory of the group as an argument",
                place,
            )
    kernel = parser.parse_optional_keyword("kernel") is not None
    attributes = parser.parse_optional_attr_dict_with_keyword()
    types = [argument.type for argument in arguments]
    op = cls.create(
        properties={"function_type": FunctionType.from_lists(types, outputs)},
        attributes={"sym_name": StringAttr(name.data)},
        regions=[parser.parse_region(arguments)],
    )
    if kernel:
        op.properties["kernel"] = UnitAttr()
    op.attributes.update({} if attributes is None else attributes.data)
    return op


def _print_func(self: gpu.FuncOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_symbol_name(self.sym_name.data)
    with printer.in_parens():
        printer.print_list(
            self.body.blocks[0].args,
            lambda arg: print_func_argument(printer, arg, None),
        )
    if outputs := self.function_type.outputs.data:
        printer.print_string(" -> (")
        printer.print_list(outputs, printer.print_attribute)
        printer.print_string(")")
    if self.kernel is not None:
        printer.print_string(" kernel")
    others = {k: v for k, v in self.attributes.items() if k != "sym_name"}
    printer.print_op_attributes(others, print_keyword=True)
    printer.print_string(" ")
    printer.print_region(self.body, print_entry_block_args=False)


def _parse_launch_func(cls: type[gpu.LaunchFuncOp], parser: Parser) -> gpu.LaunchFuncOp:
    place, kernel = parser.pos, parser.parse_attribute()
    if not isinstance(kernel, SymbolRefAttr):
        parser.raise_error(f"expected @module::@kernel, got {kernel}", place)

    def sizes(word: str) -> list[SSAValue]:
        parser.parse_keyword(word)
        parser.parse_keyword("in")
        return parser.parse_comma_separated_list(
            parser.Delimiter.PAREN,
            lambda: parser.resolve_operand(
                parser.parse_unresolved_operand(), IndexType()
            ),
        )

    grid, block = sizes("blocks"), sizes("threads")
    passed: list[SSAValue] = []
    if parser.parse_optional_keyword("args") is not None:
        passed = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _typed_operand(parser)
        )
    op = cls(kernel, grid, block, kernelOperands=passed, asyncDependencies=())
    return _with_attributes(op, parser)


def _typed_operand(parser: Parser) -> SSAValue:
    operand = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    return parser.resolve_operand(operand, parser.parse_type())


def _parse_all_reduce(cls: type[gpu.AllReduceOp], parser: Parser) -> gpu.AllReduceOp:
    kind = parser.parse_optional_str_enum(gpu.AllReduceOpEnum)
    operand = parser.parse_unresolved_operand()
    uniform = parser.parse_optional_keyword("uniform") is not None
    body = parser.parse_region()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    place = parser.pos
    type_ = parser.parse_type()
    if not isinstance(type_, FunctionType) or len(type_.inputs) != 1:
        parser.raise_error(f"expected (T) -> T, got {type_}", place)
    value = parser.resolve_operand(operand, type_.inputs.data[0])
    mark = UnitAttr() if uniform else None
    # Upstream's `{}` is a region with nothing in it.
    if kind is not None:
        op = cls.from_op(gpu.AllReduceOpAttr(kind), value, mark)
    else:
        op = cls.from_body(Region() if _is_empty(body) else body, value, mark)
    op.attributes.update(attributes)
    return op


def _is_empty(region: Region) -> bool:
    return not any(block.ops or block.args for block in region.blocks)


_SYNTAX: dict[tuple[type[Operation], ...], tuple[Callable[..., Any], Any]] = {
    _IDS: (_parse_id, _print_id),
    _PLAIN: (_parse_plain, _print_plain),
    (gpu.BarrierOp,): (_parse_plain, _print_plain),
    (gpu.ReturnOp,): (_parse_return, _print_return),
    (gpu.ModuleOp,): (_parse_module, _print_module),
    (gpu.FuncOp,): (_parse_func, _print_func),
    (gpu.LaunchFuncOp,): (_parse_launch_func, None),
    (gpu.AllReduceOp,): (_parse_all_reduce, None),
}


def repair() -> None:
    """Give the ops their custom syntax."""
    for kinds, (parse, print_) in _SYNTAX.items():
        for kind in kinds:
            setattr(kind, "parse", classmethod(parse))
            if print_ is not None:
                setattr(kind, "print", print_)
