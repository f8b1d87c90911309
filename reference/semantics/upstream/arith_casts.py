"""The meaning of the casts of `arith`."""

from __future__ import annotations

import math

from xdsl.dialects import arith

from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import HELPERS, Body, helper, meaning
from spmd.reference.facts import poison_source
from spmd.reference.scalars import (
    FROM_BITS,
    POISON,
    TO_BITS,
    Poison,
    integer_to_float,
)
from spmd.reference.semantics.expressions import element, elementwise, expressions

HELPERS["integer_to_float"] = integer_to_float
for _name, _function in TO_BITS.items():
    HELPERS[f"{_name}_bits"] = _function
for _name, _function in FROM_BITS.items():
    HELPERS[f"{_name}_of_bits"] = _function


SIGN_EXTENDED = "(({0} ^ {s.sign}) - {s.sign}) & {t.mask}"

expressions(
    {
        arith.ExtUIOp: "+{0}",
        arith.TruncIOp: "{0} & {t.mask}",
        arith.ExtSIOp: SIGN_EXTENDED,
        arith.IndexCastOp: SIGN_EXTENDED,
        IndexCastUIOp: "{0} & {t.mask}",
        arith.ExtFOp: "+{0}",
    }
)
expressions({arith.TruncFOp: "+{0}"}, rounds=True)


@meaning(arith.SIToFPOp, arith.UIToFPOp)
def _integer_to_float(body: Body, op: arith.SIToFPOp | arith.UIToFPOp) -> None:
    number = "signed({0}, {s.bits})" if isinstance(op, arith.SIToFPOp) else "{0}"
    source = element(op.input.type, op)
    is_exact = source.bits <= 53 or element(op.result.type, op).name == "f64"
    convert = "float" if is_exact else "integer_to_float"
    elementwise(body, op, f"{convert}({number})", rounds=True)


poison_source(arith.FPToSIOp, arith.FPToUIOp)(lambda _: True)


@helper
def float_to_integer(value: float, low: int, mask: int) -> int | Poison:
    """Rounded towards zero; undefined if the result is not in `low..low + mask`."""
    if not math.isfinite(value):
        return POISON
    number = math.trunc(value)
    return number & mask if low <= number <= low + mask else POISON


@meaning(arith.FPToSIOp, arith.FPToUIOp)
def _float_to_integer(body: Body, op: arith.FPToSIOp | arith.FPToUIOp) -> None:
    target = element(op.result.type, op)
    low = -target.sign if isinstance(op, arith.FPToSIOp) else 0
    text = f"float_to_integer({{0}}, {low}, {{t.mask}})"
    why = f"a float that does not fit {target.name}"
    elementwise(body, op, body.defined(op, text, why))


@meaning(arith.BitcastOp)
def _bitcast(body: Body, op: arith.BitcastOp) -> None:
    source = element(op.input.type, op)
    target = element(op.result.type, op)
    if source.bits != target.bits:
        fail(op, f"expected types of the same width, got {source.name}, {target.name}")
    bits = "{s.name}_bits({0})" if source.is_float else "+{0}"
    elementwise(body, op, f"{{t.name}}_of_bits({bits})" if target.is_float else bits)
