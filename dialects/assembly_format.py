"""Enums in the syntax of attributes and, by directives of `assembly_format`, of ops."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalUnitAttrVariable,
    ParsingState,
    PrintingState,
    UniqueBaseAttributeVariable,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class BracketedKeyword:
    """
    Writes an enum attribute as `#spmd.memory<local>`.

    Stands before `EnumAttribute`, whose own form `#spmd.memorylocal` cannot be read back.
    """

    enum_type: ClassVar[type[StrEnum]]

    default: ClassVar[StrEnum]
    """What a clause that is not written means."""

    @property
    def keyword(self) -> str:
        """The keyword alone."""
        return cast(EnumAttribute[StrEnum], self).data.value

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.keyword)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)


def _kind(variable: AttributeVariable) -> type[BracketedKeyword]:
    assert isinstance(variable, UniqueBaseAttributeVariable)
    assert issubclass(variable.unique_base, BracketedKeyword)
    return variable.unique_base


def _set(variable: AttributeVariable, state: ParsingState, value: StrEnum) -> None:
    variable.set(state, cast(Any, _kind(variable))(value))


@irdl_custom_directive
class Keyword(CustomDirective):
    """`custom<Keyword>($kind)`: the keyword alone, as `add`."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        keyword = parser.parse_str_enum(_kind(self.attribute).enum_type)
        _set(self.attribute, state, keyword)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(cast(Any, self.attribute.get(op)).keyword)


def optional_word(parser: Parser, allowed: Iterable[str]) -> str | None:
    """The next word, which has to be one of those allowed here, if a word comes next."""
    position = parser.pos
    word = parser.parse_optional_identifier()
    if word is not None and word not in allowed:
        wanted = " or ".join(allowed) or "nothing more"
        parser.raise_error(f"expected {wanted}, got {word}", position)
    return word


@irdl_custom_directive
class Flags(CustomDirective):
    """`custom<Flags>($write, $streaming)`: the names of those that are set, in any order."""

    first: OptionalUnitAttrVariable
    second: OptionalUnitAttrVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        flags = {flag.name: flag for flag in (self.first, self.second)}
        while (word := optional_word(parser, flags)) is not None:
            flags.pop(word).set(state, UnitAttr())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for flag in (self.first, self.second):
            if flag.is_present(op):
                state.print_whitespace(printer)
                printer.print_string(flag.name)


@irdl_custom_directive
class Clauses(CustomDirective):
    """`custom<Clauses>($ordering, $scope)`: `scope(work_group)`, if it is not the default."""

    first: AttributeVariable
    second: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        clauses = {clause.name: clause for clause in (self.first, self.second)}
        for clause in clauses.values():
            _set(clause, state, _kind(clause).default)
        while (word := optional_word(parser, clauses)) is not None:
            clause = clauses.pop(word)
            with parser.in_parens():
                _set(clause, state, parser.parse_str_enum(_kind(clause).enum_type))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for clause in (self.first, self.second):
            given = cast(Any, clause.get(op))
            if given.data is not given.default:
                state.print_whitespace(printer)
                printer.print_string(f"{clause.name}({given.keyword})")
