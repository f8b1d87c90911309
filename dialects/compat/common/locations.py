"""
Locations of operations, which xDSL 0.74's parser leaves unknown unless the text has `loc(...)`.

An operation gets the file, line and column of its name, so that whoever refuses it later
can say where it stood; what is printed stays as it was, except for `--print-debuginfo`.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import IO, TYPE_CHECKING

from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.lexer import Span

if TYPE_CHECKING:
    from xdsl.tools.command_line_tool import CommandLineTool

_ATTRIBUTE = "places_of_operations"


class _Chunk:
    """The part of a file that `xdsl-opt --split-input-file` is about to parse."""

    lines_before = 0


class Places:
    """Where the operations stand that one parser reads."""

    def __init__(self, parser: Parser):
        source = parser.lexer.input
        self._lines_before = _Chunk.lines_before
        self.file = StringAttr(source.name)
        lines = source.content.split(source.newline)
        self._line_starts = list(
            accumulate((len(line) + 1 for line in lines), initial=0)
        )
        self.names: list[int] = []
        """Where the names of the operations being parsed stand; one nests in another's regions."""

    @staticmethod
    def of(parser: Parser) -> Places:
        """Those of `parser`, from when they were first asked for."""
        places: Places | None = getattr(parser, _ATTRIBUTE, None)
        if places is None:
            places = Places(parser)
            setattr(parser, _ATTRIBUTE, places)
        return places

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Of a position in the text, from 1."""
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return self._lines_before + line, column

    def location(self, position: int) -> FileLineColLoc:
        """The same as an attribute."""
        line, column = self.line_and_column(position)
        return FileLineColLoc(self.file, IntAttr(line), IntAttr(column))


_parse_results = Parser._parse_op_result_list  # pyright: ignore[reportPrivateUsage]
_parse_operation = Parser.parse_operation


def _parse_results_before_name(self: Parser) -> list[tuple[Span, int]]:
    results = _parse_results(self)
    Places.of(self).names.append(self.pos)
    return results


def _parse_located(self: Parser) -> Operation:
    op = _parse_operation(self)
    places = Places.of(self)
    position = places.names.pop()
    if isinstance(op.location, UnknownLoc):
        op.location = places.location(position)
    for region in op.regions:
        # A terminator that was left out stands nowhere; it belongs to its op.
        last = None if region.last_block is None else region.last_block.last_op
        if last is not None and isinstance(last.location, UnknownLoc):
            last.location = op.location
    return op


@cache
def _tell_lines_before(tool: type[CommandLineTool]) -> None:
    """Let `tool` say where in the file the chunk stands that it parses."""
    parse = tool.parse_chunk

    def parse_chunk(
        self: CommandLineTool, chunk: IO[bytes], extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        _Chunk.lines_before = start_offset
        try:
            return parse(self, chunk, extension, start_offset)
        finally:
            _Chunk.lines_before = 0

    setattr(tool, "parse_chunk", parse_chunk)


def repair() -> None:
    """Let every parser say where operations stand."""
    setattr(Parser, "_parse_op_result_list", _parse_results_before_name)
    setattr(Parser, "parse_operation", _parse_located)
    # Who has no tool does without the time to import it.
    if (tools := sys.modules.get("xdsl.tools.command_line_tool")) is not None:
        _tell_lines_before(tools.CommandLineTool)
