"""Which lanes may turn out to access neighbours, in rows, when the kernel runs."""

from __future__ import annotations

from xdsl.dialects import arith, vector
from xdsl.ir import Block, SSAValue

from spmd.dialects.compat.memory import StepOp
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.rewriting import splat_number


def may_be_rows(index: SSAValue) -> bool:
    """
    Whether lanes may well access neighbours for some of the values that they share.

    True of what is computed from the number of the lane alone, and not by steps alone:
    a step that is not 1 is never a row, nor are the lowest digits of an even one.
    """
    digits = False
    seen, stack = {index}, [index]
    while stack:
        op = stack.pop().owner
        if isinstance(op, vector.BroadcastOp | StepOp):
            continue
        if isinstance(op, Block) or (elementwise := Elementwise.of(op)) is None:
            return False
        digits = digits or not elementwise.affine
        stack.extend(operand for operand in op.operands if operand not in seen)
        seen.update(op.operands)
    return digits and _may_be_odd_and_even(index)


def _may_be_odd_and_even(index: SSAValue) -> bool:
    """Whether `index` may be odd in some lanes and even in others, as neighbours are."""
    seen, stack = {index}, [index]
    while stack:
        value = stack.pop()
        op = value.owner
        if isinstance(op, vector.BroadcastOp) or splat_number(value) is not None:
            continue
        if isinstance(op, arith.MuliOp) and any(map(_is_even, op.operands)):
            continue
        if isinstance(op, Block | arith.ShLIOp):
            return True
        elementwise = Elementwise.of(op)
        if elementwise is None or not (elementwise.modular or elementwise.affine):
            return True
        stack.extend(operand for operand in op.operands if operand not in seen)
        seen.update(op.operands)
    return False


def _is_even(value: SSAValue) -> bool:
    number = splat_number(value)
    return number is not None and number % 2 == 0


def without_shared_part(index: SSAValue) -> SSAValue:
    """What lanes differ by: `index` before something was added that they share."""
    while isinstance(op := index.owner, arith.AddiOp | arith.SubiOp):
        if isinstance(op.rhs.owner, vector.BroadcastOp):
            index = op.lhs
        elif isinstance(op, arith.AddiOp) and isinstance(
            op.lhs.owner, vector.BroadcastOp
        ):
            index = op.rhs
        else:
            break
    return index
