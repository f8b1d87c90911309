"""The attributes of the `spmd` dialect that name dimensions, memory and scopes."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class BracketedKeyword:
    """
    Writes an enum attribute as `#spmd.memory<local>`.

    Stands before `EnumAttribute`, whose own form `#spmd.memorylocal` cannot be read back.
    """

    enum_type: ClassVar[type[StrEnum]]

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(cast(EnumAttribute[StrEnum], self).data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Any:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.enum_type)


class Dimension(StrEnum):
    """A dimension of the range of work-items; x varies fastest."""

    X = "x"
    Y = "y"
    Z = "z"

    @property
    def number(self) -> int:
        """0 for x, 1 for y, 2 for z."""
        return "xyz".find(self.value)

    # Hides a method of `str` that makes no sense for a dimension.
    index = number  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]


class Memory(StrEnum):
    """Who shares a piece of memory: all work-items, a work-group, or nobody."""

    GLOBAL = "global"
    LOCAL = "local"
    PRIVATE = "private"


class Scope(StrEnum):
    """The work-items that take part in a barrier or a collective."""

    WORK_GROUP = "work_group"
    SUB_GROUP = "sub_group"


@irdl_attr_definition
class DimensionAttr(BracketedKeyword, EnumAttribute[Dimension]):
    """`#spmd.dimension<x>`; ops print the bare keyword."""

    name = "spmd.dimension"


@irdl_attr_definition
class MemoryAttr(BracketedKeyword, EnumAttribute[Memory]):
    """
    A memory space, as in `memref<16xf32, #spmd.memory<local>>`.

    A memref without a memory space lies in global memory (`memref.alloca`: private).
    """

    name = "spmd.memory"


@irdl_attr_definition
class ScopeAttr(BracketedKeyword, EnumAttribute[Scope]):
    """`#spmd.scope<work_group>`; ops print the bare keyword."""

    name = "spmd.scope"


LOCAL = MemoryAttr(Memory.LOCAL)
GLOBAL = MemoryAttr(Memory.GLOBAL)
PRIVATE = MemoryAttr(Memory.PRIVATE)
