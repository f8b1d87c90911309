"""The text of a Python function: its syntax tree, its places and the names it sees."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Mapping
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any, NoReturn

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from spmd.dialects.diagnostics import KernelError, SourceLocation
from spmd.frontends.python.statements.flow import Flow

Node = ast.AST


class Source:
    """
    One function as it is written.

    Raises `KernelError` if its text cannot be found, as of a function that was made by
    `exec`.
    """

    def __init__(self, function: FunctionType):
        self.function = function
        code = function.__code__
        self.file = code.co_filename
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise KernelError(
                f"expected a function whose source text can be read, got "
                f"{function.__qualname__} of {self.file}; write it in a file or a notebook"
            ) from None
        text = "".join(lines)
        self._indent = len(lines[0]) - len(lines[0].lstrip())
        if function.__name__ == "<lambda>":  # Its lines need not be whole statements.
            self._refuse("a lambda", first)
        tree = ast.parse(textwrap.dedent(text)).body[0]
        self._first = first - 1
        self._lines = textwrap.dedent(text).splitlines()
        self._locations: dict[Node, FileLineColLoc] = {}
        if not isinstance(tree, ast.FunctionDef):
            self._refuse("an async def", first)
        self.tree = tree

    @cached_property
    def flow(self) -> Flow:
        """Its statements, and what they do to variables."""
        return Flow(self.tree.body)

    def _refuse(self, got: str, line: int) -> NoReturn:
        raise KernelError(
            f"expected a function that is defined by def, got {got}",
            location=SourceLocation((self.file, line, self._indent + 1)),
        )

    def place(self, node: Node) -> SourceLocation:
        """File, line and column (from 1, in characters) of a node."""
        line: int = getattr(node, "lineno", self.tree.lineno)
        offset: int = getattr(node, "col_offset", 0)
        before = self._lines[line - 1].encode()[:offset].decode()
        return SourceLocation(
            (self.file, line + self._first, len(before) + self._indent + 1)
        )

    def location(self, node: Node) -> FileLineColLoc:
        """The same, as operations have it."""
        if (found := self._locations.get(node)) is None:
            file, line, column = self.place(node)
            found = FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))
            self._locations[node] = found
        return found


def visible_names(function: FunctionType) -> Mapping[str, object]:
    """What names mean that the function does not define: of now."""
    outer = inspect.getclosurevars(function).nonlocals
    return {**vars(builtins), **function.__globals__, **outer}


def is_of_numpy(function: FunctionType) -> bool:
    """Whether a function is one of NumPy's, which need not be written in C."""
    module: str | None = function.__module__  # `exec` makes functions without one.
    return (module or "").partition(".")[0] == "numpy"


class Function:
    """
    A function that kernels may call: what `@spmd.function` makes of one of Python.

    Called outside of a kernel it is the function of Python that it was.
    """

    def __init__(self, function: FunctionType):
        update_wrapper(self, function)
        self.function = function
        self.name = function.__name__

    @cached_property
    def source(self) -> Source:
        """Its text, which is read when it is first needed."""
        return Source(self.function)

    @cached_property
    def signature(self) -> inspect.Signature:
        """Its parameters."""
        return inspect.signature(self.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it as Python."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<spmd function {self.function.__qualname__}{self.signature}>"
