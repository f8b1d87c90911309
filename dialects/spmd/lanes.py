"""Levels 2 and 3: a sub-group whose lanes run in lock step, and masks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i1, i64
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsTerminator,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    ensure_terminator,
)
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class YieldOp(AbstractYieldOperation[Attribute]):
    """Ends the body of `spmd.sub_group` and `spmd.masked`."""

    name = "spmd.yield"

    traits = traits_def(IsTerminator())


@irdl_op_definition
class SubGroupOp(IRDLOperation):
    """
    Runs its body once in each lane of one sub-group, in lock step.

    `shape [8, 2]` gives the lanes per dimension, innermost first; `at` the first index
    per dimension; the body's arguments are the index of this lane. With `count`, only
    lanes whose offset is below the count (in each dimension) exist.

    ```mlir
    spmd.sub_group (%i) shape [16] at (%base) count %n {
      ...
    }
    ```
    """

    name = "spmd.sub_group"

    bases = var_operand_def(IndexType)
    counts = var_operand_def(IndexType)
    shape = prop_def(DenseArrayBase[IntegerType])
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(SingleBlockImplicitTerminator(YieldOp), RecursiveMemoryEffect())

    def __init__(
        self,
        shape: Sequence[int],
        bases: Sequence[SSAValue | Operation],
        counts: Sequence[SSAValue | Operation] = (),
        body: Region | None = None,
    ):
        if body is None:
            body = Region(Block(arg_types=[IndexType()] * len(shape)))
        super().__init__(
            operands=[bases, counts],
            properties={"shape": DenseArrayBase.from_list(i64, shape)},
            regions=[body],
        )

    def __post_init__(self) -> None:
        for trait in self.get_traits_of_type(SingleBlockImplicitTerminator):
            ensure_terminator(self, trait)

    @property
    def lane_shape(self) -> tuple[int, ...]:
        """Lanes per dimension, innermost first."""
        return tuple(self.shape.get_values())

    @property
    def width(self) -> int:
        """The number of lanes."""
        product = 1
        for extent in self.lane_shape:
            product *= extent
        return product

    def verify_(self) -> None:
        rank = len(self.lane_shape)
        if len(self.bases) != rank:
            raise VerifyException(
                f"expected one first index per dimension ({rank}), got {len(self.bases)}"
            )
        if self.counts and len(self.counts) != rank:
            raise VerifyException(
                f"expected no count or one per dimension ({rank}), got {len(self.counts)}"
            )
        if tuple(self.body.block.arg_types) != (IndexType(),) * rank:
            raise VerifyException(
                f"expected a body with one index argument per dimension ({rank}), got "
                f"({', '.join(str(t) for t in self.body.block.arg_types)})"
            )

    @classmethod
    def parse(cls, parser: Parser) -> SubGroupOp:
        def argument() -> Parser.Argument:
            return parser.parse_argument(expect_type=False).resolve(IndexType())

        def operand() -> SSAValue:
            return parser.resolve_operand(
                parser.parse_unresolved_operand(), IndexType()
            )

        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
        parser.parse_keyword("shape")
        shape = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_integer
        )
        parser.parse_keyword("at")
        bases = parser.parse_comma_separated_list(parser.Delimiter.PAREN, operand)
        counts: list[SSAValue] = []
        if parser.parse_optional_keyword("count") is not None:
            counts = parser.parse_comma_separated_list(parser.Delimiter.NONE, operand)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(shape, bases, counts, parser.parse_region(arguments))
        if attributes is not None:
            op.attributes.update(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(self.body.block.args, printer.print_ssa_value)
        shape = ", ".join(str(extent) for extent in self.lane_shape)
        printer.print_string(f") shape [{shape}] at (")
        printer.print_list(self.bases, printer.print_ssa_value)
        printer.print_string(")")
        if self.counts:
            printer.print_string(" count ")
            printer.print_list(self.counts, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(
            self.body,
            print_entry_block_args=False,
            print_block_terminators=False,
        )


@irdl_op_definition
class MaskedOp(IRDLOperation):
    """
    Runs its body in the lanes whose mask is set.

    ```mlir
    %r = spmd.masked %m -> (f32) {
      %v = memref.load %x[%i] : memref<?xf32>
      spmd.yield %v : f32
    } else %old : f32
    ```

    Lanes that are off get `%old`; without `else` their results are undefined.
    """

    name = "spmd.masked"

    mask = operand_def(i1)
    old = var_operand_def()
    res = var_result_def()
    body = region_def("single_block")

    traits = traits_def(SingleBlockImplicitTerminator(YieldOp), RecursiveMemoryEffect())

    def __init__(
        self,
        mask: SSAValue | Operation,
        result_types: Sequence[Attribute] = (),
        old: Sequence[SSAValue | Operation] = (),
        body: Region | None = None,
    ):
        super().__init__(
            operands=[mask, old],
            result_types=[result_types],
            regions=[Region(Block()) if body is None else body],
        )

    def __post_init__(self) -> None:
        if not self.res:
            for trait in self.get_traits_of_type(SingleBlockImplicitTerminator):
                ensure_terminator(self, trait)

    def verify_(self) -> None:
        expected = tuple(self.result_types)
        yielded = self.body.block.last_op
        assert isinstance(yielded, YieldOp)
        for what, got in (
            ("yielded values", tuple(yielded.operand_types)),
            *([("else values", tuple(self.old.types))] if self.old else []),
        ):
            if got != expected:
                raise VerifyException(
                    f"expected {what} of types ({', '.join(map(str, expected))}), "
                    f"got ({', '.join(map(str, got))})"
                )
        if self.body.block.args:
            raise VerifyException(
                f"expected a body without arguments, got {len(self.body.block.args)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> MaskedOp:
        mask = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region()
        old: Sequence[SSAValue] = ()
        if parser.parse_optional_keyword("else") is not None:
            position = parser.pos
            names = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
            parser.parse_punctuation(":")
            old_types = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_type
            )
            old = parser.resolve_operands(names, old_types, position)
        op = cls(mask, types, old, body)
        if attributes is not None:
            op.attributes.update(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.mask)
        if self.res:
            printer.print_string(" -> (")
            printer.print_list(self.res.types, printer.print_attribute)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_block_terminators=bool(self.res))
        if self.old:
            printer.print_string(" else ")
            printer.print_list(self.old, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list(self.old.types, printer.print_attribute)
