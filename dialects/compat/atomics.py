"""
The atomic instructions that xDSL 0.74 lacks in `llvm`, with upstream's names and syntax.

They are members of the `llvm` dialect, so the stock `xdsl-opt` reads and prints them and
`mlir-opt` reads what it prints. Orderings and kinds are upstream's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i1,
    i64,
)
from xdsl.dialects.llvm import (
    ATOMIC_ORDERING_KEYWORDS,
    LLVM,
    LLVMPointerType,
    LLVMStructType,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.compat import add_missing

KINDS = dict(
    enumerate(
        [
            "xchg",
            "add",
            "sub",
            "_and",
            "nand",
            "_or",
            "_xor",
            "max",
            "min",
            "umax",
            "umin",
            "fadd",
            "fsub",
            "fmax",
            "fmin",
            "uinc_wrap",
            "udec_wrap",
            "usub_cond",
            "usub_sat",
            "fmaximum",
            "fminimum",
        ]
    )
)
"""What `llvm.atomicrmw` stores: its number, and how upstream writes it."""

FLOAT_KINDS = ("fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum")
"""The kinds that floats have, beside `xchg`."""

FAILURES = ("monotonic", "acquire", "seq_cst")
"""The orderings of an exchange that failed, which does not store."""


def _number(keywords: Mapping[int, str], wanted: str) -> IntegerAttr[I64]:
    """The number that upstream writes as `wanted`."""
    (number,) = (number for number, keyword in keywords.items() if keyword == wanted)
    return IntegerAttr(number, i64)


def verify_orderings(*orderings: IntegerAttr[I64]) -> None:
    """Fails if one is no number of an ordering."""
    for given in orderings:
        if given.value.data not in ATOMIC_ORDERING_KEYWORDS:
            raise VerifyException(
                f"expected the number of an atomic ordering, got {given.value.data}"
            )


@irdl_custom_directive
class _Named(CustomDirective):
    """A number, written as the keyword that upstream has for it."""

    number: AttributeVariable

    def _keywords(self) -> Mapping[int, str]:
        return KINDS if self.number.name == "bin_op" else ATOMIC_ORDERING_KEYWORDS

    def parse(self, parser: Parser, state: ParsingState) -> None:
        keywords, position = self._keywords(), parser.pos
        keyword = parser.parse_identifier()
        if keyword not in keywords.values():
            what = "a kind" if keywords is KINDS else "an ordering"
            parser.raise_error(
                f"expected {what} ({', '.join(keywords.values())}), got {keyword}",
                position,
            )
        self.number.set(state, _number(keywords, keyword))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        number = cast(IntegerAttr[I64], self.number.get(op))
        printer.print_string(self._keywords()[number.value.data])


@irdl_custom_directive
class _ValueType(CustomDirective):
    """The type of the values; the result has it, or holds it and a bit."""

    value: TypeDirective
    other: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        type_ = parser.parse_type()
        self.value.set(state, (type_,))
        self.other.set(state, (type_,))
        if self.other != self.value:
            type_ = LLVMStructType.from_type_list([type_, i1])
        self.result.set(state, (type_,))
        optional = ("weak", "volatile_", "syncscope", "alignment")
        for name in optional:  # they come last in the generic form
            if (given := state.properties.pop(name, None)) is not None:
                state.properties[name] = given

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.value.print(printer, state, op)


class _AtomicOp(IRDLOperation):
    """What the two have in common: a scope, an alignment, whether it is volatile."""

    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    volatile_ = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    custom_directives = (_Named, _ValueType)


@irdl_op_definition
class AtomicRMWOp(_AtomicOp):
    """
    Replaces what a pointer points to by what a kind makes of it and an operand, in one step.

    | name       | kind      | type                            | meaning             |
    | ---------- | --------- | ------------------------------- | ------------------- |
    | `ptr`      | operand   | `!llvm.ptr`                     | where               |
    | `val`      | operand   | integer or float                | the operand         |
    | `bin_op`   | attribute | i64, one of `KINDS`             | the kind            |
    | `ordering` | attribute | i64, an atomic ordering         | how it is ordered   |
    | `res`      | result    | the type of `val`               | what was there      |

    Errors: an unknown kind or ordering; a kind of floats on integers, or the reverse.

    ```mlir
    %old = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
    ```
    """

    name = "llvm.atomicrmw"

    ptr = operand_def(LLVMPointerType)
    val = operand_def(AnyAttr())
    bin_op = prop_def(IntegerAttr[I64])
    ordering = prop_def(IntegerAttr[I64])
    res = result_def(AnyAttr())

    assembly_format = (
        "(`volatile` $volatile_^)? custom<_Named>($bin_op) $ptr `,` $val "
        "(`syncscope` `` `(` $syncscope^ `)`)? custom<_Named>($ordering) attr-dict "
        "`:` type($ptr) `,` custom<_ValueType>(type($val), ref(type($val)), type($res))"
    )

    def __init__(
        self,
        kind: str,
        pointer: SSAValue,
        value: SSAValue,
        ordering: str,
    ):
        super().__init__(
            operands=[pointer, value],
            result_types=[value.type],
            properties={
                "bin_op": _number(KINDS, kind),
                "ordering": _number(ATOMIC_ORDERING_KEYWORDS, ordering),
            },
        )

    @property
    def kind(self) -> str:
        """The kind as upstream writes it."""
        return KINDS[self.bin_op.value.data]

    def verify_(self) -> None:
        if self.bin_op.value.data not in KINDS:
            raise VerifyException(
                f"expected the number of a kind, got {self.bin_op.value.data}"
            )
        verify_orderings(self.ordering)
        if self.res.type != self.val.type:
            raise VerifyException(
                f"expected a result of type {self.val.type}, got {self.res.type}"
            )
        is_integer = isinstance(self.val.type, IntegerType)
        if self.kind != "xchg" and is_integer == (self.kind in FLOAT_KINDS):
            raise VerifyException(
                f"expected a kind that {self.val.type} has, got {self.kind}"
            )


@irdl_op_definition
class AtomicCmpXchgOp(_AtomicOp):
    """
    Replaces what a pointer points to if it is what was expected, in one step.

    | name               | kind      | type                    | meaning                 |
    | ------------------ | --------- | ----------------------- | ----------------------- |
    | `ptr`              | operand   | `!llvm.ptr`             | where                   |
    | `cmp`              | operand   | integer                 | what is expected        |
    | `val`              | operand   | the type of `cmp`       | what to store           |
    | `success_ordering` | attribute | i64, an atomic ordering | if it is stored         |
    | `failure_ordering` | attribute | i64, an atomic ordering | if it is not            |
    | `res`              | result    | `!llvm.struct<(T, i1)>` | what was there, and whether it was stored |

    Errors: unknown orderings; a failure that releases; operands of different types.

    ```mlir
    %pair = llvm.cmpxchg %p, %expected, %new acq_rel acquire : !llvm.ptr, i32
    ```
    """

    name = "llvm.cmpxchg"

    ptr = operand_def(LLVMPointerType)
    cmp = operand_def(AnyAttr())
    val = operand_def(AnyAttr())
    success_ordering = prop_def(IntegerAttr[I64])
    failure_ordering = prop_def(IntegerAttr[I64])
    weak = opt_prop_def(UnitAttr)
    res = result_def(LLVMStructType)

    assembly_format = (
        "(`weak` $weak^)? (`volatile` $volatile_^)? $ptr `,` $cmp `,` $val "
        "(`syncscope` `` `(` $syncscope^ `)`)? custom<_Named>($success_ordering) "
        "custom<_Named>($failure_ordering) attr-dict "
        "`:` type($ptr) `,` custom<_ValueType>(type($val), type($cmp), type($res))"
    )

    def __init__(
        self,
        pointer: SSAValue,
        expected: SSAValue,
        new: SSAValue,
        success: str,
        failure: str,
    ):
        super().__init__(
            operands=[pointer, expected, new],
            result_types=[LLVMStructType.from_type_list([new.type, i1])],
            properties={
                "success_ordering": _number(ATOMIC_ORDERING_KEYWORDS, success),
                "failure_ordering": _number(ATOMIC_ORDERING_KEYWORDS, failure),
            },
        )

    def verify_(self) -> None:
        verify_orderings(self.success_ordering, self.failure_ordering)
        failure = ATOMIC_ORDERING_KEYWORDS[self.failure_ordering.value.data]
        if failure not in FAILURES:
            raise VerifyException(
                f"expected a failure ordering of {', '.join(FAILURES)}, got {failure}"
            )
        if self.cmp.type != self.val.type:
            raise VerifyException(
                f"expected a new value of type {self.cmp.type}, got {self.val.type}"
            )
        pair = LLVMStructType.from_type_list([self.val.type, i1])
        if self.res.type != pair:
            raise VerifyException(f"expected a result {pair}, got {self.res.type}")


def repair() -> None:
    """Add the missing ops to xDSL's `llvm` dialect."""
    add_missing(
        LLVM,
        (
            AtomicRMWOp,
            AtomicCmpXchgOp,
        ),
    )
