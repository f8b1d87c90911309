"""The meaning of ops that tell something, or end a launch."""

from __future__ import annotations

import numpy as np

from spmd.dialects.messages import formatted
from spmd.dialects.spmd import FailOp, PollOp, PrintOp
from spmd.dialects.spmd.messages import MessageOp
from spmd.reference.compiler import Body, helper, meaning
from spmd.reference.semantics.expressions import element


@helper
def message_with(message: str, *values: object) -> str:
    return formatted(message, values)


@helper
def show(message: str, *values: object) -> None:
    print(formatted(message, values), end="")


@helper
def narrow_float(name: str, value: float) -> object:
    """A number that is written with as many digits as its type has."""
    return {"f16": np.float16}.get(name, np.float32)(value)


def _arguments(body: Body, op: MessageOp) -> str:
    """The message and the values as Python has them."""
    body.require(list(op.values), op, "value in a message")
    values: list[str] = []
    for place, value in zip(op.places(), op.values, strict=True):
        scalar, text = element(value.type, op), body.use(value)
        if scalar.is_float:
            is_wide = scalar.name == "f64"
            text = text if is_wide else f"narrow_float({scalar.name!r}, {text})"
        elif scalar.bits > 1 and not place.unsigned:
            text = f"signed({text}, {scalar.bits})"
        values.append(text)
    return ", ".join([repr(op.message.data), *values])


@meaning(FailOp)
def _fail(body: Body, op: FailOp) -> None:
    body.line(f"trap({body.site(op)}, message_with({_arguments(body, op)}))")


@meaning(PrintOp)
def _print(body: Body, op: PrintOp) -> None:
    body.line(f"show({_arguments(body, op)})")


@meaning(PollOp)
def _poll(body: Body, op: PollOp) -> None:
    """Nothing: nobody ends the runs of the interpreter but by an exception."""
