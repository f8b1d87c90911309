"""
Collectives on one bit per work-item.

A lane that is not there has no vote, and is never elected.

Errors: an op outside of a kernel or function. `across work_group` the rule of barriers holds
(`check-barriers`).
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.arith import ConstantOp, ExtUIOp
from xdsl.dialects.builtin import BoolAttr, i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)

from spmd.dialects.spmd.collective import CollectiveOp
from spmd.dialects.spmd.types import Scope, ScopeAttr


class VoteOp(CollectiveOp, ABC):
    """Base of `any` and `all`."""

    predicate = operand_def(i1)
    scope = prop_def(ScopeAttr)
    result = result_def(i1)

    assembly_format = "$predicate `across` custom<Keyword>($scope) attr-dict"

    def __init__(
        self, predicate: SSAValue | Operation, scope: Scope | str = Scope.SUB_GROUP
    ):
        super().__init__(
            operands=[predicate],
            properties={"scope": ScopeAttr(Scope(scope))},
            result_types=[i1],
        )

    def gives_common_value(self) -> bool:
        return True

    def result_alone(self) -> Operation | SSAValue:
        return self.predicate


@irdl_op_definition
class AnyOp(VoteOp):
    """
    Whether the predicate is true in at least one work-item.

    | name        | kind      | type                        | meaning                   |
    | ----------- | --------- | --------------------------- | ------------------------- |
    | `predicate` | operand   | `i1`                        | this work-item's vote     |
    | `scope`     | attribute | `work_group` or `sub_group` | who takes part            |
    | `result`    | result    | `i1`                        | the same in all that take part |

    ```mlir
    spmd.kernel @some_negative(%x: memref<?xf32>, %flags: memref<?xi1>) {
      %zero = arith.constant 0.0 : f32
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %negative = arith.cmpf olt, %v, %zero : f32
      %some = spmd.any %negative across sub_group
      memref.store %some, %flags[%i] : memref<?xi1>
      spmd.return
    }
    // run: global_size = 4, group_size = 4, sub_group_size = 2, x = [1, -1, 2, 3], flags = [False, False, False, False]
    // gives: flags = [True, True, False, False]
    ```
    """

    name = "spmd.any"


@irdl_op_definition
class AllOp(VoteOp):
    """
    Whether the predicate is true in every work-item.

    | name        | kind      | type                        | meaning                   |
    | ----------- | --------- | --------------------------- | ------------------------- |
    | `predicate` | operand   | `i1`                        | this work-item's vote     |
    | `scope`     | attribute | `work_group` or `sub_group` | who takes part            |
    | `result`    | result    | `i1`                        | the same in all that take part |

    ```mlir
    spmd.kernel @converged(%error: memref<?xf32>, %bound: f32, %done: memref<?xi1>) {
      %i = spmd.global_id x
      %g = spmd.group_id x
      %e = memref.load %error[%i] : memref<?xf32>
      %small = arith.cmpf olt, %e, %bound : f32
      %all_small = spmd.all %small across work_group
      memref.store %all_small, %done[%g] : memref<?xi1>
      spmd.return
    }
    // run: global_size = 4, group_size = 2, error = [0.1, 0.2, 0.3, 9.0], bound = 1.0, done = [False, False]
    // gives: done = [True, False]
    ```
    """

    name = "spmd.all"


@irdl_op_definition
class BallotOp(CollectiveOp):
    """
    The predicates of all lanes of the sub-group, one bit each.

    | name        | kind    | type  | meaning                                    |
    | ----------- | ------- | ----- | ------------------------------------------ |
    | `predicate` | operand | `i1`  | this lane's bit                            |
    | `result`    | result  | `i64` | bit i is the predicate of lane i; the same in all lanes |

    The bit of a lane that is not there is 0.

    ```mlir
    spmd.kernel @ballots(%x: memref<?xi32>, %out: memref<?xi64>) {
      %zero = arith.constant 0 : i32
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xi32>
      %keep = arith.cmpi ne, %v, %zero : i32
      %bits = spmd.ballot %keep : i64
      memref.store %bits, %out[%i] : memref<?xi64>
      spmd.return
    }
    // run: global_size = 4, group_size = 4, sub_group_size = 4, x = [1, 0, 0, 1], out = [0, 0, 0, 0]
    // gives: out = [9, 9, 9, 9]
    ```
    """

    name = "spmd.ballot"

    predicate = operand_def(i1)
    result = result_def(i64)

    assembly_format = "$predicate attr-dict `:` `i64`"

    def __init__(self, predicate: SSAValue | Operation):
        super().__init__(operands=[predicate], result_types=[i64])

    def result_alone(self) -> Operation | SSAValue:
        return ExtUIOp(self.predicate, i64)


@irdl_op_definition
class ElectOp(CollectiveOp):
    """
    True in one lane of the sub-group: the first of those that are here.

    | name     | kind   | type | meaning                            |
    | -------- | ------ | ---- | ---------------------------------- |
    | `result` | result | `i1` | true in the lane of smallest index |

    ```mlir
    spmd.kernel @count_sub_groups(%counter: memref<i32>) {
      %one = arith.constant 1 : i32
      %first = spmd.elect
      scf.if %first {
        %old = spmd.atomic_rmw add %one, %counter[] : memref<i32>
      }
      spmd.return
    }
    // run: global_size = 10, group_size = 10, sub_group_size = 4, counter = 0
    // gives: counter = 3
    ```
    """

    name = "spmd.elect"

    result = result_def(i1)

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[i1])

    def result_alone(self) -> Operation | SSAValue:
        return ConstantOp(BoolAttr.from_bool(True))
