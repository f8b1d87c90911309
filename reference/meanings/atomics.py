"""
The meaning of atomics: work-items take turns between ops, so each op is one step.

Orderings and scopes permit more in compiled code; here all are as strong as can be.
"""

from __future__ import annotations

from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp
from spmd.reference.compiler import HELPERS, Body, meaning, rounded
from spmd.reference.facts import OPAQUE_TO_POISON
from spmd.reference.meanings.memref import (
    cell_scalar,
    check_bounds,
    loaded,
    memref_type,
    position_text,
    stored,
)
from spmd.reference.scalars import Scalar

OPAQUE_TO_POISON.update({AtomicRmwOp, AtomicCasOp})
HELPERS["min"] = min
HELPERS["max"] = max


def update_text(kind: str, scalar: Scalar, old: str, value: str) -> str:
    """The new contents of the cell."""
    if kind == "exchange":
        return value
    if kind in ("add", "sub"):
        text = f"({old} {'+' if kind == 'add' else '-'} {value})"
        if scalar.is_float:
            return rounded(text, scalar)
        return f"{text} & {scalar.mask}"
    if kind in ("min", "max"):
        if scalar.is_float:
            return f"{kind}imumf({old}, {value})"
        symbol = "<" if kind == "min" else ">"
        flip = f"^ {scalar.sign}"
        return f"({old} if {old} {flip} {symbol} {value} {flip} else {value})"
    if kind in ("minui", "maxui"):
        return f"{kind[:3]}({old}, {value})"
    return f"{old} {['&', '|', '^'][['and', 'or', 'xor'].index(kind)]} {value}"


@meaning(AtomicRmwOp)
def _atomic_rmw(body: Body, op: AtomicRmwOp) -> None:
    type_ = memref_type(op.memref, op)
    scalar = cell_scalar(type_, op)
    body.require([op.value, *op.indices], op, "operand of an atomic")
    target, indices = body.use(op.memref), body.uses(op.indices)
    check_bounds(body, op, target, type_, indices)
    cell = f"{target}.data[{position_text(target, type_, indices)}]"
    body.let(op.old, loaded(scalar, cell))
    new = update_text(op.kind.data.value, scalar, body.use(op.old), body.use(op.value))
    body.line(f"{cell} = {stored(body, scalar, new, False)}")


@meaning(AtomicCasOp)
def _atomic_cas(body: Body, op: AtomicCasOp) -> None:
    type_ = memref_type(op.memref, op)
    scalar = cell_scalar(type_, op)
    body.require([op.expected, op.new, *op.indices], op, "operand of an atomic")
    target, indices = body.use(op.memref), body.uses(op.indices)
    check_bounds(body, op, target, type_, indices)
    cell = f"{target}.data[{position_text(target, type_, indices)}]"
    body.let(op.old, loaded(scalar, cell))
    body.let(op.won, f"{body.use(op.old)} == {body.use(op.expected)}")
    new = stored(body, scalar, body.use(op.new), False)
    body.line(f"if {body.use(op.won)}: {cell} = {new}")
