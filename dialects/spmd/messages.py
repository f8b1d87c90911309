"""
What a running kernel tells, and ending a launch before all is done.

`{}` in a text is replaced by a number. `{one|two}` is replaced by one of the words, which
the number chooses, counting from 0; a number without a word chooses the last. Numbers are
signed, but for `i1` and in `{u}`. `{:8.3f}` and `{u:04x}` have a format, of those that
Python and C have both: `<` or `>`, `+` or a space, `0`, the width, the digits, and one of
`b c d o x X` for whole numbers or `e E f F g G`. Braces and bars that are meant as such are
written twice.

A condition that a kernel itself checks is a `cf.assert`. The passes that check barriers use
`spmd.fail`, because their messages have numbers in them; `place-polls` puts `spmd.poll` into
loops that may take long.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from xdsl.dialects import vector
from xdsl.dialects.builtin import IndexType, StringAttr, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.interfaces.expansion import Expansion
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.messages import MAX_VALUES, Place, pieces_of
from spmd.dialects.spmd.traits import STAYS_IN_PLACE, expect_inside_function
from spmd.dialects.spmd.types import is_float, is_integer


def ends_launch(block: Block) -> bool:
    """Whether whoever runs `block`, without the regions in it, ends the launch."""
    return any(isinstance(op, FailOp) for op in block.ops)


class MessageOp(IRDLOperation):
    """Base of the ops with a text that has places for numbers."""

    message = prop_def(StringAttr)
    values = var_operand_def()

    assembly_format = "$message (`(` $values^ `)`)? attr-dict (`:` type($values)^)?"

    def __init__(
        self, message: str | StringAttr, values: Sequence[SSAValue | Operation] = ()
    ):
        text = StringAttr(message) if isinstance(message, str) else message
        super().__init__(operands=[values], properties={"message": text})

    def places(self) -> tuple[Place, ...]:
        """What stands for each of the values."""
        pieces = pieces_of(self.message.data)
        return tuple(piece for piece in pieces if isinstance(piece, Place))

    def verify_(self) -> None:
        expect_inside_function(self)
        if "\0" in self.message.data:
            raise VerifyException("expected a message without zero bytes, got one")
        try:
            places = self.places()
        except ValueError as error:
            raise VerifyException(str(error)) from None
        if len(places) != len(self.values):
            raise VerifyException(
                f"expected a value for each of the {len(places)} places in the message, "
                f"got {len(self.values)}"
            )
        if len(places) > MAX_VALUES:
            raise VerifyException(
                f"expected at most {MAX_VALUES} values in a message, got {len(places)}"
            )
        for place, value in zip(places, self.values, strict=True):
            if (why := self.why_not(place, value)) is not None:
                raise VerifyException(why)

    def why_not(self, place: Place, value: SSAValue) -> str | None:
        """Why `value` cannot be written at `place`."""
        of_float = is_float(value.type)
        if not of_float and not is_integer(value.type):
            return f"expected values that are numbers, got {value.type}"
        if not place.is_for(of_float):
            return (
                f"expected a place in the message that is for {value.type}, got "
                f"'{place}'"
            )
        return None


@irdl_op_definition
class FailOp(MessageOp):
    """
    Ends the launch with a message.

    | name      | kind      | type               | meaning                          |
    | --------- | --------- | ------------------ | -------------------------------- |
    | `message` | attribute | string             | the text, with places            |
    | `values`  | operands  | `i1` to `i64`, `index` | one for each place of the text |

    The work-group ends here, no other one is started, and whoever launched gets the
    message. Inactive lanes do not fail. `cf.assert` is the same with a condition and
    without numbers.

    Errors: a number of values that is not that of the places, more than 32 of them, values
    of other types, a place that is wrong or is not for its value, a text with a zero byte;
    an op outside of a kernel or function.

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

    traits = traits_def(*STAYS_IN_PLACE)

    def why_not(self, place: Place, value: SSAValue) -> str | None:
        """Why `value` cannot be written at `place`."""
        if not is_integer(value.type):
            return (
                "expected values of type index, i1, i8, i16, i32 or i64, got "
                f"{value.type}"
            )
        return super().why_not(place, value)


@irdl_op_definition
class PrintOp(MessageOp):
    r"""
    Prints a text, which is no line unless it ends in one.

    | name      | kind      | type               | meaning                          |
    | --------- | --------- | ------------------ | -------------------------------- |
    | `message` | attribute | string             | the text, with places            |
    | `values`  | operands  | integers, `index`, floats | one for each place of the text |

    Of a kernel that is launched from Python the text goes to `sys.stdout`, and numbers look
    as Python and NumPy print them; in an object file it is `printf`. One work-item prints
    after the other, up to the next barrier, and so do work-groups, unless the launch asks
    for several threads. The lanes of a sub-group that have operations together print in
    their order at each `spmd.print`. Inactive lanes do not print.

    Errors: those of `spmd.fail`.

    ```mlir
    spmd.kernel @show(%x: memref<?xf32>) {
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      spmd.print "x[{}] is {:.2f}\0A"(%i, %v) : index, f32
      spmd.return
    }
    // run: global_size = 2, group_size = 2, x = [0.5, 2.25]
    // gives: x = [0.5, 2.25]
    ```
    """

    name = "spmd.print"

    traits = traits_def(*STAYS_IN_PLACE, Ordered())


def _expand_vector_print(op: vector.PrintOp, rewriter: PatternRewriter) -> None:
    """One line, as MLIR's runner prints it: `( ( 1, 2 ), ( 3, 4 ) )`."""
    values, layout = [op.source], _PLACE
    element = get_element_type_or_self(type_ := op.source.type)
    if isa(type_, VectorType):
        elements = [
            vector.ExtractOp(op.source, indices, element)
            for indices in product(*map(range, type_.get_shape()))
        ]
        rewriter.insert(elements)
        values = [each.result for each in elements]
        layout = _layout(type_.get_shape() or (1,))
    kind = "u" if isinstance(element, IndexType) else ":g" if is_float(element) else ""
    *texts, last = layout.split(_PLACE)
    pieces = [f"{text}{{{kind}}}" for text in texts]
    pieces[-1] += f"{last}\n"
    prints = [
        PrintOp("".join(pieces[n : n + MAX_VALUES]), values[n : n + MAX_VALUES])
        for n in range(0, len(values), MAX_VALUES)
    ]
    rewriter.replace(op, prints, [])


_PLACE = "\0"


def _layout(shape: Sequence[int]) -> str:
    """What stands around the elements of a vector, each of which is a `_PLACE`."""
    if not shape:
        return _PLACE
    return f"( {', '.join([_layout(shape[1:])] * shape[0])} )"


Expansion(_expand_vector_print).attach("vector.print")


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
