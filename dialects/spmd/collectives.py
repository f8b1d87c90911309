"""
Collectives on one value per work-item: reduce, scan, broadcast and shuffle.

A collective synchronises execution, not memory. `across work_group` it is reached by all
work-items of the group or by none; `across sub_group` it works on the lanes that reach it
together: the same op, on the same call path, in the same iteration of every loop around.

Errors: a value that is no scalar, or of a type that the kind does not allow; an op outside of
a kernel or function. `across work_group` the rule of barriers holds (`check-barriers`).
"""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, prop_def
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.assembly_format import BracketedKeyword
from spmd.dialects.spmd.collective import ScalarOp
from spmd.dialects.spmd.types import (
    Kind,
    KindAttr,
    Scope,
    ScopeAttr,
    neutral_element,
    why_not_kind,
)


class ScanMode(StrEnum):
    """Whether a work-item's own value takes part in what it gets from a scan."""

    INCLUSIVE = "inclusive"
    EXCLUSIVE = "exclusive"


@irdl_attr_definition
class ScanModeAttr(BracketedKeyword, EnumAttribute[ScanMode]):
    """`#spmd.scan_mode<inclusive>`; ops print the bare keyword."""

    name = "spmd.scan_mode"


@irdl_op_definition
class ReduceOp(ScalarOp):
    """
    Combines the values of all work-items into one.

    | name     | kind      | type                        | meaning                      |
    | -------- | --------- | --------------------------- | ---------------------------- |
    | `value`  | operand   | a scalar that the kind allows | this work-item's value     |
    | `kind`   | attribute | `add mul min max minui maxui and or xor` | how two values become one |
    | `scope`  | attribute | `work_group` or `sub_group` | who takes part               |
    | `result` | result    | type of `value`             | the same in all that take part |

    `add mul min max` take integers of 8 to 64 bits, `index` and floats (`min max` are
    signed, for floats NaN wins); `minui maxui` integers of 8 to 64 bits and `index`;
    `and or xor` integers with `i1`, and `index`. The order in which floats are combined
    is unspecified. A lane that is not there contributes nothing.

    ```mlir
    spmd.kernel @group_sum(%x: memref<?xf32>, %out: memref<?xf32>) {
      %i = spmd.global_id x
      %g = spmd.group_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %sum = spmd.reduce add %v across work_group : f32
      memref.store %sum, %out[%g] : memref<?xf32>
      spmd.return
    }
    // run: global_size = 5, group_size = 3, x = [1, 2, 3, 4, 5], out = [0, 0]
    // gives: out = [6, 9]
    ```
    """

    name = "spmd.reduce"

    value = operand_def(ScalarOp.T)
    kind = prop_def(KindAttr)
    scope = prop_def(ScopeAttr)

    assembly_format = (
        "custom<Keyword>($kind) $value `across` custom<Keyword>($scope) "
        "attr-dict `:` type($value)"
    )

    def __init__(
        self, kind: Kind | str, value: SSAValue | Operation, scope: Scope | str
    ):
        super().__init__(
            operands=[value],
            properties={
                "kind": KindAttr(Kind(kind)),
                "scope": ScopeAttr(Scope(scope)),
            },
            result_types=[SSAValue.get(value).type],
        )

    def gives_common_value(self) -> bool:
        return self.kind.data.is_idempotent

    def why_not_value(self) -> str | None:
        return why_not_kind(self.kind.data, self.value.type)


@irdl_op_definition
class ScanOp(ScalarOp):
    """
    Combines the values of all work-items up to this one.

    | name     | kind      | type                        | meaning                      |
    | -------- | --------- | --------------------------- | ---------------------------- |
    | `value`  | operand   | a scalar that the kind allows | this work-item's value     |
    | `mode`   | attribute | `inclusive` or `exclusive`  | with or without the own value |
    | `kind`   | attribute | as in `spmd.reduce`         | how two values become one    |
    | `scope`  | attribute | `work_group` or `sub_group` | who takes part               |
    | `result` | result    | type of `value`             | combined values of the work-items before this one (and its own) |

    Work-items are ordered by their linear local id, lanes by `spmd.lane_id`. The first
    work-item of an exclusive scan gets the neutral element of the kind: 0 for `add`, 1
    for `mul`, the largest value for `min minui`, the smallest for `max maxui` (infinities
    for floats), all ones for `and`, 0 for `or xor`. The order in which floats are
    combined is unspecified. A lane that is not there contributes nothing.

    ```mlir
    spmd.kernel @offsets(%sizes: memref<?xi32>, %offsets: memref<?xi32>) {
      %i = spmd.global_id x
      %size = memref.load %sizes[%i] : memref<?xi32>
      %offset = spmd.scan exclusive add %size across work_group : i32
      memref.store %offset, %offsets[%i] : memref<?xi32>
      spmd.return
    }
    // run: global_size = 5, group_size = 5, sizes = [3, 1, 4, 1, 5], offsets = [0, 0, 0, 0, 0]
    // gives: offsets = [0, 3, 4, 8, 9]
    ```
    """

    name = "spmd.scan"

    value = operand_def(ScalarOp.T)
    mode = prop_def(ScanModeAttr)
    kind = prop_def(KindAttr)
    scope = prop_def(ScopeAttr)

    assembly_format = (
        "custom<Keyword>($mode) custom<Keyword>($kind) $value `across` "
        "custom<Keyword>($scope) attr-dict `:` type($value)"
    )

    def __init__(
        self,
        mode: ScanMode | str,
        kind: Kind | str,
        value: SSAValue | Operation,
        scope: Scope | str,
    ):
        super().__init__(
            operands=[value],
            properties={
                "mode": ScanModeAttr(ScanMode(mode)),
                "kind": KindAttr(Kind(kind)),
                "scope": ScopeAttr(Scope(scope)),
            },
            result_types=[SSAValue.get(value).type],
        )

    def gives_common_value(self) -> bool:
        return self.kind.data.is_idempotent and self.mode.data is ScanMode.INCLUSIVE

    def result_alone(self) -> Operation | SSAValue:
        if self.mode.data is ScanMode.INCLUSIVE:
            return self.value
        return ConstantOp(neutral_element(self.kind.data, self.value.type))

    def why_not_value(self) -> str | None:
        return why_not_kind(self.kind.data, self.value.type)


