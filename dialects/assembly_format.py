"""Enums in the syntax of attributes and, by directives of `assembly_format`, of ops."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
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
    """What a `Clause` that is not written means."""

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


@irdl_custom_directive
class Clause(CustomDirective):
    """`custom<Clause>($scope)`: `scope(work_group)`, or nothing for the default."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        keyword = _kind(self.attribute).default
        if parser.parse_optional_keyword(self.attribute.name) is not None:
            with parser.in_parens():
                keyword = parser.parse_str_enum(_kind(self.attribute).enum_type)
        _set(self.attribute, state, keyword)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        given = cast(Any, self.attribute.get(op))
        if given.data is not given.default:
            state.print_whitespace(printer)
            printer.print_string(f"{self.attribute.name}({given.keyword})")
