"""Which ops may run although nobody wants their results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.dialects import scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.interfaces.interface import OpInterface
from spmd.dialects.rewriting import constant_index


class Quotient(Enum):
    """Which integer a quotient becomes."""

    TO_ZERO = auto()
    DOWN = auto()
    UP = auto()


@dataclass(frozen=True)
class IntegerDivision(OpInterface):
    """
    The op divides integers, for the quotient or the remainder.

    To divide by 0 is undefined, and so is the least signed number divided by -1.
    """

    signed: bool

    quotient: Quotient | None = Quotient.TO_ZERO
    """How the quotient is rounded; `None` for what that to 0 leaves."""


def is_integer_division(op: Operation) -> bool:
    """Whether `op` divides integers, for the quotient or the remainder."""
    return IntegerDivision.of(op) is not None


def may_trap(op: Operation) -> bool:
    """Whether executing `op` with unlucky operands is undefined: an integer division."""
    division = IntegerDivision.of(op)
    if division is None:
        return False
    divisor = constant_index(op.operands[1])
    if not divisor:
        return True
    # A 1 of type `i1` is -1.
    type_ = op.operands[1].type
    return division.signed and (divisor == -1 or type_ == i1)


def may_go_on(op: Operation) -> bool:
    """Whether `op` is a loop of which nothing says that it ends, or has blocks that may be one."""
    if isinstance(op, scf.ForOp):
        return (constant_index(op.step) or 0) <= 0
    flow = RegionBranch.of(op)
    is_loop = flow is not None and flow.runs is Runs.LOOP
    return is_loop or any(len(region.blocks) > 1 for region in op.regions)


def is_speculatable(op: Operation | Block) -> bool:
    """Whether `op` may run anywhere, for anyone (MLIR: `ConditionallySpeculatable`)."""
    return (
        isinstance(op, Operation)
        and FunctionOfOperands.of(op) is not None
        and not may_trap(op)
    )


def is_speculatable_from(
    value: SSAValue, is_known: Callable[[SSAValue], bool], most: int | None = None
) -> bool:
    """Whether at most `most` operations that may run anywhere make `value` of what is known."""
    worklist, seen = [value], set[SSAValue]()
    while worklist:
        at = worklist.pop()
        if at in seen or is_known(at):
            continue
        seen.add(at)
        if not is_speculatable(at.owner) or (most is not None and len(seen) > most):
            return False
        assert isinstance(at.owner, Operation)
        worklist.extend(at.owner.operands)
    return True
