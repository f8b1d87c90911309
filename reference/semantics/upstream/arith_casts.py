"""The meaning of the casts of `arith`."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects import arith

from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import HELPERS, Body, element, elementwise, helper, meaning
from spmd.reference.facts import poison_source
from spmd.reference.scalars import FROM_BITS, TO_BITS, integer_to_float

HELPERS["integer_to_float"] = integer_to_float
for _name, _function in TO_BITS.items():
    HELPERS[f"{_name}_bits"] = _function
for _name, _function in FROM_BITS.items():
    HELPERS[f"{_name}_of_bits"] = _function


@meaning(arith.ExtUIOp)
def _zero_extend(body: Body, op: arith.ExtUIOp) -> None:
    elementwise(body, op, op.operands, lambda a: f"+{a}")


@meaning(arith.TruncIOp)
def _truncate(body: Body, op: arith.TruncIOp) -> None:
    mask = element(op.result.type, op).mask
    elementwise(body, op, op.operands, lambda a: f"{a} & {mask}")


@meaning(arith.ExtSIOp, arith.IndexCastOp)
def _sign_extend(body: Body, op: arith.ExtSIOp | arith.IndexCastOp) -> None:
    sign = element(op.input.type, op).sign
    mask = element(op.result.type, op).mask
    elementwise(body, op, op.operands, lambda a: f"(({a} ^ {sign}) - {sign}) & {mask}")


@meaning(arith.SIToFPOp, arith.UIToFPOp)
def _integer_to_float(body: Body, op: arith.SIToFPOp | arith.UIToFPOp) -> None:
    source = element(op.input.type, op)
    target = element(op.result.type, op)

    def text(a: str) -> str:
        number = f"signed({a}, {source.bits})" if isinstance(op, arith.SIToFPOp) else a
        if source.bits <= 53:
            return f"float({number})"
        if target.name == "f64":
            return f"float({number})"
        return f"integer_to_float({number})"

    elementwise(body, op, op.operands, text, rounding=target)


@poison_source(arith.FPToSIOp, arith.FPToUIOp)
def _may_not_fit(op: arith.FPToSIOp | arith.FPToUIOp) -> bool:
    return True


@helper
def float_to_integer(value: float, low: int, high: int) -> int | None:
    """Rounded towards zero; `None` if the result is not in `low..high`."""
    if not math.isfinite(value):
        return None
    number = math.trunc(value)
    return number if low <= number <= high else None


@meaning(arith.FPToSIOp, arith.FPToUIOp)
def _float_to_integer(body: Body, op: arith.FPToSIOp | arith.FPToUIOp) -> None:
    target = element(op.result.type, op)
    if isinstance(op, arith.FPToSIOp):
        low, high = -target.sign, target.sign - 1
    else:
        low, high = 0, target.mask

    def text(a: str) -> str:
        temporary = body.fresh("t")
        fits = f"({temporary} := float_to_integer({a}, {low}, {high})) is not None"
        undefined = body.undefined(op, f"a float that does not fit {target.name}")
        return f"({temporary} & {target.mask} if {fits} else {undefined})"

    elementwise(body, op, op.operands, text)


@meaning(arith.ExtFOp)
def _extend(body: Body, op: arith.ExtFOp) -> None:
    elementwise(body, op, op.operands, lambda a: f"+{a}")


@meaning(arith.TruncFOp)
def _round(body: Body, op: arith.TruncFOp) -> None:
    scalar = element(op.result.type, op)
    elementwise(body, op, op.operands, lambda a: f"+{a}", rounding=scalar)


@meaning(arith.BitcastOp)
def _bitcast(body: Body, op: arith.BitcastOp) -> None:
    source = element(op.input.type, op)
    target = element(op.result.type, op)
    if source.bits != target.bits:
        fail(op, f"expected types of the same width, got {source.name}, {target.name}")

    def text(a: str) -> Any:
        bits = f"{source.name}_bits({a})" if source.is_float else f"+{a}"
        return f"{target.name}_of_bits({bits})" if target.is_float else bits

    elementwise(body, op, op.operands, text)
