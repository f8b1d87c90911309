"""What named ops of `linalg` compute of the elements that one iteration has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.compat.missing_arith import IndexCastUIOp

Body = Callable[[Sequence[SSAValue], SSAValue], SSAValue]
"""From elements of the inputs, and that of the output, to what the output becomes."""

_Binary = Callable[[SSAValue, SSAValue], Operation]


def elementwise(compute: Callable[..., Operation]) -> Body:
    """What `compute` makes of the inputs; they have the type of the output."""
    return lambda inputs, _: compute(*inputs).results[0]


def by_type(floats: _Binary, integers: _Binary) -> _Binary:
    """One op for floats, and one for all else."""

    def compute(x: SSAValue, y: SSAValue) -> Operation:
        return (floats if isinstance(x.type, AnyFloat) else integers)(x, y)

    return compute


def square(x: SSAValue) -> Operation:
    """The product of `x` with itself."""
    return arith.MulfOp(x, x)


def reciprocal(x: SSAValue) -> Operation:
    """One by `x`."""
    type_ = x.type
    if not isinstance(type_, AnyFloat):
        raise VerifyException(f"expected the reciprocal of floats, got {type_}")
    return arith.DivfOp(arith.ConstantOp(FloatAttr(1.0, type_)), x)


def copy(inputs: Sequence[SSAValue], output: SSAValue) -> SSAValue:
    """The input, in the type of the output."""
    return _cast(inputs[0], output.type)


_add = by_type(arith.AddfOp, arith.AddiOp)
_multiply = by_type(arith.MulfOp, arith.MuliOp)


def sum_of_products(inputs: Sequence[SSAValue], output: SSAValue) -> SSAValue:
    """The product of two inputs, in the type of the output, is added to it."""
    x, y = (_cast(each, output.type) for each in inputs)
    return _add(output, _multiply(x, y).results[0]).results[0]


def pool(combine: _Binary, *, signed: bool = True) -> Body:
    """
    The first input is combined with the output, in the type of this.

    The second one has the sizes of the window, and no elements that anybody reads.
    """
    return lambda inputs, output: combine(
        output, _cast(inputs[0], output.type, signed=signed)
    ).results[0]


POOLINGS = {
    "sum": pool(_add),
    "max": pool(by_type(arith.MaximumfOp, arith.MaxSIOp)),
    "min": pool(by_type(arith.MinimumfOp, arith.MinSIOp)),
    "max_unsigned": pool(by_type(arith.MaximumfOp, arith.MaxUIOp), signed=False),
    "min_unsigned": pool(by_type(arith.MinimumfOp, arith.MinUIOp), signed=False),
}

ELEMENTWISE = {
    "abs": math.AbsFOp,
    "ceil": math.CeilOp,
    "erf": math.ErfOp,
    "floor": math.FloorOp,
    "negf": arith.NegfOp,
    "reciprocal": reciprocal,
    "round": math.RoundOp,
    "rsqrt": math.RsqrtOp,
    "square": square,
    "tanh": math.TanhOp,
    "div": by_type(arith.DivfOp, arith.DivSIOp),
    "div_unsigned": arith.DivUIOp,
    "powf": math.PowFOp,
}


def _cast(value: SSAValue, type_: Attribute, *, signed: bool = True) -> SSAValue:
    """`value` as a number of another type, as upstream casts what named ops combine."""
    if value.type == type_:
        return value
    cast = _cast_op(value.type, type_, signed)
    return cast.create(operands=[value], result_types=[type_]).results[0]


def _cast_op(source: Attribute, target: Attribute, signed: bool) -> type[Operation]:
    if isinstance(target, AnyFloat):
        if isinstance(source, AnyFloat):
            wider = target.bitwidth > source.bitwidth
            return arith.ExtFOp if wider else arith.TruncFOp
        return arith.SIToFPOp if signed else arith.UIToFPOp
    if isinstance(source, AnyFloat):
        return arith.FPToSIOp if signed else arith.FPToUIOp
    if isinstance(source, IntegerType) and isinstance(target, IntegerType):
        if target.bitwidth < source.bitwidth:
            return arith.TruncIOp
        return arith.ExtSIOp if signed else arith.ExtUIOp
    return arith.IndexCastOp if signed else IndexCastUIOp
