"""
`gpu.module`, `gpu.func` and `gpu.launch` in upstream's syntax, with attributions.

Attributions are memory of the group and of the work-item that a function or launch has: more
arguments of its body, after those that are passed. How many of them are of the group says
the attribute `workgroup_attributions`, as in upstream's generic form.

```mlir
gpu.module @kernels {
  gpu.func @reverse(%x: memref<?xf32>) workgroup(%tile : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %tile[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
func.func @main(%x: memref<?xf32>, %n: index, %c1: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%ex = %c1, %ey = %c1, %ez = %c1) {
    gpu.terminator
  }
  func.return
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.utils import print_func_argument
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from spmd.dialects.compat import set_syntax

_OF_GROUP = "workgroup_attributions"
_OF_ARGUMENTS = "arg_attrs"
_LAUNCH_IDS = 12
"""Arguments of the body of a launch: ids of groups and work-items, then the sizes of both."""


def attributions(
    op: gpu.FuncOp | gpu.LaunchOp,
) -> tuple[Sequence[BlockArgument], Sequence[BlockArgument]]:
    """Of the body of `op`, the arguments that are memory of the group, and of the work-item."""
    passed = (
        _LAUNCH_IDS if isinstance(op, gpu.LaunchOp) else len(op.function_type.inputs)
    )
    memory = op.body.blocks[0].args[passed:]
    of_group = op.attributes.get(_OF_GROUP)
    number = of_group.value.data if isinstance(of_group, IntegerAttr) else 0
    return memory[:number], memory[number:]


def argument_attributes(op: gpu.FuncOp) -> ArrayAttr[DictionaryAttr] | None:
    """Those of the arguments of `op`, if any has some."""
    given = op.attributes.get(_OF_ARGUMENTS)
    return given if isa(given, ArrayAttr[DictionaryAttr]) else None


def _verify_attributions(op: gpu.FuncOp | gpu.LaunchOp) -> None:
    of_group, of_item = attributions(op)
    for argument in (*of_group, *of_item):
        type_ = argument.type
        if not isinstance(type_, MemRefType) or not type_.has_static_shape():
            raise VerifyException(
                f"expected memory of known size as attribution, got {type_}; what the "
                "launch sizes is gpu.dynamic_shared_memory"
            )


def _verify_func(self: gpu.FuncOp) -> None:
    inputs = self.function_type.inputs.data
    body = self.body.blocks.first
    if body is None:
        raise VerifyException("expected a gpu.func with a body, got a declaration")
    if (got := body.arg_types[: len(inputs)]) != inputs:
        raise VerifyException(
            "expected a body whose arguments begin with those of the function, "
            f"({', '.join(map(str, inputs))}), got ({', '.join(map(str, got))})"
        )
    if self.kernel is not None and self.function_type.outputs.data:
        raise VerifyException(
            f"expected a kernel without results, got {self.function_type}"
        )
    _verify_attributions(self)


def _verify_launch(self: gpu.LaunchOp) -> None:
    body = self.body.blocks.first
    ids = () if body is None else body.arg_types[:_LAUNCH_IDS]
    if ids != (IndexType(),) * _LAUNCH_IDS:
        raise VerifyException(
            f"expected a body that begins with {_LAUNCH_IDS} arguments of type index (ids of "
            "groups, ids of work-items, numbers of groups, sizes of groups), got "
            f"({', '.join(map(str, ids))})"
        )
    _verify_attributions(self)


# Syntax


def _parse_attributions(
    parser: Parser,
) -> tuple[list[Parser.Argument], dict[str, Attribute]]:
    """Those of the group and of the work-item, and what says how many are of the group."""
    found: list[Parser.Argument] = []
    attributes: dict[str, Attribute] = {}
    for word in ("workgroup", "private"):
        if parser.parse_optional_keyword(word) is not None:
            found += parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_argument
            )
        if word == "workgroup" and found:
            attributes[_OF_GROUP] = IntegerAttr(len(found), i64)
    return found, attributes


def _print_attributions(op: gpu.FuncOp | gpu.LaunchOp, printer: Printer) -> None:
    words = ("workgroup", "private")
    for word, memory in zip(words, attributions(op), strict=True):
        if memory:
            printer.print_string(f" {word}")
            with printer.in_parens():
                printer.print_list(
                    memory, lambda arg: print_func_argument(printer, arg, None)
                )


_MACHINES = {"offloadingHandler": "<>", "targets": ""}
"""What a module says of GPUs, and the brackets around it."""


def _parse_module(cls: type[gpu.ModuleOp], parser: Parser) -> gpu.ModuleOp:
    name = parser.parse_symbol_name()
    attributes: dict[str, Attribute] = {}
    if parser.parse_optional_punctuation("<") is not None:
        attributes["offloadingHandler"] = parser.parse_attribute()
        parser.parse_punctuation(">")
    targets = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_attribute
    )
    if targets is not None:
        attributes["targets"] = ArrayAttr(targets)
    given = parser.parse_optional_attr_dict_with_keyword()
    op = cls.create(properties={"sym_name": name}, regions=[parser.parse_region()])
    op.attributes = attributes | ({} if given is None else dict(given.data))
    return op


def _print_module(self: gpu.ModuleOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_symbol_name(self.sym_name.data)
    for name, brackets in _MACHINES.items():
        if (machine := self.attributes.get(name)) is not None:
            printer.print_string(f" {brackets[:1]}")
            printer.print_attribute(machine)
            printer.print_string(brackets[1:])
    printer.print_op_attributes(
        self.attributes, reserved_attr_names=_MACHINES, print_keyword=True
    )
    printer.print_string(" ")
    printer.print_region(self.body)


def _parse_func(cls: type[gpu.FuncOp], parser: Parser) -> gpu.FuncOp:
    def parse_argument() -> Parser.Argument:
        argument = parser.parse_argument()
        of_arguments.append(DictionaryAttr(parser.parse_optional_attr_dict()))
        return argument

    of_arguments: list[DictionaryAttr] = []
    name = parser.parse_symbol_name()
    arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parse_argument
    )
    outputs: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        listed = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        outputs = [parser.parse_type()] if listed is None else listed
    memory, attributes = _parse_attributions(parser)
    kernel = parser.parse_optional_keyword("kernel") is not None
    given = parser.parse_optional_attr_dict_with_keyword()
    types = [argument.type for argument in arguments]
    op = cls.create(
        properties={"function_type": FunctionType.from_lists(types, outputs)},
        attributes={"sym_name": StringAttr(name.data), **attributes},
        regions=[parser.parse_region((*arguments, *memory))],
    )
    if kernel:
        op.properties["kernel"] = UnitAttr()
    if any(each.data for each in of_arguments):
        op.attributes[_OF_ARGUMENTS] = ArrayAttr(of_arguments)
    op.attributes.update({} if given is None else given.data)
    return op


def _print_func(self: gpu.FuncOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_symbol_name(self.sym_name.data)
    passed = self.body.blocks[0].args[: len(self.function_type.inputs)]
    given = argument_attributes(self)
    with printer.in_parens():
        printer.print_list(
            list(zip(passed, given.data if given else repeat(None))),
            lambda pair: print_func_argument(printer, *pair),
        )
    if outputs := self.function_type.outputs.data:
        printer.print_string(" -> (")
        printer.print_list(outputs, printer.print_attribute)
        printer.print_string(")")
    _print_attributions(self, printer)
    if self.kernel is not None:
        printer.print_string(" kernel")
    printer.print_op_attributes(
        self.attributes,
        reserved_attr_names=("sym_name", _OF_GROUP, _OF_ARGUMENTS),
        print_keyword=True,
    )
    printer.print_string(" ")
    printer.print_region(self.body, print_entry_block_args=False)


def _parse_launch(cls: type[gpu.LaunchOp], parser: Parser) -> gpu.LaunchOp:
    is_async = parser.parse_optional_keyword("async") is not None
    tokens = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE,
        lambda: parser.resolve_operand(
            parser.parse_unresolved_operand(), gpu.AsyncTokenType()
        ),
    )
    groups, group_sizes, grid = _parse_extent(parser, "blocks")
    items, item_sizes, block = _parse_extent(parser, "threads")
    dynamic = None
    if parser.parse_optional_keyword("dynamic_shared_memory_size") is not None:
        dynamic = parser.resolve_operand(parser.parse_unresolved_operand(), i32)
    names: dict[str, Attribute] = {}
    for word in ("module", "function"):
        if parser.parse_optional_keyword(word) is not None:
            with parser.in_parens():
                names[word] = SymbolRefAttr(parser.parse_symbol_name())
    memory, attributes = _parse_attributions(parser)
    ids = (*groups, *items, *group_sizes, *item_sizes)
    body = parser.parse_region((*ids, *memory))
    op = cls(
        body,
        grid,
        block,
        async_launch=is_async,
        asyncDependencies=tokens,
        dynamicSharedMemorySize=dynamic,
    )
    op.attributes = names | attributes | parser.parse_optional_attr_dict()
    return op


def _parse_extent(
    parser: Parser, word: str
) -> tuple[list[Parser.Argument], list[Parser.Argument], list[SSAValue]]:
    """`blocks(%x, %y, %z) in (%nx = %a, %ny = %b, %nz = %c)`: ids, sizes, what they are."""

    def parse_id() -> Parser.Argument:
        return parser.parse_argument(expect_type=False).resolve(IndexType())

    def parse_size() -> Parser.Argument:
        name = parse_id()
        parser.parse_punctuation("=")
        size = parser.parse_unresolved_operand()
        values.append(parser.resolve_operand(size, IndexType()))
        return name

    values: list[SSAValue] = []
    parser.parse_keyword(word)
    place = parser.pos
    ids = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_id)
    parser.parse_keyword("in")
    sizes = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_size)
    if (len(ids), len(sizes)) != (3, 3):
        parser.raise_error(
            f"expected {word}(...) with 3 ids in 3 sizes, got {len(ids)} in {len(sizes)}",
            place,
            parser.pos,
        )
    return ids, sizes, values


def _print_launch(self: gpu.LaunchOp, printer: Printer) -> None:
    if self.asyncToken is not None:
        printer.print_string(" async")
    if self.asyncDependencies:
        printer.print_string(" ")
        with printer.in_square_brackets():
            printer.print_list(self.asyncDependencies, printer.print_ssa_value)
    args = self.body.blocks[0].args
    grid = (self.gridSizeX, self.gridSizeY, self.gridSizeZ)
    block = (self.blockSizeX, self.blockSizeY, self.blockSizeZ)
    _print_extent(printer, "blocks", args[:3], args[6:9], grid)
    _print_extent(printer, "threads", args[3:6], args[9:12], block)
    if self.dynamicSharedMemorySize is not None:
        printer.print_string(" dynamic_shared_memory_size ")
        printer.print_ssa_value(self.dynamicSharedMemorySize)
    for word in ("module", "function"):
        if (name := self.attributes.get(word)) is not None:
            printer.print_string(f" {word}")
            with printer.in_parens():
                printer.print_attribute(name)
    _print_attributions(self, printer)
    printer.print_string(" ")
    printer.print_region(self.body, print_entry_block_args=False)
    printer.print_op_attributes(
        self.attributes, reserved_attr_names=("module", "function", _OF_GROUP)
    )


def _print_extent(
    printer: Printer,
    word: str,
    ids: Sequence[BlockArgument],
    sizes: Sequence[BlockArgument],
    values: Sequence[SSAValue],
) -> None:
    def print_size(pair: tuple[BlockArgument, SSAValue]) -> None:
        printer.print_block_argument(pair[0], print_type=False)
        printer.print_string(" = ")
        printer.print_ssa_value(pair[1])

    printer.print_string(f" {word}")
    with printer.in_parens():
        printer.print_list(
            ids, lambda arg: printer.print_block_argument(arg, print_type=False)
        )
    printer.print_string(" in ")
    with printer.in_parens():
        printer.print_list(list(zip(sizes, values, strict=True)), print_size)


def repair() -> None:
    """Give the ops their custom syntax, and verifiers that know attributions."""
    set_syntax(gpu.ModuleOp, _parse_module, _print_module)
    set_syntax(gpu.FuncOp, _parse_func, _print_func)
    set_syntax(gpu.LaunchOp, _parse_launch, _print_launch)
    setattr(gpu.FuncOp, "verify_", _verify_func)
    setattr(gpu.LaunchOp, "verify_", _verify_launch)
