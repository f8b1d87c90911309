"""
Ending a launch before all is done.

A condition that a kernel itself checks is a `cf.assert`. The passes that check barriers use
`spmd.fail`, because their messages have numbers in them; `place-polls` puts `spmd.poll` into
loops that may take long.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.messages import MAX_VALUES, pieces_of
from spmd.dialects.spmd.traits import STAYS_IN_PLACE, expect_inside_function
from spmd.dialects.spmd.types import is_integer


def ends_launch(block: Block) -> bool:
    """Whether whoever runs `block`, without the regions in it, ends the launch."""
    return any(isinstance(op, FailOp) for op in block.ops)


@irdl_op_definition
class FailOp(IRDLOperation):
    """
    Ends the launch with a message.

    | name      | kind      | type               | meaning                          |
    | --------- | --------- | ------------------ | -------------------------------- |
    | `message` | attribute | string             | the text; see below              |
    | `values`  | operands  | `i1` to `i64`, `index` | one for each `{...}` of the text |

    `{}` in the text is replaced by the number. `{one|two}` is replaced by one of the words,
    which the number chooses, counting from 0; a number without a word chooses the last.
    Numbers are signed, but for `i1`. Braces and bars that are meant as such are written
    twice.

    The work-group ends here, no other one is started, and whoever launched gets the
    message. Inactive lanes do not fail. `cf.assert` is the same with a condition and
    without numbers.

    Errors: a number of values that is not that of the `{...}`, more than 32 of them, values
    of other types, braces that are not in pairs, a text with a zero byte; an op outside of
    a kernel or function.

    ```mlir
    func.func @count(%n: index, %path: i32, %x: memref<?xindex>) {
      %c0 = arith.constant 0 : index
      %c5 = arith.constant 5 : index
      %too_many = arith.cmpi ugt, %n, %c5 : index
      scf.if %too_many {
        spmd.fail "expected at most 5 elements, got {} {before|after}"(%n, %path) : index, i32
      }
      memref.store %n, %x[%c0] : memref<?xindex>
      func.return
    }
    // run: n = 3, path = 1, x = [0]
    // gives: x = [3]
    ```
    """

    name = "spmd.fail"

    message = prop_def(StringAttr)
    values = var_operand_def()

    traits = traits_def(*STAYS_IN_PLACE)

    assembly_format = "$message (`(` $values^ `)`)? attr-dict (`:` type($values)^)?"

    def __init__(
        self, message: str | StringAttr, values: Sequence[SSAValue | Operation] = ()
    ):
        text = StringAttr(message) if isinstance(message, str) else message
        super().__init__(operands=[values], properties={"message": text})

    def verify_(self) -> None:
        expect_inside_function(self)
        if "\0" in self.message.data:
            raise VerifyException("expected a message without zero bytes, got one")
        try:
            pieces = pieces_of(self.message.data)
        except ValueError as error:
            raise VerifyException(str(error)) from None
        places = sum(not isinstance(piece, str) for piece in pieces)
        if places != len(self.values):
            raise VerifyException(
                f"expected a value for each of the {places} places in the message, got "
                f"{len(self.values)}"
            )
        if places > MAX_VALUES:
            raise VerifyException(
                f"expected at most {MAX_VALUES} values in a message, got {places}"
            )
        for value in self.values:
            if not is_integer(value.type):
                raise VerifyException(
                    "expected values of type index, i1, i8, i16, i32 or i64, got "
                    f"{value.type}"
                )


@irdl_op_definition
class PollOp(IRDLOperation):
    """
    A point where whoever launched can end the launch.

    It has no operands and no results. If the launch has been given up (Ctrl-C, a timeout, a
    failure in another work-group), the work-group ends here; what it has written stays.
    Otherwise nothing happens. Without a runtime, as in an object file, it is nothing at all.
    Inactive lanes may poll as well.

    Errors: an op outside of a kernel or function.

    ```mlir
    func.func @halvings(%n: index, %x: memref<?xindex>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %last, %count = scf.while (%m = %n, %k = %c0) : (index, index) -> (index, index) {
        %more = arith.cmpi ugt, %m, %c1 : index
        scf.condition(%more) %m, %k : index, index
      } do {
      ^bb0(%m: index, %k: index):
        spmd.poll
        %half = arith.shrui %m, %c1 : index
        %next = arith.addi %k, %c1 : index
        scf.yield %half, %next : index, index
      }
      memref.store %count, %x[%c0] : memref<?xindex>
      func.return
    }
    // run: n = 40, x = [0]
    // gives: x = [5]
    ```
    """

    name = "spmd.poll"

    traits = traits_def(*STAYS_IN_PLACE)

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()

    def verify_(self) -> None:
        expect_inside_function(self)
