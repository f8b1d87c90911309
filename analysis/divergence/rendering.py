"""
IR in colours: uniform, strided and varying values, divergent branches and loops.

`render(module)` prints the module as usual and returns the text in pieces, each with its
kind; `to_terminal` and `to_html` write them for people. In HTML, a value shows its shape
and the chain that makes it varying under the mouse.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from io import StringIO
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.printer import Printer

from spmd.analysis.divergence.analyze import Divergence, analyses_of
from spmd.analysis.divergence.explanation import name_of
from spmd.dialects.enclosing import block_arguments


class Kind(Enum):
    """What a piece of text is; the value is its name in HTML."""

    PLAIN = "plain"
    UNIFORM = "uniform"
    STRIDED = "strided"
    VARYING = "varying"
    DIVERGENT = "divergent"


@dataclass(frozen=True)
class Piece:
    """A piece of printed IR, and what there is to say about it."""

    text: str
    kind: Kind = Kind.PLAIN
    remark: str = ""
    again: bool = False
    """Whether it is a value that an earlier piece has shown."""


ANSI = {
    Kind.UNIFORM: "32",
    Kind.STRIDED: "36",
    Kind.VARYING: "31",
    Kind.DIVERGENT: "1;7;33",
}
LEGEND = {
    Kind.UNIFORM: "the same in all work-items",
    Kind.STRIDED: "a fixed step from neighbour to neighbour",
    Kind.VARYING: "not known to be either",
    Kind.DIVERGENT: "a branch or loop at which work-items diverge",
}

_OPEN, _CLOSE, _END = "\x01", "\x02", "\x03"
_MARKED = re.compile(f"{_OPEN}([vo])(\\d+){_CLOSE}(.*?){_END}")


class _MarkingPrinter(Printer):
    """Prints values and the names of divergent operations with marks around them."""

    def __init__(self, stream: StringIO, divergent: dict[Operation, int]):
        super().__init__(stream)
        self.values: dict[SSAValue, int] = {}
        self._divergent = divergent
        self._name: tuple[str, int] | None = None

    def print_ssa_value(self, value: SSAValue) -> str:
        number = self.values.setdefault(value, len(self.values))
        super().print_string(f"{_OPEN}v{number}{_CLOSE}")
        name = super().print_ssa_value(value)
        super().print_string(_END)
        return name

    def print_op(self, op: Operation) -> None:
        number = self._divergent.get(op)
        if number is not None:
            self._name = (op.name, number)
        super().print_op(op)

    def print_string(self, text: str, *arguments: Any, **options: Any) -> None:
        if self._name is not None and text == self._name[0]:
            text = f"{_OPEN}o{self._name[1]}{_CLOSE}{text}{_END}"
            self._name = None
        super().print_string(text, *arguments, **options)


class _Remarks:
    """What the analyses of a module say about values and branches."""

    def __init__(self, module: ModuleOp):
        self.divergences = list(analyses_of(module))
        self.branches: list[tuple[Operation, Divergence]] = [
            (op, divergence)
            for divergence in self.divergences
            for op in divergence.root.walk()
            if divergence.is_divergent(op)
        ]
        self._of: dict[SSAValue, Divergence] = {}
        for divergence in self.divergences:
            self._of.update(dict.fromkeys(_values_in(divergence.root), divergence))

    def value(self, text: str, value: SSAValue, again: bool) -> Piece:
        divergence = self._of.get(value)
        if divergence is None:
            return Piece(text)
        shapes = [divergence.shape(value, d) for d in range(divergence.dimensions)]
        remark = ", ".join(
            f"{'xyz'[d]}: {shape}" for d, shape in enumerate(shapes) if d < 3
        )
        if all(shape.is_uniform for shape in shapes):
            return Piece(text, Kind.UNIFORM, remark, again)
        if not any(shape.is_varying for shape in shapes):
            return Piece(text, Kind.STRIDED, remark, again)
        remark += f"\n{divergence.why_varying(value)}"
        return Piece(text, Kind.VARYING, remark, again)

    def branch(self, text: str, number: int) -> Piece:
        op, divergence = self.branches[number]
        return Piece(text, Kind.DIVERGENT, divergence.why_divergent(op))


def render(module: ModuleOp) -> list[Piece]:
    """The text of a module in pieces."""
    remarks = _Remarks(module)
    stream = StringIO()
    numbers = {op: i for i, (op, _) in enumerate(remarks.branches)}
    printer = _MarkingPrinter(stream, numbers)
    printer.print_op(module)
    values = list(printer.values)
    text = stream.getvalue()
    pieces: list[Piece] = []
    position = shown = 0
    for match in _MARKED.finditer(text):
        pieces.append(Piece(text[position : match.start()]))
        what, number, inner = match.groups()
        if what == "v":
            # They were numbered as they were printed.
            again = int(number) < shown
            shown += not again
            pieces.append(remarks.value(inner, values[int(number)], again))
        else:
            pieces.append(remarks.branch(inner, int(number)))
        position = match.end()
    return [*pieces, Piece(text[position:] + "\n")]


def why(module: ModuleOp, name: str) -> list[str]:
    """The chains of all values that are called `name` (with or without %)."""
    wanted = f"%{name.removeprefix('%')}"
    found: list[str] = []
    for divergence in analyses_of(module):
        for value in _values_in(divergence.root):
            if value.name_hint is not None and name_of(value) == wanted:
                found.append(divergence.why_varying(value))
    return found


def _values_in(root: Operation) -> Iterator[SSAValue]:
    """The values that are defined inside of `root`."""
    for op in root.walk():
        yield from () if op is root else op.results
        yield from block_arguments(op)


def to_terminal(pieces: Sequence[Piece], *, colours: bool = True) -> str:
    """For a terminal, with ANSI colours or with comments."""
    if not colours:
        return "".join(_commented(pieces))
    legend = "".join(
        f"// {_coloured(kind.value, kind)}: {text}\n" for kind, text in LEGEND.items()
    )
    return legend + "".join(_coloured(piece.text, piece.kind) for piece in pieces)


def _commented(pieces: Sequence[Piece]) -> Iterator[str]:
    """The text with a comment where a line shows a value first, or diverges."""
    notes: list[str] = []
    for piece in pieces:
        if piece.kind is Kind.DIVERGENT:
            notes.append(piece.kind.value)
        elif piece.kind is not Kind.PLAIN and not piece.again:
            notes.append(f"{piece.text}: {piece.kind.value}")
        head, line_end, rest = piece.text.partition("\n")
        comment = f"  // {', '.join(notes)}" if line_end and notes else ""
        if line_end:
            notes = []
        yield f"{head}{comment}{line_end}{rest}"


def _coloured(text: str, kind: Kind) -> str:
    code = ANSI.get(kind)
    return text if code is None else f"\x1b[{code}m{text}\x1b[0m"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ background: #fff; color: #333; margin: 2em; }}
pre {{ font: 14px/1.5 monospace; }}
span[title] {{ cursor: help; }}
.uniform {{ color: #1a7f37; }}
.strided {{ color: #0550ae; }}
.varying {{ color: #cf222e; }}
.divergent {{ background: #fff3bf; color: #7d4e00; font-weight: bold; }}
</style>
</head>
<body>
<h1>{title}</h1>
<ul>
{legend}
</ul>
<pre>{text}</pre>
</body>
</html>
"""


def to_html(pieces: Sequence[Piece], title: str) -> str:
    """A page of its own."""
    return _PAGE.format(
        title=html.escape(title),
        legend="\n".join(
            f'<li><span class="{kind.value}">{kind.value}</span>: {html.escape(text)}</li>'
            for kind, text in LEGEND.items()
        ),
        text="".join(map(_as_html, pieces)),
    )


def _as_html(piece: Piece) -> str:
    text = html.escape(piece.text)
    if piece.kind is Kind.PLAIN:
        return text
    remark = html.escape(piece.remark)
    return f'<span class="{piece.kind.value}" title="{remark}">{text}</span>'
