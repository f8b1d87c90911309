"""A dialect as another project has it, which says what its ops are by interfaces."""

from typing import Any

from xdsl.dialects.builtin import AnyFloatConstr, IndexType, MemRefType, VectorType
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.universe import Universe

from spmd.interfaces import (
    Cost,
    CostClass,
    Elementwise,
    Emission,
    Meaning,
    MemoryHint,
    computed,
    describe,
)

NUMBERS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)


def write_square(writer: Any, op: Any) -> None:
    x = writer.get(op.x)
    writer.define(op.r, f"fmul {writer.type_of(op.x)} {x}, {x}")


def squared(x: float) -> float:
    return x * x


def halved(x: float) -> float:
    return x / 2


@irdl_op_definition
class SquareOp(IRDLOperation):
    """Carries its interfaces."""

    name = "shop.square"
    x = operand_def(NUMBERS)
    r = result_def(NUMBERS)
    assembly_format = "$x attr-dict `:` type($x) `->` type($r)"
    traits = traits_def(
        Pure(),
        Elementwise(),
        Emission(write_square),
        Meaning(computed(squared)),
        Cost(CostClass.SIMPLE),
    )


@irdl_op_definition
class HalfOp(IRDLOperation):
    """Gets its interfaces from outside."""

    name = "shop.half"
    x = operand_def(NUMBERS)
    r = result_def(NUMBERS)
    assembly_format = "$x attr-dict `:` type($x) `->` type($r)"
    traits = traits_def(Pure())


def write_half(writer: Any, op: Any) -> None:
    type_ = writer.type_of(op.x)
    minus = writer.temp(f"fsub {type_} {writer.get(op.x)}, {writer.get(op.x)}")
    quarter = writer.temp(f"fadd {type_} {minus}, {writer.get(op.x)}")
    half = "0.5" if not type_.startswith("<") else "splat (float 0.5)"
    writer.define(op.r, f"fmul {type_} {quarter}, {half}")


describe(
    HalfOp,
    Elementwise(),
    Emission(write_half),
    Meaning(computed(halved)),
)


@irdl_op_definition
class SoonOp(IRDLOperation):
    """Accesses memory, or rather will."""

    name = "shop.soon"
    memory = operand_def(MemRefType)
    index = operand_def(IndexType)
    assembly_format = "$memory `[` $index `]` attr-dict `:` type($memory)"
    traits = traits_def(
        MemoryReadEffect(), MemoryHint(), Emission(lambda writer, op: None)
    )


@irdl_op_definition
class SecretOp(IRDLOperation):
    """Says nothing of itself."""

    name = "shop.secret"
    x = operand_def(NUMBERS)
    r = result_def(NUMBERS)
    assembly_format = "$x attr-dict `:` type($x) `->` type($r)"


SHOP = Dialect("shop", [SquareOp, HalfOp, SoonOp, SecretOp])

SHOP_UNIVERSE = Universe(all_dialects={"shop": lambda: SHOP})
