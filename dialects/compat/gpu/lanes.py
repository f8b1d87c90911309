"""
What lanes do together, of which xDSL 0.74 has nothing: upstream's names, operands and syntax.

```mlir
%got, %valid = gpu.shuffle xor %value, %offset, %width : f32
%next, %there = gpu.rotate %value, 1, 16 : f32
%sum = gpu.subgroup_reduce add %value cluster(size = 4, stride = 2) : (f32) -> f32
%first = gpu.subgroup_broadcast %value, first_active_lane : f32
%one = gpu.subgroup_broadcast %value, specific_lane %offset : f32
%same = gpu.subgroup_uniform %first : f32
%bits = gpu.ballot %valid : i64
```
"""

from __future__ import annotations

from enum import auto

from xdsl.dialects import gpu
from xdsl.dialects.builtin import I32, IntegerAttr, IntegerType, UnitAttr, i1, i32
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.compat import add_missing

_T = VarConstraint("T", AnyAttr())


class ShuffleMode(StrEnum):
    """From which lane a shuffle reads."""

    DOWN = auto()
    IDX = auto()
    UP = auto()
    XOR = auto()


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    """`#gpu<shuffle_mode xor>`."""

    name = "gpu.shuffle_mode"


class BroadcastType(StrEnum):
    """Which lane a broadcast is from."""

    FIRST_ACTIVE_LANE = auto()
    SPECIFIC_LANE = auto()


@irdl_attr_definition
class BroadcastTypeAttr(EnumAttribute[BroadcastType], SpacedOpaqueSyntaxAttribute):
    """`#gpu<broadcast first_active_lane>`."""

    name = "gpu.broadcast"


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """
    Reads a value of another lane.

    | name             | kind      | type | meaning                                      |
    | ---------------- | --------- | ---- | -------------------------------------------- |
    | `mode`           | attribute | `down idx up xor` | how `offset` names a lane       |
    | `value`          | operand   | any  | what this lane gives                         |
    | `offset`         | operand   | i32  | the lane, or the distance to it              |
    | `width`          | operand   | i32  | how many lanes take part                     |
    | `shuffle_result` | result    | that of `value` | what the other lane has; undefined if not valid |
    | `valid`          | result    | i1   | whether that lane takes part                 |
    """

    name = "gpu.shuffle"

    mode = prop_def(ShuffleModeAttr)
    value = operand_def(_T)
    offset = operand_def(i32)
    width = operand_def(i32)
    shuffle_result = result_def(_T)
    valid = result_def(i1)

    assembly_format = "$mode $value `,` $offset `,` $width attr-dict `:` type($value)"

    def __init__(
        self,
        mode: ShuffleMode | str,
        value: SSAValue | Operation,
        offset: SSAValue | Operation,
        width: SSAValue | Operation,
    ):
        super().__init__(
            operands=[value, offset, width],
            properties={"mode": ShuffleModeAttr(ShuffleMode(mode))},
            result_types=[SSAValue.get(value).type, i1],
        )


@irdl_op_definition
class RotateOp(IRDLOperation):
    """
    Reads a value of the lane that is `offset` further, of the first `width`, in a ring.

    Whether this lane is one of those is the second result. `width` is a power of two, and
    `offset` less than it.
    """

    name = "gpu.rotate"

    value = operand_def(_T)
    offset = prop_def(IntegerAttr[I32])
    width = prop_def(IntegerAttr[I32])
    rotate_result = result_def(_T)
    valid = result_def(i1)

    assembly_format = "$value `,` $offset `,` $width attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation, offset: int, width: int):
        super().__init__(
            operands=[value],
            properties={
                "offset": IntegerAttr(offset, i32),
                "width": IntegerAttr(width, i32),
            },
            result_types=[SSAValue.get(value).type, i1],
        )

    def verify_(self) -> None:
        width, offset = self.width.value.data, self.offset.value.data
        if width < 1 or width & (width - 1):
            raise VerifyException(
                f"expected a width that is a power of two, got {width}"
            )
        if not 0 <= offset < width:
            raise VerifyException(f"expected an offset below {width}, got {offset}")


@irdl_op_definition
class SubgroupReduceOp(IRDLOperation):
    """
    What the lanes of a sub-group have, reduced by `op`.

    With `cluster(size = n, stride = s)` lanes are reduced n by n: those that are s apart,
    n times, from a lane on.
    """

    name = "gpu.subgroup_reduce"

    value = operand_def(_T)
    op = prop_def(gpu.AllReduceOpAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[I32])
    cluster_stride = opt_prop_def(IntegerAttr[I32])
    result = result_def(_T)

    assembly_format = (
        "$op $value (`uniform` $uniform^)? (`cluster` `(` `size` `=` $cluster_size^ "
        "(`,` `stride` `=` $cluster_stride^)? `)`)? attr-dict "
        "`:` functional-type($value, $result)"
    )

    def verify_(self) -> None:
        for what, attribute in (
            ("size", self.cluster_size),
            ("stride", self.cluster_stride),
        ):
            number = 1 if attribute is None else attribute.value.data
            if number < 1 or number & (number - 1):
                raise VerifyException(
                    f"expected clusters with a {what} that is a power of two, got {number}"
                )


@irdl_op_definition
class SubgroupBroadcastOp(IRDLOperation):
    """The value of one lane: of the first that is active, or of `lane`, the same in all."""

    name = "gpu.subgroup_broadcast"

    src = operand_def(_T)
    lane = opt_operand_def(i32)
    broadcast_type = prop_def(BroadcastTypeAttr)
    result = result_def(_T)

    assembly_format = "$src `,` $broadcast_type ($lane^)? attr-dict `:` type($src)"

    def verify_(self) -> None:
        wants_lane = self.broadcast_type.data is BroadcastType.SPECIFIC_LANE
        if wants_lane != (self.lane is not None):
            wanted = "a lane" if wants_lane else "no lane"
            raise VerifyException(
                f"expected {wanted} with {self.broadcast_type.data.value}"
            )


@irdl_op_definition
class SubgroupUniformOp(IRDLOperation):
    """`src`, of which the program says that all lanes of a sub-group have the same."""

    name = "gpu.subgroup_uniform"

    src = operand_def(_T)
    result = result_def(_T)

    assembly_format = "$src attr-dict `:` type($src)"


@irdl_op_definition
class BallotOp(IRDLOperation):
    """One bit for each lane: whether its `predicate` holds."""

    name = "gpu.ballot"

    predicate = operand_def(i1)
    result = result_def(IntegerType)

    assembly_format = "$predicate attr-dict `:` type($result)"


def repair() -> None:
    """Add the ops and their attributes to xDSL's `gpu` dialect."""
    add_missing(
        gpu.GPU,
        (
            ShuffleOp,
            RotateOp,
            SubgroupReduceOp,
            SubgroupBroadcastOp,
            SubgroupUniformOp,
            BallotOp,
        ),
        (ShuffleModeAttr, BroadcastTypeAttr),
    )
