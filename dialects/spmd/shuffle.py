"""Exchange of values between the lanes of a sub-group."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.spmd.attributes import BracketedKeyword
from spmd.dialects.spmd.scalar_op import ScalarOp, parse_end


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

    Errors: a value that is no scalar; an op outside of a kernel or function.

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

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleOp:
        mode = parser.parse_str_enum(ShuffleMode)
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        selector = parser.resolve_operand(
            parser.parse_unresolved_operand(), IndexType()
        )
        value, attributes = parse_end(parser, name)
        op = cls(mode, value, selector)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.mode.data} ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.selector)
        self.print_end(printer)
