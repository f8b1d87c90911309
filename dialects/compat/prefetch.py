"""`memref.prefetch`, which xDSL 0.74 lacks, with upstream's name, operands and syntax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    I32,
    BoolAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
)
from xdsl.dialects.memref import MemRef
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.compat import add_missing
from spmd.dialects.interfaces.memory import MemoryHint

MAX_LOCALITY = 3
"""The locality of what is used again and again; 0 of what is used once."""


def verify_element(
    memory: MemRefType[Attribute], indices: Sequence[SSAValue], locality: int
) -> None:
    """What prefetches demand."""
    if memory.get_num_dims() != len(indices):
        raise VerifyException(
            f"expected one index per dimension of {memory} ({memory.get_num_dims()}), "
            f"got {len(indices)}"
        )
    if not 0 <= locality <= MAX_LOCALITY:
        raise VerifyException(
            f"expected a locality from 0 (used once) to {MAX_LOCALITY} (used again and "
            f"again), got {locality}"
        )


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """
    Asks for the cache line of an element that will be accessed.

    | name            | kind      | type      | meaning                               |
    | --------------- | --------- | --------- | ------------------------------------- |
    | `memref`        | operand   | memref    | whose element                         |
    | `indices`       | operands  | index, one per dimension | which element          |
    | `isWrite`       | attribute | bool      | whether it will be written            |
    | `localityHint`  | attribute | i32       | from 0 (used once) to 3               |
    | `isDataCache`   | attribute | bool      | data, or instructions                 |

    It changes no result: the element need not exist, and inactive lanes may ask too.

    Errors: not one index per dimension; a locality that is not 0 to 3.

    ```mlir
    memref.prefetch %x[%i], read, locality<3>, data : memref<?xf32>
    ```
    """

    name = "memref.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality = prop_def(IntegerAttr[I32], prop_name="localityHint")
    is_data = prop_def(BoolAttr, prop_name="isDataCache")

    # Without an effect `dce` would erase it.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), MemoryHint())

    def __init__(
        self,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        *,
        is_write: bool = False,
        locality: int = MAX_LOCALITY,
        is_data: bool = True,
    ):
        super().__init__(
            operands=[memref, indices],
            properties={
                "isWrite": BoolAttr.from_bool(is_write),
                "localityHint": IntegerAttr(locality, 32),
                "isDataCache": BoolAttr.from_bool(is_data),
            },
        )

    def verify_(self) -> None:
        memory = cast(MemRefType[Attribute], self.memref.type)
        verify_element(memory, self.indices, self.locality.value.data)

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        memory = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(",")
        is_write = parser.expect(
            lambda: (
                parser.parse_optional_keyword("read")
                or parser.parse_optional_keyword("write")
            ),
            "expected 'read' or 'write'",
        )
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(",")
        is_data = parser.expect(
            lambda: (
                parser.parse_optional_keyword("data")
                or parser.parse_optional_keyword("instr")
            ),
            "expected 'data' or 'instr'",
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(
            parser.resolve_operand(memory, parser.parse_type()),
            parser.resolve_operands(indices, [IndexType()] * len(indices), parser.pos),
            is_write=is_write == "write",
            locality=locality,
            is_data=is_data == "data",
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        access = "write" if self.is_write.value.data else "read"
        cache = "data" if self.is_data.value.data else "instr"
        printer.print_string(
            f", {access}, locality<{self.locality.value.data}>, {cache}"
        )
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


def repair() -> None:
    """Add the op to xDSL's `memref` dialect."""
    add_missing(MemRef, PrefetchOp)
