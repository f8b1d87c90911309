"""The attributes of the `spmd` dialect."""

from __future__ import annotations

from enum import auto
from typing import cast

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class Dimension(StrEnum):
    """A dimension of the range of work-items; x varies fastest."""

    X = auto()
    Y = auto()
    Z = auto()

    @property
    def index(self) -> int:
        """0 for x, 1 for y, 2 for z."""
        return "xyz".index(self.value)


class Memory(StrEnum):
    """Who shares a piece of memory: all work-items, a work-group, or nobody."""

    GLOBAL = auto()
    LOCAL = auto()
    PRIVATE = auto()


class Scope(StrEnum):
    """The work-items that take part in a barrier or a collective."""

    WORK_GROUP = auto()
    SUB_GROUP = auto()


@irdl_attr_definition
class DimensionAttr(EnumAttribute[Dimension]):
    """`#spmd.dimension<x>`; ops print the bare keyword."""

    name = "spmd.dimension"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Dimension:
        with parser.in_angle_brackets():
            return cast(Dimension, parser.parse_str_enum(Dimension))


@irdl_attr_definition
class MemoryAttr(EnumAttribute[Memory]):
    """
    A memory space, as in `memref<16xf32, #spmd.memory<local>>`.

    A memref without a memory space lies in global memory (`memref.alloca`: private).
    """

    name = "spmd.memory"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Memory:
        with parser.in_angle_brackets():
            return cast(Memory, parser.parse_str_enum(Memory))


@irdl_attr_definition
class ScopeAttr(EnumAttribute[Scope]):
    """`#spmd.scope<work_group>`; ops print the bare keyword."""

    name = "spmd.scope"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Scope:
        with parser.in_angle_brackets():
            return cast(Scope, parser.parse_str_enum(Scope))


LOCAL = MemoryAttr(Memory.LOCAL)
GLOBAL = MemoryAttr(Memory.GLOBAL)
PRIVATE = MemoryAttr(Memory.PRIVATE)
