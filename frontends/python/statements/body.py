"""Statements of a kernel in Python, as structured control flow where they are structured."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from inspect import Parameter
from typing import Any

import numpy as np
from xdsl.dialects import cf, scf
from xdsl.ir import Block

from spmd.frontends.python import names
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions import memory
from spmd.frontends.python.expressions.arithmetic import binary
from spmd.frontends.python.expressions.comparisons import compare
from spmd.frontends.python.expressions.of_arrays import is_written_here
from spmd.frontends.python.expressions.translation import Expressions
from spmd.frontends.python.expressions.views import subscript
from spmd.frontends.python.source import Function, Source, visible_names
from spmd.frontends.python.statements.control import Handed, Path, handed
from spmd.frontends.python.statements.flow import (
    RESULT,
    escapes,
    returns,
)
from spmd.frontends.python.statements.loops import Loops
from spmd.frontends.python.statements.variables import (
    Environment,
    Name,
    Unset,
    Variables,
    fail_unset,
    name_value,
)
from spmd.frontends.python.types import INT, scalar_of
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    integer,
)

_INSTEAD: dict[type[ast.stmt], str] = {
    ast.FunctionDef: "def; define the function outside and mark it @spmd.function",
    ast.AsyncFunctionDef: "async def; define a function outside and mark it @spmd.function",
    ast.ClassDef: "class; kernels have numbers, tuples and arrays",
    ast.Delete: "del; variables end with the function",
    ast.With: "with; kernels have no contexts to enter",
    ast.AsyncWith: "async with; kernels have no contexts to enter",
    ast.AsyncFor: "async for; write 'for i in range(...)'",
    ast.Match: "match; write if and elif",
    ast.Raise: "raise; write assert condition, 'message'",
    ast.Try: "try; kernels raise nothing that could be caught",
    ast.TryStar: "try; kernels raise nothing that could be caught",
    ast.Import: "import; import outside of the function",
    ast.ImportFrom: "import; import outside of the function",
    ast.Global: "global; store results in an array that is an argument",
    ast.Nonlocal: "nonlocal; store results in an array that is an argument",
}
"""Statements that kernels do not have, and what to write."""


_MODULES = {
    names: "from spmd.language import {}",
    math: "write math.{0} or np.{0}",
    np: "write np.{}",
}
"""Where a name may come from that is not defined, and how."""


def _hint(name: str) -> str:
    """What to write if a name is not defined that a module has."""
    for module, written in _MODULES.items():
        if hasattr(module, name):
            return f"; {written.format(name)}"
    return ""


class Body(Loops):
    """
    The body of one function, or of one call of it, which is written where it stands.

    `calls` are the functions that are being written, the innermost last, and `path` the
    calls by their places, which tell the variables of one call from those of another.
    """

    def __init__(
        self,
        emitter: Emitter,
        variables: Variables,
        source: Source,
        environment: Environment,
        calls: tuple[Function, ...],
        path: Name = (),
    ):
        super().__init__(emitter, environment)
        self._variables = variables
        self._calls = calls
        self._path = path
        self._visible = visible_names(source.function)
        self.expressions = Expressions(
            emitter, self._variable, self.assign, self._inline
        )
        self._returned: list[Path] = []
        self.flow = source.flow
        self._names = self.flow.names | set(environment)

    def write(self) -> None:
        """Append the whole body."""
        self.statements(self.flow.statements)
        if self._returned:
            self.end_path(self._returned)
            self.join(self._returned, {RESULT}, {RESULT})

    def result(self) -> Value:
        """What the body returns, once it is written."""
        if RESULT not in self._names:
            return Host(None)
        result = self.environment.get(RESULT, Unset("at its end"))
        if isinstance(result, Unset):
            self.e.fail(
                "expected a return on every path through the function, got none "
                f"{result.why}"
            )
        return result

    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Append statements, up to one after which nobody goes on."""
        for statement in body:
            if self.e.block is None:
                return
            before, self.e.node = self.e.node, statement
            self._statement(statement)
            self.e.node = before

    def _statement(self, statement: ast.stmt) -> None:
        value = self.expressions.value
        match statement:
            case ast.Assign(targets=targets, value=given):
                known = value(given)
                for target in targets:
                    self.assign_to(target, known)
            case ast.AnnAssign(target=target, annotation=annotation, value=given):
                self._declare(target, annotation, given)
            case ast.AugAssign(target=target, op=op, value=given):
                self._update(target, op, given)
            case ast.Expr(value=given):
                value(given)
            case ast.If():
                self._if(statement)
            case ast.For() | ast.While():
                self.loop(statement)
            case ast.Return(value=given):
                if given is not None:
                    self.assign(RESULT, value(given), statement)
                self.end_path(self._returned)
            case ast.Break() | ast.Continue():
                is_break = isinstance(statement, ast.Break)
                self.end_path(self.left if is_break else self.continued)
            case ast.Assert(test=test, msg=message):
                self._assert(test, message)
            case ast.Pass():
                pass
            case _:
                instead = _INSTEAD.get(type(statement), type(statement).__name__)
                self.e.fail(f"expected a statement that kernels have, got {instead}")

    # --- variables --------------------------------------------------------------------

    def _variable(self, node: ast.Name) -> Value:
        name = node.id
        if name in self._names:
            found = self.environment.get(name, Unset("before this"))
            if isinstance(found, Unset):
                fail_unset(self.e, name, found.why)
            return found
        if name not in self._visible:
            self.e.fail(f"expected a name that is defined, got {name}{_hint(name)}")
        return self.e.known(self._visible[name])

    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Give a variable a value, in the type that it has everywhere."""
        known = self._variables.assign(self.e, (*self._path, name), value, node)
        name_value(known, name)
        self.environment[name] = known

    def assign_to(self, target: ast.expr, value: Value) -> None:
        """Give what stands before = a value: a variable, an element, a tuple of them."""
        self.e.node = target
        match target:
            case ast.Name(id=name):
                self.assign(name, value, target)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values = self._unpacked(value, len(targets))
                for each, one in zip(targets, values, strict=True):
                    self.assign_to(each, one)
            case ast.Subscript(value=array, slice=index):
                place = memory.element(
                    self.e,
                    self.expressions.value(array),
                    self.expressions.value(index),
                )
                memory.store(self.e, *place, value)
            case _:
                self.e.fail(
                    "expected a variable, an element of an array or a tuple of them before "
                    f"=, got {ast.unparse(target)}"
                )

    def _unpacked(self, value: Value, count: int) -> tuple[Value, ...]:
        if isinstance(value, Memory):
            size = memory.size(self.e, value, 0)
            fits = compare(self.e, ast.Eq(), size, integer(count))
            self._expect(
                fits, f"expected {count} elements to unpack, got another number"
            )
            return tuple(subscript(self.e, value, integer(n)) for n in range(count))
        if not isinstance(value, Items) or len(value.values) != count:
            got = described(value.type)
            if value.type == INT:
                got += "; ids and sizes are numbers: global_id(0), global_id(1)"
            self.e.fail(f"expected a tuple of {count} values to unpack, got {got}")
        return value.values

    def _declare(
        self, target: ast.expr, annotation: ast.expr, given: ast.expr | None
    ) -> None:
        described_ = self.expressions.value(annotation)
        type_ = scalar_of(described_.value) if isinstance(described_, Host) else None
        if type_ is None or given is None:
            self.e.fail(
                "expected a type of numbers and a value, as in n: np.int32 = 0, got "
                f"{ast.unparse(annotation)}"
            )
        number = self.e.scalar(self.expressions.value(given), "for the variable")
        self.assign_to(target, self.e.convert(number, type_))

    def _update(self, target: ast.expr, op: ast.operator, given: ast.expr) -> None:
        value = self.expressions.value
        old: Value
        if isinstance(target, ast.Subscript):
            array, index = value(target.value), value(target.slice)
            memory_, indices = memory.element(self.e, array, index)
            old = memory.load(self.e, memory_, indices)
            new = binary(self.e, op, old, value(given))
            memory.store(self.e, memory_, indices, new)
            return
        if not isinstance(target, ast.Name):
            self.e.fail(
                "expected a variable or an element of an array before the operator, got "
                f"{ast.unparse(target)}"
            )
        old = self._variable(target)
        self.assign_to(target, binary(self.e, op, old, value(given)))

    # --- control flow -----------------------------------------------------------------

    def _if(self, node: ast.If) -> None:
        condition = self.expressions.condition(node.test)
        if isinstance(condition, Constant):
            self.statements(node.body if condition.value else node.orelse)
            return
        bodies = [node.body, node.orelse]
        if not node.body:
            condition, bodies = (
                self.expressions.negated(condition),
                [node.orelse, node.body],
            )
            assert isinstance(condition, Number), "what is not known stays unknown"
        names, live = self.flow.assigned(node), self.flow.after[node]
        blocks = (Block(), Block())
        before = self.environment
        if escapes(node):
            self.e.append(
                cf.ConditionalBranchOp(condition.ssa, blocks[0], [], blocks[1], [])
            )
            ends: list[Path] = []
            for block, body in zip(blocks, bodies, strict=True):
                self.start(block, dict(before))
                self.statements(body)
                self.end_path(ends)
            self.join(ends, names, live)
            return
        environments: list[Environment] = []
        for block, body in zip(blocks, bodies, strict=True):
            self.environment = dict(before)
            with self.e.into(block):
                self.statements(body)
            environments.append(self.environment)
        values, rest = handed(self.e, names, live, environments)
        for block, environment in zip(blocks, environments, strict=True):
            self._yield(block, values, environment)
        types = values.types(self.e)
        other = [blocks[1]] if types or bodies[1] else None
        op = scf.IfOp(condition.ssa, types, [blocks[0]], other)
        self.e.append(op)
        self.environment = values.received(rest, op.results)

    def _yield(self, block: Block, values: Handed, environment: Environment) -> None:
        with self.e.into(block):
            self.e.append(scf.YieldOp(*values.operands(self.e, environment)))

    def _assert(self, test: ast.expr, message: ast.expr | None) -> None:
        condition = self.expressions.condition(test)
        text = f"assertion failed: {ast.unparse(test)}"
        if message is not None:
            given = self.expressions.value(message)
            if not isinstance(given, Host) or not isinstance(given.value, str):
                self.e.fail(
                    f"expected a text as message, got {described(given.type)}", message
                )
            text = given.value
        self._expect(condition, text)

    def _expect(self, condition: Scalars, message: str) -> None:
        if not isinstance(condition, Constant) or not condition.value:
            self.e.append(cf.AssertOp(self.e.ssa(condition), message))

    # --- calls ------------------------------------------------------------------------

    def _inline(
        self,
        function: Function,
        arguments: Sequence[Value],
        named: Mapping[str, Value],
    ) -> Value:
        if function in self._calls:
            self.e.fail(
                f"expected functions that do not call themselves, got {function.name} "
                "inside of itself; write a loop"
            )
        try:
            bound = function.signature.bind(*arguments, **named)
        except TypeError as error:
            self.e.fail(f"expected other arguments of {function.name}: {error}")
        bound.apply_defaults()
        before, call = (self.e.source, self.e.node), self.e.call
        if is_written_here(function):
            self.e.call = call or before
        self.e.source, self.e.node = function.source, function.source.tree
        path = (*self._path, before[1])
        calls = (*self._calls, function)
        environment: Environment = {}
        for name, given in bound.arguments.items():
            value = self._given(function.signature.parameters[name], given)
            if name in function.source.flow.names:
                # What is assigned elsewhere too has the type of all that is assigned.
                value = self._variables.assign(
                    self.e, (*path, name), value, self.e.node
                )
            environment[name] = value
        body = Body(self.e, self._variables, function.source, environment, calls, path)
        if self.e.region is None and returns(function.source.tree.body):
            body.apart(body.write, {RESULT}, {RESULT})
        else:
            body.write()
        (self.e.source, self.e.node), self.e.call = before, call
        return body.result()

    def _given(self, parameter: Parameter, given: Any) -> Value:
        """The argument of a parameter as it is bound."""
        if parameter.kind is Parameter.VAR_KEYWORD:
            self.e.fail(f"expected parameters without **, got {parameter}")
        if parameter.kind is Parameter.VAR_POSITIONAL:
            return Items(given)
        return self.e.known(given) if given is parameter.default else given
