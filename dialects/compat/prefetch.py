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
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.compat import add_missing
from spmd.dialects.interfaces.memory import MemoryHint, verify_indices

MAX_LOCALITY = 3
"""The locality of what is used again and again; 0 of what is used once."""


_CHOICES = {"isWrite": ("read", "write"), "isDataCache": ("instr", "data")}
"""The keywords for false and true."""


@irdl_custom_directive
class _Choice(CustomDirective):
    """A bit, written as one of two keywords."""

    bit: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        no, yes = _CHOICES[self.bit.name]
        keyword = parser.expect(
            lambda: (
                parser.parse_optional_keyword(no) or parser.parse_optional_keyword(yes)
            ),
            f"expected {' or '.join(map(repr, sorted((no, yes))))}",
        )
        self.bit.set(state, BoolAttr.from_bool(keyword == yes))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        bit = cast(BoolAttr, self.bit.get(op))
        printer.print_string(_CHOICES[self.bit.name][bool(bit.value.data)])


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

    custom_directives = (_Choice,)
    assembly_format = (
        "$memref `[` $indices `]` `,` custom<_Choice>($isWrite) `,` "
        "`locality` `<` $localityHint `>` `,` custom<_Choice>($isDataCache) "
        "attr-dict `:` type($memref)"
    )

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
        verify_indices(self.memref, self.indices)
        locality = self.locality.value.data
        if not 0 <= locality <= MAX_LOCALITY:
            raise VerifyException(
                f"expected a locality from 0 (used once) to {MAX_LOCALITY} (used again "
                f"and again), got {locality}"
            )


def repair() -> None:
    """Add the op to xDSL's `memref` dialect."""
    add_missing(MemRef, (PrefetchOp,))
