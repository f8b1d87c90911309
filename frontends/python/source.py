"""The text of a Python function: its syntax tree, its places and the names it sees."""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import linecache
import sys
from collections.abc import Mapping, Sequence
from functools import update_wrapper
from importlib import import_module
from types import CellType, FunctionType, ModuleType
from typing import Any, NoReturn, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from spmd.dialects.diagnostics import KernelError, SourceLocation
from spmd.dialects.interfaces.cached import cached_property
from spmd.frontends.python.names import constexpr
from spmd.frontends.python.statements.flow import Flow
from spmd.frontends.python.types import scalar_of
from spmd.runtime.errors import CompileError

Node = ast.AST

_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


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
        self._indent = len(lines[0]) - len(lines[0].lstrip())
        if function.__name__ == "<lambda>":  # Its lines need not be whole statements.
            self._refuse("a lambda", first)
        tree = _parsed(lines, first).body[0]
        self._first = first
        self._lines = lines
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
        before = self._lines[line - self._first].encode()[:offset].decode()
        return SourceLocation((self.file, line, len(before) + 1))

    def location(self, node: Node) -> FileLineColLoc:
        """The same, as operations have it."""
        if (found := self._locations.get(node)) is None:
            file, line, column = self.place(node)
            found = FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))
            self._locations[node] = found
        return found


def _parsed(lines: Sequence[str], first: int) -> ast.Module:
    """
    A module with the definition that begins in line `first` of a file.

    What stands in an indented one may be less indented than its first line: comments, texts
    of several lines, and lines that continue others.
    """
    text = "".join(lines)
    if not lines[0][:1].isspace():
        return ast.increment_lineno(ast.parse(text), first - 1)
    tree = ast.parse(f"if True:\n{text}")
    around = tree.body[0]
    assert isinstance(around, ast.If), "it is written above"
    return ast.increment_lineno(ast.Module(around.body, []), first - 2)


def visible_names(function: FunctionType) -> Mapping[str, object]:
    """What names mean that the function does not define: of now."""
    outer = _nonlocals(function)
    visible = {**vars(builtins), **function.__globals__, **outer}
    unset = {*function.__code__.co_freevars} - outer.keys()
    return {name: value for name, value in visible.items() if name not in unset}


def _nonlocals(function: FunctionType) -> dict[str, object]:
    """The variables of functions around that have a value by now."""
    names, empty = function.__code__.co_freevars, CellType()
    places = function.__closure__ or ()
    known = tuple(CellType(None) if place == empty else place for place in places)
    found = inspect.getclosurevars(
        FunctionType(function.__code__, {}, closure=known)
    ).nonlocals
    return {
        name: found[name]
        for name, place in zip(names, places, strict=True)
        if place != empty
    }


def is_of_numpy(function: FunctionType) -> bool:
    """Whether a function is one of NumPy's, which need not be written in C."""
    module: str | None = function.__module__  # `exec` makes functions without one.
    return (module or "").partition(".")[0] == "numpy"


Packed = tuple[str, list[str], int, int, dict[str, Any], tuple[Any, ...]]
"""A function as text: file, lines, where they begin, flags, globals and defaults."""


def named(wrapper: Any) -> str | None:
    """The name by which every process finds `wrapper`, if there is one."""
    found: Any = sys.modules.get(wrapper.__module__)
    for name in wrapper.__qualname__.split("."):
        found = getattr(found, name, None)
    is_found = found is wrapper and wrapper.__module__ != "__main__"
    return wrapper.__qualname__ if is_found else None


def packed(function: FunctionType) -> Packed:
    """What another process makes the function of, with the globals that it names."""
    source = Source(function)
    lines, first = inspect.getsourcelines(function)
    used = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    outer = {**function.__globals__, **_nonlocals(function)}
    seen = {name: outer[name] for name in used & outer.keys()}
    modules = {n: v.__name__ for n, v in seen.items() if isinstance(v, ModuleType)}
    others = {n: v for n, v in seen.items() if n not in modules and v is not function}
    kept = {"__name__": function.__module__, "modules": modules, "others": others}
    flags = function.__code__.co_flags & __future__.annotations.compiler_flag
    return source.file, lines, first, flags, kept, function.__defaults__ or ()


def unpacked(packed: Packed) -> FunctionType:
    """The function that was packed; its lines are there for messages and debuggers."""
    file, lines, first, flags, kept, defaults = packed
    known = linecache.getlines(file)
    if known[first - 1 : first - 1 + len(lines)] != lines:
        known = known + ["\n"] * (first - 1 - len(known))
        known[first - 1 : first - 1 + len(lines)] = lines
        linecache.cache[file] = sum(map(len, known)), None, known, file
    tree = _parsed(lines, first)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef), "other functions have no Source"
    definition.decorator_list = []
    modules = {name: import_module(module) for name, module in kept["modules"].items()}
    scope = {"__name__": kept["__name__"], **modules, **kept["others"]}
    exec(compile(tree, file, "exec", flags, dont_inherit=True), scope)
    function = cast(FunctionType, scope[definition.name])
    function.__defaults__ = defaults
    return function


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

    def fixed(self, taken: Sequence[str]) -> dict[str, Any]:
        """
        The types of numbers and `constexpr` that parameters are annotated with.

        Parameters have names other than those that are `taken`.
        """
        fixed: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if name in taken or parameter.kind not in _BY_PLACE:
                raise CompileError(
                    f"{self.name}: expected parameters with names other than "
                    f"{', '.join(taken)}, without * and **, got {parameter}"
                )
            annotation = parameter.annotation
            if isinstance(annotation, str):
                annotation = _evaluated(annotation, self.function)
            if annotation is constexpr:
                fixed[name] = constexpr
            elif (type_ := scalar_of(annotation)) is not None:
                fixed[name] = type_
        return fixed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it as Python."""
        return self.function(*args, **kwargs)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled by its name, or by its text where no other process finds that."""
        return named(self) or (_function, (packed(self.function),))

    def __repr__(self) -> str:
        return f"<spmd function {self.function.__qualname__}{self.signature}>"


def _evaluated(annotation: str, function: FunctionType) -> object:
    """What a text stands for as annotation, if that is known at run time at all."""
    try:
        return eval(annotation, function.__globals__)
    except Exception:
        return None


def _function(given: Packed) -> Function:
    return Function(unpacked(given))
