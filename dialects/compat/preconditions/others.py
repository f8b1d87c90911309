"""Loops that take no step forward, and what kernels check themselves."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, scf

from spmd.dialects.interfaces.preconditions import (
    Comparison,
    Fault,
    Preconditions,
    Terms,
)
from spmd.dialects.messages import escaped


def takes_no_step(op: scf.ForOp, terms: Terms) -> Sequence[Fault]:
    """Where the step of a loop is not positive."""
    step = Comparison("sle", op.step, terms.number(0, op.step.type))
    message = "expected a loop with a positive step, got {}"
    return [Fault(message, (op.step,), ((step,),))]


def fails(op: cf.AssertOp, terms: Terms) -> Sequence[Fault]:
    """Where an assertion does not hold."""
    wrong = Comparison("eq", op.arg, terms.number(0, op.arg.type))
    return [Fault(f"assertion failed: {escaped(op.msg.data)}", (), ((wrong,),))]


Preconditions(takes_no_step).attach(scf.ForOp)
Preconditions(fails, only=True).attach(cf.AssertOp)
