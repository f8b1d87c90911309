"""
The meaning of atomics: work-items take turns between ops, so each op is one step.

Orderings and scopes permit more in compiled code; here all are as strong as can be.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp
from spmd.reference.compiler import Body, as_tuple, meaning
from spmd.reference.facts import OPAQUE_TO_POISON
from spmd.reference.scalars import Scalar
from spmd.reference.semantics.expressions import combined
from spmd.reference.semantics.upstream.memref import (
    checked_position,
    element_in_memory,
    loaded,
    memref_type,
    stored,
)

OPAQUE_TO_POISON.update({AtomicRmwOp, AtomicCasOp})


@contextmanager
def _element(
    body: Body, op: AtomicRmwOp | AtomicCasOp, scalar: Scalar, *results: str
) -> Generator[tuple[str, str]]:
    """The memory and the position in it, if it exists; else all results are zero."""
    type_ = memref_type(op.memref, op)
    body.require([*op.operands[: -1 - len(op.indices)], *op.indices], op, "operand")
    target, indices = body.use(op.memref), body.uses(op.indices)
    position = body.fresh("at")
    if not body.checked:
        at = checked_position(body, op, target, type_, indices)
        body.line(f"{position} = {at}")
        yield target, position
        return
    arguments = f"w, {target}, {as_tuple(indices)}, {body.site(op)}"
    body.line(f"{position} = check.position({arguments})")
    with body.suite(f"if {position} < 0"):
        body.line(f"{' = '.join(results)} = {'0.0' if scalar.is_float else '0'}")
    with body.suite("else"):
        yield target, position


def _tell(
    body: Body, op: AtomicRmwOp | AtomicCasOp, target: str, at: str, value: str
) -> str:
    """Tells the checker of an access that replaces the contents."""
    words = f"{op.scope.data.value!r}, {op.ordering.data.value!r}"
    return f"check.atomic(w, {target}, {at}, {value}, {body.site(op)}, {words})"


@meaning(AtomicRmwOp)
def _atomic_rmw(body: Body, op: AtomicRmwOp) -> None:
    scalar = element_in_memory(memref_type(op.memref, op), op)
    old = body.new(op.old)
    with _element(body, op, scalar, old) as (target, at):
        body.line(f"{old} = {loaded(scalar, f'{target}.data[{at}]')}")
        new = combined(op.kind.data.value, scalar, old, body.use(op.value))
        value = body.fresh("new")
        body.line(f"{value} = {stored(scalar, new)}")
        if body.checked:
            body.line(_tell(body, op, target, at, value))
        body.line(f"{target}.data[{at}] = {value}")


@meaning(AtomicCasOp)
def _atomic_cas(body: Body, op: AtomicCasOp) -> None:
    scalar = element_in_memory(memref_type(op.memref, op), op)
    old, won = body.new(op.old), body.new(op.won)
    with _element(body, op, scalar, old, won) as (target, at):
        body.line(f"{old} = {loaded(scalar, f'{target}.data[{at}]')}")
        body.line(f"{won} = {old} == {body.use(op.expected)}")
        new = stored(scalar, body.use(op.new))
        with body.suite(f"if {won}"):
            if body.checked:
                body.line(_tell(body, op, target, at, new))
            body.line(f"{target}.data[{at}] = {new}")
        if body.checked:
            # A failed exchange only reads.
            scope = op.scope.data.value
            read = f"check.read(w, {target}, {at}, {body.site(op)}, {scope!r})"
            body.line(f"else: {read}")
