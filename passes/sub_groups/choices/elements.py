"""How wide elements are in registers."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue

from spmd.analysis.ranges.remainders import leaves_digits
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.speculation import IntegerDivision


def element_bits(type_: Attribute) -> int:
    """How many bits a value of a scalar type has in a vector register."""
    match type_:
        case IntegerType():
            return type_.width.data
        case Float16Type() | BFloat16Type():
            return 16
        case Float32Type():
            return 32
        case Float64Type() | IndexType():
            return 64
        case VectorType():
            return element_bits(type_.get_element_type())
        case _:
            return 0


def widest_element(body: Region) -> int:
    """
    The bits of the widest element that `body` computes with, but of 32 at least.

    Positions do not count: ids, and `i64` made of them, mostly become numbers of 32 bits.
    """
    positions, widest = set[SSAValue](), 32
    for op in body.walk():
        if _is_step(op) and any(
            isinstance(each.type, IndexType) or each in positions
            for each in op.operands
        ):
            positions.update(op.results)
        elif not isinstance(op, arith.ConstantOp):
            types = (each.type for each in op.results)
            numbers = (each for each in types if not isinstance(each, IndexType))
            widest = max((widest, *map(element_bits, numbers)))
    return widest


def _is_step(op: Operation) -> bool:
    """
    Whether `op` makes a step from a position, or chooses one; multiples may be of any size.

    Rows and columns of ids are mostly those of the first lane (`version-rows`).
    """
    if isinstance(op, arith.MuliOp | arith.ShLIOp):
        return False
    if IntegerDivision.of(op) is not None:
        return not leaves_digits(op.operands[1])
    if isinstance(op, arith.XOrIOp | arith.SelectOp):
        return True  # Remainders are rounded down where signs differ.
    each = Elementwise.of(op)
    return each is not None and (each.affine or each.compares)
