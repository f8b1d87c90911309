"""Barriers."""

from __future__ import annotations

from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from spmd.dialects.spmd.attributes import Scope, ScopeAttr
from spmd.dialects.spmd.effects import STAYS_IN_PLACE


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """No work-item goes on before all of its group (or sub-group) are here."""

    name = "spmd.barrier"

    scope = prop_def(ScopeAttr)

    # Reads and writes keep `cse`, `dce` and licm from moving memory across it.
    traits = traits_def(*STAYS_IN_PLACE)

    def __init__(self, scope: Scope | str = Scope.WORK_GROUP):
        super().__init__(properties={"scope": ScopeAttr(Scope(scope))})

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        sub_group = parser.parse_optional_keyword("sub_group") is not None
        op = cls(Scope.SUB_GROUP if sub_group else Scope.WORK_GROUP)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        if self.scope.data is Scope.SUB_GROUP:
            printer.print_string(" sub_group")
        printer.print_op_attributes(self.attributes)
