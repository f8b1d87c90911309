"""`gpu.shuffle`, which xDSL 0.74 lacks, with upstream's name, operands and syntax."""

from __future__ import annotations

from enum import auto

from xdsl.dialects import gpu
from xdsl.dialects.builtin import IntegerType, i1, i32
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.compat import add_missing


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


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """
    Reads a value of another lane.

    | name            | kind      | type | meaning                                      |
    | --------------- | --------- | ---- | -------------------------------------------- |
    | `mode`          | attribute | `down idx up xor` | how `offset` names a lane       |
    | `value`         | operand   | any  | what this lane gives                         |
    | `offset`        | operand   | i32  | the lane, or the distance to it              |
    | `width`         | operand   | i32  | how many lanes take part                     |
    | `shuffleResult` | result    | that of `value` | what the other lane has; undefined if not valid |
    | `valid`         | result    | i1   | whether that lane takes part                 |

    Errors: a result of another type.

    ```mlir
    %got, %valid = gpu.shuffle xor %value, %offset, %width : f32
    ```
    """

    name = "gpu.shuffle"

    mode = prop_def(ShuffleModeAttr)
    value = operand_def()
    offset = operand_def(i32)
    width = operand_def(i32)
    shuffle_result = result_def()
    valid = result_def(IntegerType(1))

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

    def verify_(self) -> None:
        if self.shuffle_result.type != self.value.type:
            raise VerifyException(
                f"expected a result of type {self.value.type}, got "
                f"{self.shuffle_result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleOp:
        mode = parser.parse_str_enum(ShuffleMode)
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        place = parser.pos
        types: list[Attribute] = [parser.parse_type(), i32, i32]
        value, offset, width = parser.resolve_operands(operands, types, place)
        op = cls(mode, value, offset, width)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.mode.data} ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


def repair() -> None:
    """Add the op and its attribute to xDSL's `gpu` dialect."""
    add_missing(gpu.GPU, ShuffleOp)
    gpu.GPU._attributes.append(ShuffleModeAttr)  # pyright: ignore[reportPrivateUsage]
