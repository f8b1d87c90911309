"""
Control flow of a function, on its syntax tree: what is structured, assigned and live.

A branch that leaves early, as in `if i >= n: return`, is made structured where that is no
more than moving the rest of the block into the other branch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

Loop = ast.For | ast.While

RESULT = "$result"
"""The variable that keeps what a function returns."""


def structured(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The body of a function whose branches in tail position leave by their ends."""
    return _structured(body, ast.Return)


def _structured(
    body: Sequence[ast.stmt], leave: type[ast.Return | ast.Continue] | None
) -> list[ast.stmt]:
    """
    `body` without statements that nobody reaches, and without `leave` where it is implied.

    `leave` ends what the body is the tail of; `None` if nothing does.
    """
    result: list[ast.stmt] = []
    body = [each for statement in body for each in _assigned_in_body(statement)]
    for number, statement in enumerate(body):
        rest = body[number + 1 :]
        match statement:
            case ast.If(body=then, orelse=other) if (
                leave and rest and (_leaves(then, leave) or _leaves(other, leave))
            ):
                if _leaves(then, leave):
                    other = [*other, *rest]
                else:
                    then = [*then, *rest]
                result.append(_branch(statement, then, other, leave))
                return result
            case ast.If(body=then, orelse=other):
                result.append(_branch(statement, then, other, None if rest else leave))
            case ast.For() | ast.While():
                result.append(_loop(statement))
            case ast.Continue() if leave is ast.Continue:
                return result
            case ast.Return(value=None) if leave is ast.Return:
                return result
            case ast.Return(value=ast.expr() as value) if leave is ast.Return:
                target = ast.Name(RESULT, ast.Store())
                kept = ast.Assign([ast.copy_location(target, value)], value)
                result.append(ast.copy_location(kept, statement))
                return result
            case ast.Continue() | ast.Return() | ast.Break():
                result.append(statement)
                return result
            case _:
                result.append(statement)
    return result


def _branch(
    old: ast.If,
    then: Sequence[ast.stmt],
    other: Sequence[ast.stmt],
    leave: type[ast.Return | ast.Continue] | None,
) -> ast.If:
    new = ast.If(old.test, _structured(then, leave), _structured(other, leave))
    return ast.copy_location(new, old)


def _loop(old: Loop) -> Loop:
    body, other = _structured(old.body, ast.Continue), _structured(old.orelse, None)
    if isinstance(old, ast.For):
        new: Loop = ast.For(old.target, old.iter, body, other)
    else:
        new = ast.While(old.test, body, other)
    return ast.copy_location(new, old)


def _assigned_in_body(statement: ast.stmt) -> Sequence[ast.stmt]:
    """
    A loop that assigns in its body what its condition assigns with `:=`; else `statement`.

    The condition ends it by a break then, and what stood in `else` comes after it.
    """
    if not isinstance(statement, ast.While) or not names_in(statement.test, ast.Store):
        return [statement]
    test, name = statement.test, f"$ended_{statement.lineno}_{statement.col_offset}"
    ended = ast.Name(name, ast.Load())
    start = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(False))
    find = ast.Assign([ast.Name(name, ast.Store())], ast.UnaryOp(ast.Not(), test))
    leave = ast.If(ended, [ast.Break()], [])
    loop = ast.While(ast.Constant(True), [find, leave, *statement.body], [])
    new = [
        start,
        loop,
        *([ast.If(ended, statement.orelse, [])] * bool(statement.orelse)),
    ]
    for each in (find, leave):
        ast.fix_missing_locations(ast.copy_location(each, test))
    return [
        ast.fix_missing_locations(ast.copy_location(each, statement)) for each in new
    ]


def _leaves(body: Sequence[ast.stmt], leave: type[ast.stmt]) -> bool:
    """Whether every path through `body` ends in `leave`, and none elsewhere."""
    if not body:
        return False
    last = body[-1]
    return isinstance(last, leave) or (
        isinstance(last, ast.If)
        and _leaves(last.body, leave)
        and _leaves(last.orelse, leave)
    )


