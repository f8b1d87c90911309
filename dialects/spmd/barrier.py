"""Barriers."""

from __future__ import annotations

from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from spmd.dialects.spmd.attributes import Scope, ScopeAttr
from spmd.dialects.spmd.placement import expect_inside_function
from spmd.dialects.spmd.traits import STAYS_IN_PLACE, Canonicalizes


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """
    No work-item goes on before all of its group, or of its sub-group, are here.

    | name    | kind      | type                        | meaning                       |
    | ------- | --------- | --------------------------- | ----------------------------- |
    | `scope` | attribute | `work_group` or `sub_group` | who waits for whom; `spmd.barrier` alone is `work_group` |

    What a work-item stored to local or global memory before the barrier is seen by the
    others of the scope after it.

    A work-group barrier is reached by all work-items of the group or by none, the same
    number of times, each time at the same op. A sub-group barrier concerns the lanes
    that reach it together; lanes that are elsewhere do not wait and are not waited for.

    Errors: an op outside of a kernel or function. A work-group barrier that a condition
    on the local id keeps from some work-items is rejected by the pass `check-barriers`.

    ```mlir
    // Reverses each group of four.
    spmd.kernel @reverse(%x: memref<?xi32>)
        attributes {work_group_size = array<i64: 4>, spmd.full_groups} {
      %c3 = arith.constant 3 : index
      %tile = spmd.local_alloc : memref<4xi32, #spmd.memory<local>>
      %i = spmd.global_id x
      %l = spmd.local_id x
      %v = memref.load %x[%i] : memref<?xi32>
      memref.store %v, %tile[%l] : memref<4xi32, #spmd.memory<local>>
      spmd.barrier
      %mirror = arith.subi %c3, %l : index
      %w = memref.load %tile[%mirror] : memref<4xi32, #spmd.memory<local>>
      memref.store %w, %x[%i] : memref<?xi32>
      spmd.return
    }
    // run: global_size = 8, x = [1, 2, 3, 4, 5, 6, 7, 8]
    // gives: x = [4, 3, 2, 1, 8, 7, 6, 5]
    ```
    """

    name = "spmd.barrier"

    scope = prop_def(ScopeAttr)

    traits = traits_def(*STAYS_IN_PLACE, Canonicalizes())

    def __init__(self, scope: Scope | str = Scope.WORK_GROUP):
        super().__init__(properties={"scope": ScopeAttr(Scope(scope))})

    def verify_(self) -> None:
        expect_inside_function(self)

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
