"""What it costs to run an op, in operations that every CPU does in one instruction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from xdsl.dialects.builtin import f64
from xdsl.ir import Operation

from spmd.dialects.enclosing import is_terminator
from spmd.dialects.interfaces.interface import OpInterface
from spmd.dialects.interfaces.speculation import is_integer_division, may_trap


class CostClass(IntEnum):
    """What an op is like, by what it costs for one lane."""

    FREE = 0
    SIMPLE = 1

    CONSTANT_DIVISION = 2
    """Of an integer: a multiplication and shifts (Granlund and Montgomery 1994)."""

    MEMORY = 3

    SLOW = 8
    """Division and square roots of floats, of which one begins every eight cycles or so."""

    LIBRARY = 15
    """A function of the math library."""

    ATOMIC = 20
    """An atomic update, which waits for the memory of other cores."""

    INTEGER_DIVISION = 30
    """Of which there is no vector instruction."""


@dataclass(frozen=True)
class Cost(OpInterface):
    """What the op costs, if it is not simple."""

    cost: CostClass


def cost_class(op: Operation) -> CostClass:
    """What `op` costs, without the operations in its regions."""
    if (known := Cost.of(op)) is not None:
        return known.cost
    if is_integer_division(op):
        trap = may_trap(op)
        return CostClass.INTEGER_DIVISION if trap else CostClass.CONSTANT_DIVISION
    return CostClass.FREE if is_terminator(op) else CostClass.SIMPLE


def lanes_cost(op: Operation) -> int:
    """What `op` costs for vectors: of 64-bit floats, a register has half as many."""
    wide = any(result.type == f64 for result in op.results)
    return cost_class(op) * (2 if wide else 1)


def is_library_function(op: Operation) -> bool:
    """Whether `op` is a function of the math library, not a few instructions."""
    known = Cost.of(op)
    return known is not None and known.cost is CostClass.LIBRARY
