r"""
`memset`, `dynamic_shared_memory`, `printf` and memory spaces, which xDSL 0.74 lacks.

```mlir
gpu.memset %x, %zero : memref<?xf32>, f32
%t = gpu.memset async [%u] %x, %zero : memref<?xf32>, f32
%tile = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
gpu.printf "%lld has %f\0A", %i, %v : index, f32
```
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import auto
from typing import cast

from xdsl.dialects import gpu
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StringAttr, i8
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_result_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.assembly_format import BracketedKeyword
from spmd.dialects.compat import add_missing
from spmd.dialects.compat.gpu.syntax import ASYNC, Async


class AddressSpace(StrEnum):
    """Whose memory it is."""

    GLOBAL = auto()
    WORKGROUP = auto()
    PRIVATE = auto()
    CONSTANT = auto()


@irdl_attr_definition
class AddressSpaceAttr(BracketedKeyword, EnumAttribute[AddressSpace]):
    """`#gpu.address_space<workgroup>`."""

    name = "gpu.address_space"


@irdl_op_definition
class MemsetOp(IRDLOperation):
    """Fills memory with a value, from the host."""

    name = "gpu.memset"

    asyncDependencies = var_operand_def(gpu.AsyncTokenType)
    dst = operand_def(MemRefType)
    value = operand_def()
    asyncToken = opt_result_def(gpu.AsyncTokenType)

    assembly_format = (
        f"{ASYNC} $dst `,` $value `:` type($dst) `,` type($value) attr-dict"
    )
    custom_directives = (Async,)

    def verify_(self) -> None:
        wanted = cast(MemRefType[Attribute], self.dst.type).element_type
        if wanted != self.value.type:
            raise VerifyException(
                f"expected a value of type {wanted}, got {self.value.type}"
            )


@irdl_op_definition
class DynamicSharedMemoryOp(IRDLOperation):
    """Memory of the group, of as many bytes as the launch says; always the same."""

    name = "gpu.dynamic_shared_memory"

    result_memref = result_def(MemRefType)

    assembly_format = "attr-dict `:` type($result_memref)"

    def verify_(self) -> None:
        type_ = self.result_memref.type
        if type_.element_type != i8 or type_.get_shape() != (DYNAMIC_INDEX,):
            raise VerifyException(
                f"expected memory of type memref<?xi8, ...>, got {type_}"
            )


@irdl_custom_directive
class _Values(CustomDirective):
    """`, %i, %v : index, f32`, of which the first comma was not there before LLVM 20."""

    values: VariadicOperandVariable
    types: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_optional_punctuation(",")
        self.values.parse(parser, state)
        self.types.set(state, ())
        if state.operands[self.values.index]:
            parser.parse_punctuation(":")
            self.types.parse(parser, state)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if self.values.get(op):
            printer.print_string(",")
            self.values.print(printer, state, op)
            printer.print_string(" :")
            self.types.print(printer, state, op)


@irdl_op_definition
class PrintfOp(IRDLOperation):
    """Prints values in a format of C."""

    name = "gpu.printf"

    format = prop_def(StringAttr)
    args = var_operand_def()

    assembly_format = "$format attr-dict custom<_Values>($args, type($args))"
    custom_directives = (_Values,)

    def __init__(self, format: str, args: Sequence[SSAValue | Operation] = ()):
        super().__init__(operands=[args], properties={"format": StringAttr(format)})


def repair() -> None:
    """Add the ops and the memory spaces to xDSL's `gpu` dialect."""
    add_missing(
        gpu.GPU, (MemsetOp, DynamicSharedMemoryOp, PrintfOp), (AddressSpaceAttr,)
    )
