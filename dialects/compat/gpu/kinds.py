"""
The kinds of `gpu.all_reduce` and `gpu.subgroup_reduce`, of which xDSL 0.74 lacks the newer.

Minima and maxima have the names of `arith`: `minsi`, `minui`, `minnumf`, `minimumf`. Before
LLVM 18 they were `min` and `max`.
"""

from __future__ import annotations

from enum import auto

from xdsl.dialects import gpu
from xdsl.utils.str_enum import StrEnum


class ReductionKind(StrEnum):
    """What a reduction does with two values."""

    ADD = auto()
    MUL = auto()
    MINUI = auto()
    MINSI = auto()
    MINNUMF = auto()
    MAXUI = auto()
    MAXSI = auto()
    MAXNUMF = auto()
    AND = auto()
    OR = auto()
    XOR = auto()
    MINIMUMF = auto()
    MAXIMUMF = auto()
    MIN = auto()
    MAX = auto()


def repair() -> None:
    """Let the attribute have all kinds; those of xDSL's enum are the same strings."""
    gpu.AllReduceOpAttr.enum_type = ReductionKind
