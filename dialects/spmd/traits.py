"""
What generic passes may do with the dialect's ops.

xDSL has no notion of an op that must not move across divergent control flow. An op that
both reads and writes is never merged, erased, hoisted or sunk by `cse`, `dce`,
`canonicalize` and `licm`, which is what barriers, collectives and shuffles need, even
where they touch no memory.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import (
    EffectInstance,
    HasCanonicalizationPatternsTrait,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    OpTrait,
)

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


class Canonicalizes(HasCanonicalizationPatternsTrait):
    """The op has patterns in `spmd.dialects.spmd.canonicalization`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from spmd.dialects.spmd.canonicalization import PATTERNS

        return PATTERNS
