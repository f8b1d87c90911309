"""Lists of op classes in source text, also where they do not look like one."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence


def is_op(node: ast.AST) -> bool:
    """Whether `node` is a class of ops, or the name of one."""
    match node:
        case ast.Constant(value=str(name)):
            return (
                re.fullmatch(r"(arith|cf|math|memref|scf|spmd|vector)\.\w*", name)
                is not None
            )
        case ast.Name() | ast.Attribute():
            return ast.unparse(node).endswith("Op")
        case _:
            return False


Lists = dict[str, list[ast.AST]]
"""What the names of a file stand for that are lists."""


def members(node: ast.AST, lists: Lists) -> list[ast.AST]:
    """What a display, a union or alternative puts in a row: `or`, and equal cases, too."""
    match node:
        case ast.Tuple(elts=row) | ast.Set(elts=row) | ast.List(elts=row):
            return in_a_row(row, lists)
        case ast.Dict():
            return [key for key in node.keys if key is not None]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return in_a_row((left, right), lists)
        case ast.MatchClass(cls=cls):
            return [cls]
        case ast.MatchOr(patterns=row):
            return in_a_row(row, lists)
        case ast.BoolOp(op=ast.Or(), values=values):
            return in_a_row(
                [
                    each.args[1]
                    for each in values
                    if isinstance(each, ast.Call)
                    and ast.unparse(each.func) == "isinstance"
                ],
                lists,
            )
        case ast.Match(cases=cases):
            bodies: dict[str, list[ast.AST]] = {"": []}
            for case in cases:
                if case.guard is None:
                    body = ast.unparse(ast.Module(case.body, []))
                    bodies.setdefault(body, []).extend(members(case.pattern, lists))
            return max(bodies.values(), key=lambda row: sum(map(is_op, row)))
        case _:
            return []


def in_a_row(row: Sequence[ast.AST], lists: Lists) -> list[ast.AST]:
    """The members of the parts of a list, those of lists with names included."""
    found: list[ast.AST] = []
    for each in row:
        each = each.value if isinstance(each, ast.Starred) else each
        known = lists.get(each.id) if isinstance(each, ast.Name) else None
        found += known or members(each, lists) or [each]
    return found


def lists_of(tree: ast.Module) -> Lists:
    """The lists that have a name in a file."""
    lists: Lists = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                lists[name] = members(value, lists)
            case _:
                pass
    return lists


def is_prefix_of_ops(node: ast.AST) -> bool:
    """Whether this asks an op for the begin of its name: for one of a list."""
    match node:
        case ast.Call(func=ast.Attribute(attr="startswith"), args=[prefix]):
            return is_op(prefix)
        case _:
            return False
