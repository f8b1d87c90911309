"""The meaning of ops that end a launch."""

from __future__ import annotations

from spmd.dialects.messages import formatted
from spmd.dialects.spmd import FailOp, PollOp
from spmd.reference.compiler import Body, helper, meaning
from spmd.reference.semantics.expressions import element


@helper
def message_with(message: str, *values: int) -> str:
    return formatted(message, values)


@meaning(FailOp)
def _fail(body: Body, op: FailOp) -> None:
    body.require(list(op.values), op, "value in a message")
    values: list[str] = []
    for value in op.values:
        bits = element(value.type, op).bits
        text = body.use(value)
        values.append(text if bits == 1 else f"signed({text}, {bits})")
    text = f"message_with({', '.join([repr(op.message.data), *values])})"
    body.line(f"trap({body.site(op)}, {text})")


@meaning(PollOp)
def _poll(body: Body, op: PollOp) -> None:
    """Nothing: nobody ends the runs of the interpreter but by an exception."""
