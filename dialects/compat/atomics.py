"""
The atomic instructions that xDSL 0.74 lacks in `llvm`, with upstream's names and syntax.

They are members of the `llvm` dialect, so the stock `xdsl-opt` reads and prints them and
`mlir-opt` reads what it prints. Orderings and kinds are upstream's numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
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


class _AtomicOp(IRDLOperation):
    """What the two have in common: a scope, an alignment, whether it is volatile."""

    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    volatile_ = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def _print_operands(self, printer: Printer, *operands: SSAValue) -> None:
        printer.print_list(operands, printer.print_operand)

    def _print_rest(
        self, printer: Printer, type_: Attribute, *orderings: IntegerAttr[I64]
    ) -> None:
        if self.syncscope is not None:
            printer.print_string(" syncscope(")
            printer.print_string_literal(self.syncscope.data)
            printer.print_string(")")
        for given in orderings:
            printer.print_string(f" {ATOMIC_ORDERING_KEYWORDS[given.value.data]}")
        attributes = dict(self.attributes)
        if self.alignment is not None:
            attributes["alignment"] = self.alignment
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)
        printer.print_string(", ")
        printer.print_attribute(type_)


@dataclass
class _Parsed:
    """What comes after the keywords of an op: a pointer, values, orderings."""

    operands: list[SSAValue]
    scope: StringAttr | None
    orderings: list[str]
    attributes: dict[str, Attribute]

    @classmethod
    def parse(cls, parser: Parser, *, operands: int, orderings: int) -> _Parsed:
        pointer = parser.parse_unresolved_operand()
        values: list[UnresolvedOperand] = []
        while len(values) < operands - 1:
            parser.parse_punctuation(",")
            values.append(parser.parse_unresolved_operand())
        scope = None
        if parser.parse_optional_keyword("syncscope") is not None:
            with parser.in_parens():
                scope = StringAttr(parser.parse_str_literal())
        given = [
            _parse_keyword(parser, ATOMIC_ORDERING_KEYWORDS, "an ordering")
            for _ in range(orderings)
        ]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pointer_type = parser.parse_type()
        parser.parse_punctuation(",")
        type_ = parser.parse_type()
        resolved: list[SSAValue] = [parser.resolve_operand(pointer, pointer_type)]
        resolved += [parser.resolve_operand(value, type_) for value in values]
        return cls(resolved, scope, given, attributes)

    def give(self, op: _AtomicOp) -> None:
        """Scope and attributes, which no constructor takes."""
        op.syncscope = self.scope
        attributes = dict(self.attributes)
        if (alignment := attributes.pop("alignment", None)) is not None:
            op.properties["alignment"] = alignment
        op.attributes.update(attributes)


def _parse_keyword(parser: Parser, keywords: Mapping[int, str], what: str) -> str:
    position = parser.pos
    keyword = parser.parse_identifier()
    if keyword not in keywords.values():
        parser.raise_error(
            f"expected {what} ({', '.join(keywords.values())}), got {keyword}", position
        )
    return keyword


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

    def print(self, printer: Printer) -> None:
        volatile = "volatile " if self.volatile_ is not None else ""
        printer.print_string(f" {volatile}{self.kind} ")
        self._print_operands(printer, self.ptr, self.val)
        self._print_rest(printer, self.val.type, self.ordering)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        volatile = parser.parse_optional_keyword("volatile") is not None
        kind = _parse_keyword(parser, KINDS, "a kind")
        read = _Parsed.parse(parser, operands=2, orderings=1)
        (pointer, value), (ordering,) = read.operands, read.orderings
        op = cls(kind, pointer, value, ordering)
        op.volatile_ = UnitAttr() if volatile else None
        read.give(op)
        return op


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

    def print(self, printer: Printer) -> None:
        for keyword, given in (("weak", self.weak), ("volatile", self.volatile_)):
            if given is not None:
                printer.print_string(f" {keyword}")
        printer.print_string(" ")
        self._print_operands(printer, self.ptr, self.cmp, self.val)
        self._print_rest(
            printer, self.val.type, self.success_ordering, self.failure_ordering
        )

    @classmethod
    def parse(cls, parser: Parser) -> AtomicCmpXchgOp:
        weak = parser.parse_optional_keyword("weak") is not None
        volatile = parser.parse_optional_keyword("volatile") is not None
        read = _Parsed.parse(parser, operands=3, orderings=2)
        (pointer, expected, new), (success, failure) = read.operands, read.orderings
        op = cls(pointer, expected, new, success, failure)
        op.weak = UnitAttr() if weak else None
        op.volatile_ = UnitAttr() if volatile else None
        read.give(op)
        return op


def repair() -> None:
    """Add the missing ops to xDSL's `llvm` dialect."""
    add_missing(LLVM, AtomicRMWOp, AtomicCmpXchgOp)
