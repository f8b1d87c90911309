"""
Which statements a test runs.

The source is loaded with a mark before each statement in a function: one store into memory
that forks share, so that what a test starts in forks and threads counts as well.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.abc
import mmap
import sys
from collections.abc import Iterator
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

NAME = "__marks__"
PLACES = 1 << 16
"""More than there are statements in functions."""
DIGITS = bytes.maketrans(b"\0\1", b"01")

Met = dict[str, int]
"""Of each file of which something ran: the bit `n` for the statement `n`."""


def has_met(met: Met, file: str, place: int) -> bool:
    return bool(met.get(file, 0) >> place & 1)


class Marks:
    """The marks that this process and its forks have met."""

    def __init__(self, source: Path, folders: tuple[str, ...]):
        self.source = source
        self.folders = tuple(f"{source / folder}/" for folder in folders)
        self.places: dict[str, dict[int, int]] = {}
        """Of each file: the number of the statement that begins in a line."""
        self.firsts: dict[str, int] = {}
        """Where its marks begin."""
        self.clear()

    def clear(self) -> None:
        """Forgets what ran; what runs from now on, in later forks too, is met here."""
        self.memory = mmap.mmap(-1, PLACES)
        setattr(builtins, NAME, self.memory)

    def met(self) -> Met:
        """What ran."""
        return {
            file: int(ran[::-1].translate(DIGITS), 2)
            for file, first in self.firsts.items()
            if any(ran := self.memory[first : first + len(self.places[file])])
        }

    def install(self) -> None:
        """Puts marks into the modules of the folders, as they are imported."""
        marks = self

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                path = self.get_filename(fullname)
                tree = ast.parse(self.get_data(path))
                marks.put_into(tree, str(Path(path).relative_to(marks.source)))
                return compile(ast.fix_missing_locations(tree), path, "exec")

        def hook(path: str) -> importlib.abc.PathEntryFinder:
            if f"{path}/".startswith(self.folders):
                return FileFinder(path, (Loader, [".py"]))
            raise ImportError(path)

        sys.path_hooks.insert(0, hook)
        sys.path_importer_cache.clear()

    def load(self) -> None:
        """Imports all modules of the folders, so that none is new to a fork."""
        for folder in self.folders:
            for path in sorted(Path(folder).rglob("*.py")):
                name = path.relative_to(self.source.parent).with_suffix("")
                importlib.import_module(".".join(name.parts))

    def put_into(self, tree: ast.Module, file: str) -> None:
        first = self.firsts.setdefault(file, sum(map(len, self.places.values())))
        places = self.places.setdefault(file, {})
        for block in list(blocks(tree)):
            for n, statement in reversed(list(enumerate(block))):
                match statement:
                    case ast.Expr(value=ast.Constant()):
                        pass  # a docstring, which has to stand first
                    case _:
                        place = first + places.setdefault(statement.lineno, len(places))
                        (mark,) = ast.parse(f"{NAME}[{place}] = 1").body
                        block.insert(n, ast.copy_location(mark, statement))


def blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """All lists of statements in functions."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from blocks_of(function)


def blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements in the node, without those of functions and classes in it."""
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(node, name, None):
            yield block
    for child in ast.iter_child_nodes(node):
        inside = isinstance(child, ast.stmt | ast.match_case | ast.ExceptHandler)
        if inside and not isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from blocks_of(child)


def first_line(tree: ast.Module, line: int) -> int:
    """Where the innermost statement around `line` begins."""
    return max(
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    )
