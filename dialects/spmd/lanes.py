"""
Levels 2 and 3: a sub-group whose lanes run in lock step, and masks.

Frontends do not write these ops: `vectorize` makes them on its way from loops to vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i1, i64
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
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
    HasParent,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    ensure_terminator,
)
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.enclosing import enclosing
from spmd.dialects.interfaces.control_flow import RegionBranch, RegionTerminator, Runs
from spmd.dialects.limits import MAX_LANES


@irdl_op_definition
class YieldOp(AbstractYieldOperation[Attribute]):
    """
    Ends the body of `spmd.sub_group` and `spmd.masked`.

    | name        | kind     | type | meaning                                           |
    | ----------- | -------- | ---- | ------------------------------------------------- |
    | `arguments` | operands | any  | the results of `spmd.masked` in active lanes; none in `spmd.sub_group` |

    It may be left out where it has no operands.

    Errors: it ends the body of any other op.

    ```mlir
    func.func @yield(%x: memref<?xf32>, %m: memref<?xi1>, %zero: f32) {
      %c0 = arith.constant 0 : index
      spmd.sub_group (%i) shape [4] at (%c0) {
        %on = memref.load %m[%i] : memref<?xi1>
        %r = spmd.masked %on -> (f32) {
          %v = memref.load %x[%i] : memref<?xf32>
          spmd.yield %v : f32
        } else %zero : f32
        memref.store %r, %x[%i] : memref<?xf32>
        spmd.yield
      }
      func.return
    }
    // run: x = [1, 2, 3, 4], m = [True, False, False, True], zero = 0.0
    // gives: x = [1, 0, 0, 4]
    ```
    """

    name = "spmd.yield"

    traits = lazy_traits_def(
        lambda: (
            IsTerminator(),
            Pure(),
            HasParent(SubGroupOp, MaskedOp),
            RegionTerminator(forwarded=0),
        ),
    )


@irdl_op_definition
class SubGroupOp(IRDLOperation):
    """
    Runs its body once in each lane of one sub-group, in lock step.

    | name     | kind      | type                             | meaning                  |
    | -------- | --------- | -------------------------------- | ------------------------ |
    | `shape`  | attribute | 1 to 3 powers of two, product at most 256 | lanes per dimension, innermost first |
    | `bases`  | operands  | `index`, one per dimension       | the first lane's index   |
    | `counts` | operands  | `index`, none or one per dimension | how many lanes exist   |
    | `body`   | region    | one block, an `index` argument per dimension | the arguments are this lane's index |

    Without `count` all lanes exist. With it, a lane exists if its offset is below the
    count in each dimension; counts may exceed the shape, and with one below 1 there is
    no lane. A lane that does not exist executes nothing. Values defined outside are the same in all lanes.

    In lock step, each op runs in all lanes before the next op starts; a store by one lane
    and a load by another are thus ordered. Level 2 still has branches that lanes take
    differently, level 3 (after `mask-divergence`) has `spmd.masked` instead.

    Errors: a shape that is none of these; another number of bases, counts or body
    arguments; a body that yields values; a sub-group inside a sub-group.

    ```mlir
    func.func @double(%x: memref<?xf32>, %base: index, %n: index) {
      spmd.sub_group (%i) shape [4] at (%base) count %n {
        %v = memref.load %x[%i] : memref<?xf32>
        %w = arith.addf %v, %v : f32
        memref.store %w, %x[%i] : memref<?xf32>
      }
      func.return
    }
    // run: x = [1, 2, 3, 4, 5], base = 1, n = 3
    // gives: x = [1, 4, 6, 8, 5]
    ```
    """

    name = "spmd.sub_group"

    bases = var_operand_def(IndexType)
    counts = var_operand_def(IndexType)
    shape = prop_def(DenseArrayBase[IntegerType])
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(
        SingleBlockImplicitTerminator(YieldOp),
        RecursiveMemoryEffect(),
        RegionBranch(runs=Runs.ONCE, own_arguments=3),  # at most
    )

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
        return prod(self.lane_shape)

    def verify_(self) -> None:
        rank = len(self.lane_shape)
        powers = all(e > 0 and e & (e - 1) == 0 for e in self.lane_shape)
        if not 1 <= rank <= 3 or not powers or self.width > MAX_LANES:
            raise VerifyException(
                "expected a shape of 1 to 3 powers of two with a product of at most "
                f"{MAX_LANES}, got {list(self.lane_shape)}"
            )
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
        last = self.body.block.last_op
        if last is not None and last.operands:
            raise VerifyException(
                f"expected a body that yields nothing, got {len(last.operands)} values"
            )
        if enclosing(self, SubGroupOp) is not None:
            raise VerifyException("expected no sub-group inside a sub-group, got one")

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

    | name   | kind     | type                   | meaning                              |
    | ------ | -------- | ---------------------- | ------------------------------------ |
    | `mask` | operand  | `i1`                   | whether this lane is active          |
    | `old`  | operands | none, or those of `res` | results in inactive lanes           |
    | `res`  | results  | any                    | what the body yields in active lanes |
    | `body` | region   | one block, no arguments | ends in `spmd.yield`                |

    Inactive lanes execute nothing in the body; without `else` their results are
    undefined. In nested ops a lane is active if all masks are set.

    Errors: types of yielded or `else` values that are not those of the results; a body
    with arguments or several blocks; an op outside of `spmd.sub_group`.

    ```mlir
    func.func @roots(%x: memref<?xf32>, %base: index) {
      %zero = arith.constant 0.0 : f32
      spmd.sub_group (%i) shape [4] at (%base) {
        %v = memref.load %x[%i] : memref<?xf32>
        %m = arith.cmpf oge, %v, %zero : f32
        %r = spmd.masked %m -> (f32) {
          %root = math.sqrt %v : f32
          spmd.yield %root : f32
        } else %zero : f32
        memref.store %r, %x[%i] : memref<?xf32>
      }
      func.return
    }
    // run: base = 0, x = [4, -1, 9, -4]
    // gives: x = [2, 0, 3, 0]
    ```
    """

    name = "spmd.masked"

    mask = operand_def(i1)
    old = var_operand_def()
    res = var_result_def()
    body = region_def("single_block")

    traits = traits_def(
        SingleBlockImplicitTerminator(YieldOp),
        RecursiveMemoryEffect(),
        RegionBranch(runs=Runs.CHOICE, decides=1, forwarded=1, may_skip=True),
    )

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
        if self.parent_op() is not None and enclosing(self, SubGroupOp) is None:
            raise VerifyException(
                "expected spmd.masked inside spmd.sub_group, got it outside"
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
