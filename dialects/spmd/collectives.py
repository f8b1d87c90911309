"""Operations that work-items of a work-group or a sub-group do together."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from spmd.dialects.spmd.attributes import Scope, ScopeAttr
from spmd.dialects.spmd.effects import STAYS_IN_PLACE


class VoteOp(IRDLOperation, ABC):
    """Base of `any` and `all`."""

    predicate = operand_def(i1)
    scope = prop_def(ScopeAttr)
    result = result_def(i1)

    traits = traits_def(*STAYS_IN_PLACE)

    def __init__(
        self, predicate: SSAValue | Operation, scope: Scope | str = Scope.SUB_GROUP
    ):
        super().__init__(
            operands=[predicate],
            properties={"scope": ScopeAttr(Scope(scope))},
            result_types=[i1],
        )

    @classmethod
    def parse(cls, parser: Parser):
        predicate = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        parser.parse_keyword("across")
        op = cls(predicate, parser.parse_str_enum(Scope))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.predicate)
        printer.print_string(f" across {self.scope.data.value}")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class AnyOp(VoteOp):
    name = "spmd.any"


@irdl_op_definition
class AllOp(VoteOp):
    name = "spmd.all"
