"""Ops that are short for others, which take their place before anything looks at them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from spmd.dialects.diagnostics import KernelError, fail
from spmd.dialects.interfaces.interface import OpInterface
from spmd.dialects.rewriting import locate

_MOST_NESTED = 100
"""Expansions inside of each other; with more, one is taken to make its own op again."""


@dataclass(frozen=True)
class Expansion(OpInterface):
    """
    The op is short for others.

    `expand` gets the op and xDSL's `PatternRewriter`, and replaces the op, as the
    `match_and_rewrite` of a pattern does. The new ops may be short for others as well.
    """

    expand: Callable[[Any, PatternRewriter], None]

    # What of xDSL is short for other ops: of `vector`, what prints.
    _models: ClassVar[Mapping[str, str]] = {
        "linalg": "compat.models.linalg",
        "vector": "spmd.messages",
    }


def has_expansions(root: Operation) -> bool:
    """Whether an op in `root` is short for others."""
    return any(Expansion.of(op) is not None for op in root.walk())


def expand_all(root: Operation) -> None:
    """
    Put what it is short for in the place of each op in `root`, from the inside out.

    Fails on an op whose `Expansion` fails, leaves it there, or makes it again.
    """
    # Last in, first out: what an expansion makes is expanded before what is around it.
    waiting = [
        (op, 0) for op in root.walk(reverse=True) if Expansion.of(op) is not None
    ]
    while waiting:
        op, depth = waiting.pop()
        if op.parent is None:
            continue  # it was made in another one that was, and met before
        if depth > _MOST_NESTED:
            fail(
                op,
                f"expected an Expansion that ends, got one that makes {op.name} again",
            )
        for made in _expand(op):
            waiting += [
                (inner, depth + 1)
                for inner in made.walk(reverse=True)
                if Expansion.of(inner) is not None
            ]


def _expand(op: Operation) -> list[Operation]:
    """The ops that take the place of `op`, which have its location."""
    expansion = Expansion.of(op)
    assert expansion is not None
    made: list[Operation] = []
    rewriter = PatternRewriter(op)
    rewriter.operation_insertion_handler.append(made.append)
    try:
        expansion.expand(op, rewriter)
    except KernelError:
        raise
    except Exception as error:
        raise KernelError(
            f"the Expansion of {op.name} failed: {type(error).__name__}: {error}", op
        ) from error
    if op.parent is not None:
        fail(op, f"expected the Expansion of {op.name} to replace it")
    for new in made:
        locate(new, op)
    return made
