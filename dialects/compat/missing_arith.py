"""`arith.index_castui` and `arith.remf`, which xDSL 0.74 lacks, as upstream has them."""

from __future__ import annotations

from xdsl.dialects.arith import Arith, FloatingPointLikeBinaryOperation
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self, have_compatible_shape

from spmd.dialects.compat import add_missing
from spmd.dialects.interfaces.computation import Elementwise

_INTEGERS = base(IntegerType) | base(IndexType) | base(VectorType)


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """
    `arith.index_castui`: an integer as `index`, or the reverse, without its sign.

    A narrower type is extended by zeros, a wider one cut off. Vectors are cast lane by lane.
    """

    name = "arith.index_castui"

    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)

    traits = traits_def(Pure(), Elementwise(unsigned=True))

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, value: SSAValue | Operation, type_: Attribute):
        super().__init__(operands=[value], result_types=[type_])

    def verify_(self) -> None:
        types = self.input.type, self.result.type
        elements = [get_element_type_or_self(type_) for type_ in types]
        if not have_compatible_shape(*types):
            raise VerifyException(f"expected one shape, got {types[0]} and {types[1]}")
        if sum(isinstance(element, IndexType) for element in elements) != 1 or any(
            not isinstance(element, IndexType | IntegerType) for element in elements
        ):
            raise VerifyException(
                f"expected an integer and index, got {types[0]} and {types[1]}"
            )


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """`arith.remf`: what a division leaves, with the sign of the dividend, as C's `fmod`."""

    name = "arith.remf"

    traits = traits_def(Pure(), Elementwise())


def repair() -> None:
    """Add the ops to xDSL's `arith` dialect."""
    add_missing(
        Arith,
        (
            IndexCastUIOp,
            RemFOp,
        ),
    )
