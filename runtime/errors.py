"""
What a user of the API sees when something is wrong.

A `CompileError` is about the kernel or an option, a `LaunchError` about one launch; both
are `ValueError`s whose text is one paragraph that says what is wrong, where, and what to
do. An `InternalError` is a `CompileError` that is our fault, and says so.
"""

from __future__ import annotations

import linecache
import os
import sys
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple

MAX_NESTING = 256
"""How deep operations may nest: parser, passes and printer call themselves for each."""

_FRAMES = 40 * MAX_NESTING
"""More than that takes, of Python's stack; the deepest use measured is 15 for each."""

_SHOWN_BEFORE, _SHOWN_AFTER = 100, 60
"""Characters of a source line that are shown before and after the column."""


class SourceText(NamedTuple):
    """A text that locations refer to: its `name` is the file name in them."""

    name: str
    text: str

    def line(self, number: int) -> str | None:
        """Line `number`, counted from 1, or `None` if there is no such line."""
        lines = self.text.split("\n", number)
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else None


class CompileError(ValueError):
    """
    A kernel that cannot be compiled, or an option that does not exist.

    `message` is the paragraph without the place; `file`, `line` and `column` (from 1)
    are the place, as far as it is known, and `source_line` the text found there.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source_line: str | None = None,
    ):
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.source_line = source_line

    def __str__(self) -> str:
        place = [str(p) for p in (self.file, self.line, self.column) if p is not None]
        text = ": ".join((":".join(place), self.message)) if place else self.message
        if not self.source_line or self.column is None:
            return text
        # Of a very long line only the part around the column is shown. Tabs stay tabs,
        # so that the caret stands below the character it means.
        start = max(self.column - 1 - _SHOWN_BEFORE, 0)
        shown = self.source_line[start : start + _SHOWN_BEFORE + _SHOWN_AFTER]
        before = shown[: self.column - 1 - start]
        indent = "".join(c if c == "\t" else " " for c in before)
        return f"{text}\n  {shown}\n  {indent}^"


class UnknownNameError(CompileError, KeyError):
    """A kernel or a stage that does not exist; also a `KeyError`, for `in` and `get`."""


class InternalError(CompileError):
    """The compiler itself failed: a bug in it, whatever the kernel looks like."""


class LaunchError(ValueError):
    """A launch that cannot be done: a wrong argument, size or number of threads."""


class LaunchTimeout(LaunchError, TimeoutError):
    """A launch that took longer than its `timeout`."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for a name that is not among `known`, which it lists."""
    names = list(known)
    listed = ", ".join(names) if names else "none"
    return UnknownNameError(f"expected one of the {kind}s ({listed}), got {name!r}")


def _one_paragraph(text: str) -> str:
    """xDSL's messages may have several lines; ours are one paragraph."""
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())


def located(
    message: str, source: SourceText | None, place: tuple[str, int, int] | None
) -> CompileError:
    """A `CompileError` about `place` with the line of `source` that stands there."""
    message = _one_paragraph(message)
    if place is None:
        return CompileError(message, file=source.name if source else None)
    file, line, column = place
    if source is not None and source.name == file:
        text = source.line(line)
    else:
        text = linecache.getline(file, line).rstrip() or None
    return CompileError(message, file=file, line=line, column=column, source_line=text)


def why_not_done(error: OSError) -> str:
    """What the system says about a file, without the number and the name."""
    return (error.strerror or str(error)).lower()


def internal_error(doing: str, error: Exception, file: str | None) -> InternalError:
    """The error for one that the compiler did not expect while it was `doing` something."""
    return InternalError(
        f"internal error while {doing}: {type(error).__name__}: "
        f"{_one_paragraph(str(error))}; this is a bug in the compiler, not in the "
        "kernel: please report it together with the kernel",
        file=file,
    )


class _Frames:
    """
    Room for calls inside of calls while there is work, in any thread.

    The limit belongs to all threads: the last that ends puts back what the user had.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._working = 0
        self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._working:
                self._before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(self._before, _FRAMES))
            self._working += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._working -= 1
            if not self._working:
                sys.setrecursionlimit(self._before)


_frames = _Frames()

if hasattr(os, "register_at_fork"):
    # Another thread may have held the lock, and is not there any more.
    os.register_at_fork(after_in_child=_frames.__init__)


@contextmanager
def compile_errors(source: SourceText | None, doing: str) -> Generator[None]:
    """
    Turns whatever goes wrong inside into a `CompileError`.

    A `ParseError` or a diagnostic is the user's; any other exception is a bug in the
    compiler, which was `doing` something, and keeps its traceback as the cause.
    """
    try:
        with _frames:
            yield
    except CompileError:
        raise
    except RecursionError:
        raise CompileError(
            f"expected operations nested at most {MAX_NESTING} deep, got more while {doing}",
            file=source.name if source else None,
        ) from None
    except Exception as error:
        if (told := _told(error, source)) is not None:
            # What an op of a frontend does wrong is for its author to see.
            raise told from error.__cause__
        file = source.name if source else None
        raise internal_error(doing, error, file) from error


def _told(error: Exception, source: SourceText | None) -> CompileError | None:
    """What the parser or the compiler says of the user's code, if this is it."""
    # Programs in the cache do without these.
    from xdsl.utils.exceptions import DiagnosticException, ParseError

    from spmd.dialects.diagnostics import KernelError

    match error:
        case ParseError():
            where = error.span.get_location()
            return located(error.msg, source, (where.file, where.line, where.col))
        case KernelError():
            return located(error.message, source, error.location)
        case DiagnosticException():
            return located(str(error), source, None)
        case _:
            return None
