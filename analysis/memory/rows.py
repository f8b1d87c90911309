"""Which lanes may turn out to access neighbours, in rows, when the kernel runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects import arith, vector
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.compat.memory import StepOp
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.rewriting import splat_number


def may_be_rows(index: SSAValue) -> bool:
    """
    Whether lanes may well access neighbours for some of the values that they share.

    A step that is not 1 is never a row, nor are the lowest digits of an even one.
    """
    are_digits = takes_digits((index,), lambda each: isinstance(each.owner, _STEADY))
    return are_digits and _may_be_odd_and_even(index)


_STEADY = vector.BroadcastOp | StepOp
"""What makes vectors that grow by the same from lane to lane."""


def takes_digits(
    indices: Iterable[SSAValue],
    is_steady: Callable[[SSAValue], bool],
    leaves_gaps: Callable[[SSAValue], bool] = lambda _: False,
) -> bool:
    """
    Whether digits of ids are taken (a shift, a mask, a division) and nothing else is.

    A division may use floats, but does not add to them: sums of floats that are rounded are none.

    `is_steady` says of a value that it grows by the same from lane to lane, `leaves_gaps` that it
    grows by so much then that lanes are no neighbours.
    """

    def computed_from(value: SSAValue) -> Sequence[SSAValue]:
        return () if is_steady(value) else _operands(value)

    digits = False
    for value in reachable(indices, computed_from):
        if is_steady(value):
            if leaves_gaps(value):
                return False
            continue
        op = value.owner
        if isinstance(op, Block | arith.AddfOp | arith.SubfOp):
            return False
        if (elementwise := Elementwise.of(op)) is None:
            return False
        digits = digits or not elementwise.affine
    return digits


def _may_be_odd_and_even(index: SSAValue) -> bool:
    """Whether `index` may be odd in some lanes and even in others, as neighbours are."""

    def is_shared_or_even(value: SSAValue) -> bool:
        op = value.owner
        return (
            isinstance(op, vector.BroadcastOp)
            or splat_number(value) is not None
            or (isinstance(op, arith.MuliOp) and any(map(_is_even, op.operands)))
        )

    def keeps_lowest_digit(op: Operation | Block) -> bool:
        if isinstance(op, Block | arith.ShLIOp):
            return False
        elementwise = Elementwise.of(op)
        return elementwise is not None and (elementwise.modular or elementwise.affine)

    found = reachable(
        (index,), lambda each: () if is_shared_or_even(each) else _operands(each)
    )
    return not all(
        is_shared_or_even(each) or keeps_lowest_digit(each.owner) for each in found
    )


def _operands(value: SSAValue) -> Sequence[SSAValue]:
    """What `value` is computed from, lane by lane."""
    op = value.owner
    return () if isinstance(op, Block) or Elementwise.of(op) is None else op.operands


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
