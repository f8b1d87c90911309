"""The meaning of `ub.poison`: a value that nothing may depend on."""

from __future__ import annotations

from xdsl.dialects import ub

from spmd.reference.compiler import Body, meaning
from spmd.reference.facts import poison_source
from spmd.reference.semantics.upstream.arith import poison_of


@poison_source(ub.PoisonOp)
def _is_undefined(op: ub.PoisonOp) -> bool:
    return True


@meaning(ub.PoisonOp)
def _poison(body: Body, op: ub.PoisonOp) -> None:
    body.names[op.result] = f"({poison_of(op.result.type)})"
