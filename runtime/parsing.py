"""
From a path, a text or a module to a verified module whose ops know where they stood.

Every op has its place in the text (`dialects/compat/common/locations.py`), so that every error can
show the line it is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import (
    Builtin,
    ModuleOp,
    StringAttr,
    UnregisteredAttr,
)
from xdsl.dialects.cf import Cf
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math
from xdsl.dialects.memref import MemRef
from xdsl.dialects.scf import Scf
from xdsl.dialects.vector import Vector
from xdsl.ir import Attribute, Dialect, Operation, SSAValue, TypeAttribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from spmd.analysis.legality.verification import verify_legality, verify_op
from spmd.dialects import compat
from spmd.dialects.compat import common
from spmd.dialects.compat.common.locations import Places
from spmd.dialects.diagnostics import fail, source_location
from spmd.dialects.spmd import SPMD
from spmd.runtime.compiling.advice import (
    instead_of_end,
    instead_of_operation,
    instead_of_text,
    instead_of_types,
    plainer,
)
from spmd.runtime.errors import (
    MAX_NESTING,
    CompileError,
    SourceText,
    compile_errors,
    located,
)

_Type = TypeVar("_Type", bound=Attribute)

common.repair()

DIALECTS = (Builtin, Arith, Cf, Func, Math, MemRef, Scf, SPMD, Vector)
"""The dialects that a kernel may be written in."""


class _InstalledDialects(Context):
    """
    Knows what is loaded, and beside it the dialects of all installed universes.

    These are looked for when a name is met that is not known, since that takes time.
    """

    def get_optional_op(
        self, name: str, *, dialect_stack: Sequence[str] = ()
    ) -> type[Operation] | None:
        known = super().get_optional_op(name, dialect_stack=dialect_stack)
        return super().get_optional_op(name) if self._registers(known, name) else known

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        known = super().get_optional_type(name)
        return (
            super().get_optional_type(name) if self._registers(known, name) else known
        )

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        known = super().get_optional_attr(name)
        if known is None and self._registers(known, name):
            return super().get_optional_attr(name)
        if known is None and name.partition(".")[0] not in self._registered_dialects:
            # What files say of other machines, as `#nvvm.target`, means nothing here.
            return UnregisteredAttr.with_name_and_type(name, False)
        return known

    def _registers(self, known: object, name: str) -> bool:
        """Whether `name` was not known, but its dialect is installed."""
        dialect, _, rest = name.partition(".")
        if known is not None or not rest or dialect in self._registered_dialects:
            return False
        installed = _installed_dialects().get(dialect)
        if installed is not None:
            self.register_dialect(dialect, installed)
        return installed is not None


@cache
def _installed_dialects() -> Mapping[str, Callable[[], Dialect]]:
    from xdsl.universe import Universe

    try:
        return Universe.get_multiverse().all_dialects
    except Exception as error:
        raise CompileError(
            "expected packages for xDSL that can be loaded, got one that fails with "
            f"{type(error).__name__}: {error}"
        ) from error


def make_context() -> Context:
    """A context with every dialect of this compiler, and those that are installed."""
    context = _InstalledDialects()
    vars(context).update(vars(_loaded_dialects().clone()))
    return context


@cache
def _loaded_dialects() -> Context:
    """The dialects of this compiler; to load them again for each text takes as long as a pass."""
    compat.ensure()
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    return context


class TextParser(Parser):
    """Says what is wrong with a text in the words of other messages."""

    def __init__(self, context: Context, source: SourceText):
        super().__init__(context, source.text, source.name)
        self._source = source.text
        self._places = Places.of(self)
        self._first_uses: dict[str, Span] = {}

    def _get_op_by_name(self, name: str) -> type[Operation]:
        op = self.ctx.get_optional_op(
            name, dialect_stack=self._parser_state.dialect_stack
        )
        if op is not None:
            return op
        known = [op.name for op in self.ctx.loaded_ops]
        start = self._places.names[-1]
        self.raise_error(
            f"unknown operation '{name}'{instead_of_operation(name, known)}",
            at_position=start,
            end_position=start + len(name),
        )

    def resolve_operand(
        self, operand: UnresolvedOperand, type: _Type
    ) -> SSAValue[_Type]:
        self._first_uses.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError as error:
            token = self._current_token
            at_end = token.kind == MLIRTokenKind.EOF
            # xDSL names the undefined values at the end of the file.
            for name in self.forward_ssa_references if at_end else ():
                if (span := self._first_uses.get(name)) is not None:
                    self.raise_error(f"value %{name} is never defined", span)
            if error.msg == "Could not parse entire input!":
                got = "the end of the file" if at_end else f"'{token.text}'"
                self.raise_error(f"expected an operation, got {got}", token.span)
            start = error.span.start
            message, place = instead_of_text(error.msg, self._source, start)
            if (message, place) == (error.msg, start):
                raise
            self.raise_error(message, place, place + 1)

    def parse_operation(self) -> Operation:
        if len(self._places.names) >= MAX_NESTING:
            self.raise_error(f"expected operations nested at most {MAX_NESTING} deep")
        return super().parse_operation()

    @property
    def operation(self) -> str:
        """The name of the op that is being parsed, if any."""
        if not self._places.names:
            return ""
        name = re.compile(r"[\w.$]*").match(self._source, self._places.names[-1])
        return name[0] if name is not None else ""

    @property
    def place(self) -> tuple[str, int, int]:
        """File, line and column of the op that is being parsed, else of the next token."""
        position = (
            self._places.names[-1]
            if self._places.names
            else self._current_token.span.start
        )
        places = self._places
        return (places.file.data, *places.line_and_column(position))


def parse(source: SourceText) -> ModuleOp:
    """The verified module written in `source`, with locations on its ops."""
    with compile_errors(source, "parsing"):
        parser = TextParser(make_context(), source)
        try:
            module = parser.parse_module()
        except (ParseError, RecursionError):
            raise
        except Exception as error:
            # xDSL meets some malformed attributes and types with other exceptions.
            why = " ".join(str(part) for part in error.args)
            advice = instead_of_types(parser.operation, why)
            if advice == why and not (advice := plainer(why)).startswith("expected"):
                advice = f"cannot parse this: {advice}"
            raise located(advice, source, parser.place) from None
    verify(module, source)
    return module


def verify(module: ModuleOp, source: SourceText | None) -> None:
    """A `CompileError` about the innermost op of `module` that is not valid, if any."""
    with compile_errors(source, "verifying the module"):
        _check_names(module)
        try:
            module.verify()
        except Exception:
            # Only now is it worth the time to ask which op it was.
            for op in module.walk(region_first=True):
                _verify_op(op, source)
            raise
        verify_legality(module)


def _verify_op(op: Operation, source: SourceText | None) -> None:
    try:
        op.verify()
    except Exception as error:
        why = str(error)
        if not isinstance(error, VerifyException):
            # Some of xDSL's verifiers fail on what they should refuse.
            verify_op(op)
    else:
        return
    advice = instead_of_types(op.name, why)
    if (parent := op.parent_op()) is not None and advice == why:
        advice = instead_of_end(op.name, parent.name, why)
    if advice == why:
        advice = f"'{op.name}': {plainer(why)}"
    raise located(advice, source, source_location(op))


def _check_names(module: ModuleOp) -> None:
    """
    What xDSL leaves to the code generator, or says of the whole module only.

    LLVM has no names that are empty or have a NUL character.
    """
    known: set[str] = set()
    for op in module.ops:
        if isinstance(op, ModuleOp):
            fail(op, "expected kernels and functions in one module, got a module in it")
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr):
            if not name.data or "\0" in name.data:
                fail(
                    op, f"expected a name with characters, none of them NUL, got {name}"
                )
            if name.data in known:
                fail(op, f"expected one definition of @{name.data}, got another one")
            known.add(name.data)
