"""What collectives and shuffles have in common: a scalar goes in, one of its type comes out."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.spmd.placement import expect_inside_function
from spmd.dialects.spmd.traits import STAYS_IN_PLACE, Canonicalizes
from spmd.dialects.spmd.types import why_not_scalar


class ScalarOp(IRDLOperation, ABC):
    """
    Base of the ops that exchange one scalar between work-items.

    The scalar is the first operand, `value = operand_def(ScalarOp.T)`: xDSL would put one
    that is declared here behind the others.
    """

    T: ClassVar = VarConstraint("T", AnyAttr())

    result = result_def(T)

    traits = traits_def(*STAYS_IN_PLACE, Canonicalizes())

    def why_not_value(self) -> str | None:
        """Why the op cannot take a value of this type."""
        return why_not_scalar(self.operands[0].type)

    def verify_(self) -> None:
        if (reason := self.why_not_value()) is not None:
            raise VerifyException(reason)
        expect_inside_function(self)

    def print_end(self, printer: Printer) -> None:
        """Attributes and the type of the value, which end the custom syntax."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)


def parse_end(
    parser: Parser, name: UnresolvedOperand
) -> tuple[SSAValue, dict[str, Attribute]]:
    """The value of this name, whose type stands here, and the attributes before it."""
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return parser.resolve_operand(name, parser.parse_type()), attributes
