"""
What ops of the dialect have in common: above all, what generic passes may do with them.

xDSL has no notion of an op that must not move across divergent control flow. An op that
both reads and writes is never merged, erased, hoisted or sunk by `cse`, `dce`,
`canonicalize` and `licm`, which is what barriers, collectives and shuffles need, even
where they touch no memory.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import (
    EffectInstance,
    HasCanonicalizationPatternsTrait,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    OpTrait,
)
from xdsl.utils.exceptions import VerifyException

STAYS_IN_PLACE: tuple[OpTrait, ...] = (MemoryReadEffect(), MemoryWriteEffect())
"""The traits of an op that no generic pass may move, merge or erase."""


class AllocatesResult(MemoryEffect):
    """
    The op makes the memory that its result refers to, and has no other effect.

    Naming the result (xDSL's `MemoryAllocEffect` does not) lets `dce` erase an
    allocation that nobody uses, while two allocations still never become one.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return frozenset((EffectInstance(MemoryEffectKind.ALLOC, op.results[0]),))


class _Canonicalize(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        cast(Any, op).canonicalize(rewriter)


class Canonicalizes(HasCanonicalizationPatternsTrait):
    """The op has a method `canonicalize(rewriter)`, as `hasCanonicalizeMethod` in MLIR."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Canonicalize(),)


def replace_keeping_place(
    op: Operation, by: Operation | SSAValue, rewriter: PatternRewriter
) -> None:
    """Replace `op`, which has one result, and keep its place in the source."""
    if isinstance(by, SSAValue):
        rewriter.replace(op, (), (by,))
        return
    by.location = op.location
    rewriter.replace(op, by)


def expect_inside_function(op: Operation) -> None:
    """Raise if `op` stands in a module with no kernel or function between."""
    if isinstance(op.parent_op(), ModuleOp):
        raise VerifyException(
            f"expected {op.name} inside a kernel or function, got it at module level"
        )
