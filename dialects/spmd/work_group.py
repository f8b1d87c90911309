"""What the work-items of a group share: local memory, and the barriers that order it."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.printer import Printer
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.spmd.collective import ConvergentOp
from spmd.dialects.spmd.ids import SeesGroup
from spmd.dialects.spmd.traits import (
    AllocatesResult,
    expect_inside_function,
)
from spmd.dialects.spmd.types import Scope, ScopeAttr, why_not_local_memory


@irdl_op_definition
class BarrierOp(ConvergentOp):
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

    def __init__(self, scope: Scope | str = Scope.WORK_GROUP):
        super().__init__(properties={"scope": ScopeAttr(Scope(scope))})

    def canonicalize(self, rewriter: PatternRewriter) -> None:
        """
        A barrier among one work-item goes, and one that another makes redundant.

        ```mlir
        // before
        spmd.barrier sub_group
        %c = arith.addi %a, %b : i32
        spmd.barrier
        spmd.barrier

        // after
        %c = arith.addi %a, %b : i32
        spmd.barrier
        ```
        """
        if self.is_alone():
            rewriter.erase(self)
            return
        after = self.next_op
        while after is not None and is_side_effect_free(after):
            after = after.next_op
        if not isinstance(after, BarrierOp):
            return
        if self.scope.data is Scope.SUB_GROUP or after.scope.data is Scope.WORK_GROUP:
            rewriter.erase(self)
        else:
            rewriter.erase(after)

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        written = (scope for scope in Scope if parser.parse_optional_keyword(scope))
        op = cls(next(written, Scope.WORK_GROUP))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        if self.scope.data is Scope.SUB_GROUP:
            printer.print_string(" sub_group")
        printer.print_op_attributes(self.attributes)


def is_group_barrier(op: Operation) -> bool:
    """Whether `op` is a barrier of the work-group."""
    return isinstance(op, BarrierOp) and op.scope.data is Scope.WORK_GROUP


@irdl_op_definition
class LocalAllocOp(IRDLOperation):
    """
    One piece of local memory, shared by the work-group.

    | name     | kind   | type                               | meaning     |
    | -------- | ------ | ---------------------------------- | ----------- |
    | `memref` | result | memref in `#spmd.memory<local>` of static shape and identity layout | the storage |

    There is one storage per work-group and per op (after inlining: per call site); in a
    loop it is the same storage each time. Its contents are undefined at the start of the
    group. Which work-items reach the op does not matter.

    Errors: another memory space, a `?` size, a layout, elements that are no scalar of
    the language, more than 1048576 bytes; an op outside of a kernel or function.

    ```mlir
    // Swaps neighbours.
    spmd.kernel @swap(%x: memref<?xi32>) attributes {work_group_size = array<i64: 2>, spmd.full_groups} {
      %c1 = arith.constant 1 : index
      %pair = spmd.local_alloc : memref<2xi32, #spmd.memory<local>>
      %i = spmd.global_id x
      %l = spmd.local_id x
      %v = memref.load %x[%i] : memref<?xi32>
      memref.store %v, %pair[%l] : memref<2xi32, #spmd.memory<local>>
      spmd.barrier
      %other = arith.xori %l, %c1 : index
      %w = memref.load %pair[%other] : memref<2xi32, #spmd.memory<local>>
      memref.store %w, %x[%i] : memref<?xi32>
      spmd.return
    }
    // run: global_size = 4, x = [1, 2, 3, 4]
    // gives: x = [2, 1, 4, 3]
    ```
    """

    name = "spmd.local_alloc"

    memref = result_def(MemRefType)

    traits = traits_def(AllocatesResult(), SeesGroup())

    assembly_format = "attr-dict `:` type($memref)"

    def __init__(self, memref: MemRefType[Attribute]):
        super().__init__(result_types=[memref])

    def verify_(self) -> None:
        if (reason := why_not_local_memory(self.memref.type)) is not None:
            raise VerifyException(reason)
        expect_inside_function(self)