@irdl_op_definition
class BroadcastOp(ScalarOp):
    """
    The value of one work-item, given to all.

    | name     | kind      | type                        | meaning                      |
    | -------- | --------- | --------------------------- | ---------------------------- |
    | `value`  | operand   | a scalar                    | this work-item's value       |
    | `source` | operand   | `index`                     | whose value: a lane, or `across work_group` a linear local id |
    | `scope`  | attribute | `work_group` or `sub_group` | who takes part               |
    | `result` | result    | type of `value`             | the same in all that take part |

    All that take part give the same `source`: different ones are undefined behaviour. The
    value of a work-item that is not there, or does not exist, is undefined.

    ```mlir
    spmd.kernel @relative(%x: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %first = spmd.broadcast %v from %c0 across work_group : f32
      %d = arith.subf %v, %first : f32
      memref.store %d, %x[%i] : memref<?xf32>
      spmd.return
    }
    // run: global_size = 4, group_size = 2, x = [5, 7, 10, 9]
    // gives: x = [0, 2, 0, -1]
    ```
    """

    name = "spmd.broadcast"

    value = operand_def(ScalarOp.T)
    source = operand_def(IndexType)
    scope = prop_def(ScopeAttr)

    assembly_format = (
        "$value `from` $source `across` custom<Keyword>($scope) attr-dict `:` "
        "type($value)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        source: SSAValue | Operation,
        scope: Scope | str,
    ):
        super().__init__(
            operands=[value, source],
            properties={"scope": ScopeAttr(Scope(scope))},
            result_types=[SSAValue.get(value).type],
        )

    def gives_common_value(self) -> bool:
        return True


class ShuffleMode(StrEnum):
    """How `spmd.shuffle` finds the lane to read from."""

    IDX = "idx"
    XOR = "xor"
    UP = "up"
    DOWN = "down"
    ROTATE = "rotate"


@irdl_attr_definition
class ShuffleModeAttr(BracketedKeyword, EnumAttribute[ShuffleMode]):
    """`#spmd.shuffle_mode<idx>`; ops print the bare keyword."""

    name = "spmd.shuffle_mode"


@irdl_op_definition
class ShuffleOp(ScalarOp):
    """
    The value of another lane of the sub-group, chosen by each lane for itself.

    | name       | kind      | type                     | meaning                      |
    | ---------- | --------- | ------------------------ | ---------------------------- |
    | `mode`     | attribute | `idx xor up down rotate` | how `selector` names a lane  |
    | `value`    | operand   | a scalar                 | this lane's value            |
    | `selector` | operand   | `index`                  | lane, mask or distance       |
    | `result`   | result    | type of `value`          | the value of the lane that was chosen |

    With selector i, lane l of a sub-group of n lanes reads lane i (`idx`), l ^ i (`xor`),
    l - i (`up`), l + i (`down`) or (l + i) mod n (`rotate`); n is `spmd.sub_group_size`.
    What is read from a lane that is not there, or from outside the sub-group, is
    undefined.

    ```mlir
    spmd.kernel @differences(%x: memref<?xf32>) {
      %c1 = arith.constant 1 : index
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %next = spmd.shuffle rotate %v, %c1 : f32
      %d = arith.subf %next, %v : f32
      memref.store %d, %x[%i] : memref<?xf32>
      spmd.return
    }
    // run: global_size = 4, group_size = 4, sub_group_size = 4, x = [1, 3, 6, 10]
    // gives: x = [2, 3, 4, -9]
    ```
    """

    name = "spmd.shuffle"

    value = operand_def(ScalarOp.T)
    selector = operand_def(IndexType)
    mode = prop_def(ShuffleModeAttr)

    assembly_format = (
        "custom<Keyword>($mode) $value `,` $selector attr-dict `:` type($value)"
    )

    def __init__(
        self,
        mode: ShuffleMode | str,
        value: SSAValue | Operation,
        selector: SSAValue | Operation,
    ):
        super().__init__(
            operands=[value, selector],
            properties={"mode": ShuffleModeAttr(ShuffleMode(mode))},
            result_types=[SSAValue.get(value).type],
        )

    def gives_common_value(self) -> bool:
        return True
