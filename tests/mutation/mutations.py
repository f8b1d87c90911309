"""Small faults that can be put into a source file, each as one edit of its text."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
NOT_COMMUTATIVE = (ast.Sub, ast.FloorDiv, ast.LShift, ast.RShift, ast.Mod)


@dataclass(frozen=True)
class Mutation:
    """One edit; `before` and `after` are the lines, so that it can be named for good."""

    file: str
    line: int
    kind: str
    start: int
    end: int
    text: str
    """What stands in place of the bytes from `start` to `end`."""

    before: str
    after: str

    @property
    def id(self) -> str:
        """The same as long as the line is, wherever it stands in the file."""
        words = f"{self.file} {self.kind} {self.before} {self.after}"
        return hashlib.sha1(words.encode()).hexdigest()[:10]


def mutations(file: str, source: str) -> Iterator[Mutation]:
    """Every fault that can be put into the file."""
    raw = source.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, kind, replacement in _edits(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        text = replacement if isinstance(replacement, str) else f"({replacement})"
        if not isinstance(replacement, str):
            text = f"({ast.unparse(ast.fix_missing_locations(replacement))})"
        first, last = starts[node.lineno - 1], starts[node.end_lineno]
        before = raw[first:last].decode().strip()
        after = (raw[first:start].decode() + text + raw[end:last].decode()).strip()
        yield Mutation(file, node.lineno, kind, start, end, text, before, after)


Edit = tuple[ast.expr | ast.stmt, str, ast.expr | str]


def _edits(tree: ast.Module) -> Iterator[Edit]:
    """What could be wrong in the bodies of functions; words for users are left alone."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name != "__repr__":
            body = function.body
            if isinstance(body[0], ast.Expr) and isinstance(
                body[0].value, ast.Constant
            ):
                body = body[1:]
            for statement in body:
                yield from _of_node(statement)


def _of_node(node: ast.AST) -> Iterator[Edit]:
    if isinstance(
        node, (ast.FunctionDef, ast.ClassDef, ast.Assert, ast.Raise, ast.pattern)
    ):
        return  # nested functions are visited by themselves
    if isinstance(node, ast.stmt):
        yield from _of_statement(node)
    elif isinstance(node, ast.expr):
        yield from _of_expression(node)
    for child in ast.iter_child_nodes(node):
        match node, child:
            case ast.Subscript(slice=index), ast.Constant(value=0) if child is index:
                # Of a single element, which there mostly is, -1 is the same one.
                yield child, "constant", ast.Constant(1)
            case ast.AnnAssign(annotation=type_), _ if child is type_:
                pass
            case _, ast.keyword(arg="strict"):
                pass  # `zip` checks as `assert` does
            case _:
                yield from _of_node(child)


def _of_statement(node: ast.stmt) -> Iterator[Edit]:
    match node:
        case ast.Expr(value=ast.Call()):
            yield node, "call dropped", "pass"
        case ast.AugAssign():
            yield node, "assignment dropped", "pass"
        case ast.Continue():
            yield node, "continue dropped", "pass"
        case ast.Break():
            yield node, "break dropped", "pass"
        case ast.If(test=test) | ast.While(test=test):
            yield test, "condition negated", ast.UnaryOp(ast.Not(), test)
        case ast.Return(value=ast.expr() as value):
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                yield value, "other value returned", ast.Constant(not value.value)
            elif not (isinstance(value, ast.Constant) and value.value is None):
                yield value, "nothing returned", ast.Constant(None)
        case _:
            pass


def _of_expression(node: ast.expr) -> Iterator[Edit]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for other in COMPARISONS[type(op)]:
                yield node, "comparison", ast.Compare(left, [other()], [right])
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield node, "and/or", ast.BoolOp(other, values)
            yield node, "operand dropped", ast.BoolOp(op, values[:-1])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, "not dropped", operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield node, "branches swapped", ast.IfExp(test, orelse, body)
        case ast.Constant(value=bool() as value):
            yield node, "constant", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield node, "constant", ast.Constant(value + 1)
            yield node, "constant", ast.Constant(value - 1)
        case ast.BinOp(left=left, op=op, right=right):
            if not isinstance(left, (ast.JoinedStr, ast.Constant)):
                if type(op) in OPERATORS:
                    other = OPERATORS[type(op)]()
                    yield node, "operator", ast.BinOp(left, other, right)
                if isinstance(op, NOT_COMMUTATIVE):
                    yield node, "operands swapped", ast.BinOp(right, op, left)
        case _:
            pass
