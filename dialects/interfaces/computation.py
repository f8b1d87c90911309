"""Ops that compute: what their results follow from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.interfaces.interface import OpInterface

OnVectors = Callable[[Any, Sequence[SSAValue], Sequence[Attribute]], Operation]
"""From an op on scalars, and the operands and result types as vectors, to a new op."""


@dataclass(frozen=True)
class FunctionOfOperands(OpInterface):
    """
    The results follow from operands and attributes, and the op has no effect.

    Being pure is not enough: a pure op may ask for the id of a work-item.
    """


@dataclass(frozen=True)
class Elementwise(FunctionOfOperands):
    """Applied to vectors, lane i of the results follows from lane i of the operands."""

    unsigned: bool = False
    """Whether it reads its integers as unsigned numbers."""

    modular: bool = False
    """Whether it commutes with reducing all integers modulo a power of two."""

    compares: bool = False
    """Whether it compares integers, which have the same order with their sign extended."""

    shifts: bool = False
    """Whether it shifts integers, by less places than they have bits."""

    affine: bool = False
    """Whether equal steps of one operand, the others being fixed, give equal steps."""

    on_vectors: OnVectors | None = None
    """What stands for it on vectors; `None`: the same op, which takes vectors too."""


def is_unsigned(op: Operation) -> bool:
    """Whether `op` reads its integers as unsigned numbers."""
    elementwise = Elementwise.of(op)
    return elementwise is not None and elementwise.unsigned


def compares_integers(op: Operation) -> bool:
    """Whether `op` gives the same for integers of fewer bits, if these are enough."""
    elementwise = Elementwise.of(op)
    return elementwise is not None and elementwise.compares


def is_modular(op: Operation) -> bool:
    """Whether `op` commutes with reducing all integers modulo a power of two."""
    elementwise = Elementwise.of(op)
    return elementwise is not None and elementwise.modular


def is_shift(op: Operation) -> bool:
    """Whether `op` shifts integers, by less places than they have bits."""
    elementwise = Elementwise.of(op)
    return elementwise is not None and elementwise.shifts


_FAULTY_FLOATS = {FastMathFlag.NO_INFS: "an infinity", FastMathFlag.NO_NANS: "a NaN"}


def fast_math_flags(op: Operation) -> frozenset[FastMathFlag]:
    """What the `fastmath` of `op` says, if it has one."""
    return frozenset(getattr(op.properties.get("fastmath"), "data", ()))


def floats_ruled_out(op: Operation) -> Sequence[FastMathFlag]:
    """Which of `ninf` and `nnan` an op has: with such floats its result is undefined."""
    flags = fast_math_flags(op)
    return [flag for flag in _FAULTY_FLOATS if flag in flags]


def words_of_floats(flags: Sequence[FastMathFlag]) -> str:
    """What `floats_ruled_out` rule out, for a message."""
    floats = " or ".join(_FAULTY_FLOATS[flag] for flag in flags)
    rule = "rules" if len(flags) == 1 else "rule"
    return f"{floats}, which {' and '.join(flags)} {rule} out"