def escapes(statement: ast.stmt) -> bool:
    """Whether a statement may be left in another way than by its end."""
    match statement:
        case ast.Return() | ast.Break() | ast.Continue():
            return True
        case ast.If(body=then, orelse=other):
            return any(escapes(each) for each in (*then, *other))
        case ast.For(body=body, orelse=other) | ast.While(body=body, orelse=other):
            return returns(body) or any(map(escapes, other))
        case _:
            return False


def returns(body: Iterable[ast.stmt]) -> bool:
    """Whether there is a return anywhere in `body`."""
    return any(isinstance(each, ast.Return) for node in body for each in ast.walk(node))


def is_structured(loop: Loop) -> bool:
    """Whether a loop is left by its condition only."""
    return not any(escapes(statement) for statement in loop.body)


def names_in(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The variables that are read, or assigned, anywhere in `node`."""
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, context)
    }


def read_in(node: ast.AST) -> set[str]:
    """The variables that are read in `node` before := in it gives them a value."""
    given = {
        each.target.id: (each.end_lineno or 0, each.end_col_offset or 0)
        for each in ast.walk(node)
        if isinstance(each, ast.NamedExpr)
    }
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name)
        and isinstance(each.ctx, ast.Load)
        and (each.id not in given or (each.lineno, each.col_offset) < given[each.id])
    }


def assigned(body: Iterable[ast.stmt]) -> set[str]:
    """The variables that are assigned anywhere in `body`."""
    found: set[str] = set()
    for statement in body:
        found |= names_in(statement, ast.Store)
        if any(isinstance(n, ast.Return) and n.value for n in ast.walk(statement)):
            found.add(RESULT)
    return found


class Flow:
    """
    The body of a function with structured branches, and what it does to variables.

    Which of them are needed after each statement, and at the head of each loop, is found by
    the usual backward analysis, on the tree: a loop is repeated until it is stable.
    """

    def __init__(self, body: Sequence[ast.stmt]):
        self.statements = structured(body)
        self.names = assigned(self.statements)
        self.after: dict[ast.stmt, set[str]] = {}
        self.head: dict[Loop, set[str]] = {}
        self._assigned: dict[ast.stmt, set[str]] = {}
        self._body(self.statements, {RESULT}, set(), set())

    def assigned(self, statement: ast.stmt) -> set[str]:
        """The variables that are assigned in a statement."""
        if (found := self._assigned.get(statement)) is None:
            found = self._assigned[statement] = assigned((statement,))
        return found

    def _body(
        self, body: Sequence[ast.stmt], out: set[str], stop: set[str], again: set[str]
    ) -> set[str]:
        for statement in reversed(body):
            self.after[statement] = out
            out = self._statement(statement, out, stop, again)
        return out

    def _statement(
        self, statement: ast.stmt, out: set[str], stop: set[str], again: set[str]
    ) -> set[str]:
        match statement:
            case ast.Break():
                return stop
            case ast.Continue():
                return again
            case ast.Return():
                return read_in(statement)
            case ast.If(test=test, body=then, orelse=other):
                needed = self._body(then, out, stop, again)
                needed = needed | self._body(other, out, stop, again)
                return (needed - names_in(test, ast.Store)) | read_in(test)
            case ast.For() | ast.While():
                at_end = self._body(statement.orelse, out, stop, again)
                return self._loop(statement, at_end, out)
            case ast.AugAssign(target=target):
                return out | read_in(statement) | names_in(target, ast.Store)
            case _:
                stored = names_in(statement, ast.Store)
                return (out - stored) | read_in(statement)

    def _loop(self, loop: Loop, at_end: set[str], out: set[str]) -> set[str]:
        """`at_end` is needed where the condition does not hold, `out` after a break."""
        is_for = isinstance(loop, ast.For)
        head = at_end if is_for else at_end | names_in(loop.test, ast.Load)
        while True:
            needed = self._body(loop.body, head, out, head)
            if is_for:
                needed = needed - names_in(loop.target, ast.Store)
            if needed <= head:
                break
            head = head | needed
        self.head[loop] = head
        if not is_for:
            return head
        return (head - names_in(loop.iter, ast.Store)) | read_in(loop.iter)
