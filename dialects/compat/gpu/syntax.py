"""
Upstream's syntax for the ops of `gpu` that xDSL 0.74 reads as generic ops.

```mlir
%i = gpu.thread_id x upper_bound 64
%sum = gpu.all_reduce add %v uniform {
} : (f32) -> f32
%t = gpu.wait async
%x, %u = gpu.alloc async [%t] host_shared (%n) : memref<?xf32>
%w = gpu.launch_func async [%u] @kernels::@double blocks in (%n, %n, %n)
    threads in (%n, %n, %n) dynamic_shared_memory_size %bytes args(%x : memref<?xf32>)
gpu.wait [%w]
```
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation, OptPropertyDef, irdl_to_attr_constraint
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.compat import give_format
from spmd.dialects.compat.gpu.kinds import ReductionKind


@irdl_custom_directive
class Async(CustomDirective):
    """`async [%t0, %t1]`: that there is a token, and those of which the op waits."""

    token: TypeDirective
    tokens: VariadicOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        is_async = parser.parse_optional_keyword("async") is not None
        self.token.set(state, [gpu.AsyncTokenType()] if is_async else [])
        waits_for = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        self.tokens.set(state, waits_for or [])
        self.tokens.set_types(state, [gpu.AsyncTokenType()] * len(waits_for or []))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if self.token.get(op):
            state.print_whitespace(printer)
            printer.print_string("async")
        if tokens := self.tokens.get(op):
            state.print_whitespace(printer)
            with printer.in_square_brackets():
                printer.print_list(tokens, printer.print_ssa_value)


@irdl_custom_directive
class _OptionalKind(CustomDirective):
    kind: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        kind = parser.parse_optional_str_enum(ReductionKind)
        if kind is not None:
            self.kind.set(state, gpu.AllReduceOpAttr(kind))  # pyright: ignore[reportArgumentType]

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        kind = self.kind.get(op)
        if isinstance(kind, gpu.AllReduceOpAttr):
            state.print_whitespace(printer)
            printer.print_string(str(kind.data))


@irdl_custom_directive
class _OptionalBody(CustomDirective):
    """A region, which has no block if nothing is in it."""

    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        body = parser.parse_region()
        is_empty = not any(block.ops or block.args for block in body.blocks)
        self.body.set(state, Region() if is_empty else body)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        if (body := self.body.get(op)).blocks:
            printer.print_region(body)
        else:
            printer.print_string("{}")


@irdl_custom_directive
class _SizeType(CustomDirective):
    """`: i64`: the type of all sizes, if it is not `index`."""

    grid_x: TypeDirective
    grid_y: TypeDirective
    grid_z: TypeDirective
    block_x: TypeDirective
    block_y: TypeDirective
    block_z: TypeDirective
    cluster_x: TypeDirective
    cluster_y: TypeDirective
    cluster_z: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        type_: Attribute = IndexType()
        if parser.parse_optional_punctuation(":") is not None:
            type_ = parser.parse_type()
        for size in (self.grid_x, self.grid_y, self.grid_z):
            size.set(state, [type_])
        for size in (self.block_x, self.block_y, self.block_z):
            size.set(state, [type_])
        for size in (self.cluster_x, self.cluster_y, self.cluster_z):
            assert isinstance(size.inner, OptionalOperandVariable)
            size.set(state, [type_] if state.operands[size.inner.index] else [])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        (type_,) = self.grid_x.get(op)
        if type_ != IndexType():
            printer.print_string(" : ")
            printer.print_attribute(type_)


@irdl_custom_directive
class _Arguments(CustomDirective):
    """`args(%x : memref<?xf32>, %n : index)`."""

    operands: VariadicOperandVariable
    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operands, types = list[UnresolvedOperand](), list[Attribute]()

        def parse_argument() -> None:
            operands.append(parser.parse_unresolved_operand())
            parser.parse_punctuation(":")
            types.append(parser.parse_type())

        if parser.parse_optional_keyword("args") is not None:
            parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        self.operands.set(state, operands)
        self.types.set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        def print_argument(value: SSAValue) -> None:
            printer.print_ssa_value(value)
            printer.print_string(" : ")
            printer.print_attribute(value.type)

        if arguments := self.operands.get(op):
            printer.print_string(" args")
            with printer.in_parens():
                printer.print_list(arguments, print_argument)


ASYNC = "custom<Async>(type($asyncToken), $asyncDependencies) "
_BOUND = "(`upper_bound` $upper_bound^)? attr-dict"


def _sizes(what: str) -> str:
    return "` ` `(` " + " `,` ".join(f"${what}Size{each}" for each in "XYZ") + " `)`"


_FORMATS: dict[type[IRDLOperation], str] = {
    gpu.BlockDimOp: f"$dimension {_BOUND}",
    gpu.BlockIdOp: f"$dimension {_BOUND}",
    gpu.GlobalIdOp: f"$dimension {_BOUND}",
    gpu.GridDimOp: f"$dimension {_BOUND}",
    gpu.ThreadIdOp: f"$dimension {_BOUND}",
    gpu.LaneIdOp: _BOUND,
    gpu.NumSubgroupsOp: f"{_BOUND} `:` type($result)",
    gpu.SubgroupIdOp: f"{_BOUND} `:` type($result)",
    gpu.SubgroupSizeOp: f"{_BOUND} `:` type($result)",
    gpu.BarrierOp: "(`memfence` $address_spaces^)? attr-dict",
    gpu.AllReduceOp: (
        "custom<_OptionalKind>($op) $operand (`uniform` $uniform^)? "
        "custom<_OptionalBody>($body) attr-dict `:` functional-type($operand, $result)"
    ),
    gpu.YieldOp: "attr-dict ($values^ `:` type($values))?",
    gpu.ReturnOp: "attr-dict ($args^ `:` type($args))?",
    gpu.TerminatorOp: "attr-dict",
    gpu.WaitOp: f"{ASYNC} attr-dict",
    gpu.AllocOp: (
        f"{ASYNC} (`host_shared` $hostShared^)? ` ` `(` $dynamicSizes `)` "
        "(`[` $symbolOperands^ `]`)? attr-dict `:` type($result)"
    ),
    gpu.DeallocOp: f"{ASYNC} $buffer attr-dict `:` type($buffer)",
    gpu.MemcpyOp: f"{ASYNC} $dst `,` $src `:` type($dst) `,` type($src) attr-dict",
    gpu.HostRegisterOp: "$value attr-dict `:` type($value)",
    gpu.HostUnregisterOp: "$value attr-dict `:` type($value)",
    gpu.SetDefaultDeviceOp: "attr-dict $devIndex",
    gpu.LaunchFuncOp: (
        f"{ASYNC} (`<` $asyncObject^ `:` type($asyncObject) `>`)? $kernel "
        f"(`clusters` `in` {_sizes('cluster').replace('X', 'X^')})? "
        f"`blocks` `in` {_sizes('grid')} `threads` `in` {_sizes('block')} "
        "custom<_SizeType>(type($gridSizeX), type($gridSizeY), type($gridSizeZ), "
        "type($blockSizeX), type($blockSizeY), type($blockSizeZ), "
        "type($clusterSizeX), type($clusterSizeY), type($clusterSizeZ)) "
        "(`dynamic_shared_memory_size` $dynamicSharedMemorySize^)? "
        "custom<_Arguments>($kernelOperands, type($kernelOperands)) attr-dict"
    ),
}

_MISSING_PROPERTIES = {
    "upper_bound": IntegerAttr[IndexType],
    "address_spaces": ArrayAttr,
}


def _verify_copy(self: gpu.MemcpyOp) -> None:
    """Upstream's rule: the memory spaces may differ, and what the layouts are."""
    to, from_ = (
        cast(MemRefType[Attribute], value.type) for value in (self.dst, self.src)
    )
    if (to.get_shape(), to.element_type) != (from_.get_shape(), from_.element_type):
        raise VerifyException(f"expected a source like {to}, got {from_}")


def repair() -> None:
    """Give the ops their custom syntax."""
    directives = (Async, _OptionalKind, _OptionalBody, _SizeType, _Arguments)
    for op, format_ in _FORMATS.items():
        definition = op.get_irdl_definition()
        for name, kind in _MISSING_PROPERTIES.items():
            if f"${name}" in format_:
                constraint = irdl_to_attr_constraint(kind)
                definition.properties[name] = OptPropertyDef(constraint)
                definition.accessor_names[name] = name, "property"
        give_format(op, format_, *directives)
    setattr(gpu.MemcpyOp, "verify_", _verify_copy)
