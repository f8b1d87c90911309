"""
`scf.forall`, which xDSL 0.74 lacks, with upstream's name, operands and syntax, on memrefs.

```mlir
scf.forall (%i, %j) = (0, %low) to (%n, 8) step (1, 2) {
  memref.store %v, %x[%i, %j] : memref<?x?xf32>
}
```

Its `mapping` says which dimension of a GPU each counter is, and nothing to a CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    i64,
)
from xdsl.dialects.utils import (
    get_dynamic_index_list,
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
    split_dynamic_index_list,
    verify_dynamic_index_list,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from spmd.dialects.compat import add_missing
from spmd.dialects.interfaces.expansion import Expansion

Bound = SSAValue | int
_WANTS_MEMREFS = "expected scf.forall to write memrefs, got {}: bufferize it first"
_PARENS = Parser.Delimiter.PAREN


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """Ends an `scf.forall`; on memrefs there is nothing in it, and it is not written."""

    name = "scf.forall.in_parallel"

    region = region_def()
    assembly_format = "$region attr-dict"
    traits = lazy_traits_def(
        lambda: (IsTerminator(), NoTerminator(), HasParent(ForallOp))
    )

    def __init__(self):
        super().__init__(regions=[Region(Block())])

    def verify_(self) -> None:
        if any(True for _ in self.region.walk()):
            raise VerifyException(_WANTS_MEMREFS.format("insertions into tensors"))


@irdl_op_definition
class ForallOp(IRDLOperation):
    """
    Iterations that are independent of each other, counted in up to any number of dimensions.

    | name                 | kind      | type  | meaning                                |
    | -------------------- | --------- | ----- | -------------------------------------- |
    | `dynamicLowerBound`, `dynamicUpperBound`, `dynamicStep` | operands | index | bounds and steps that are no constants |
    | `staticLowerBound`, `staticUpperBound`, `staticStep` | attributes | integers | the others |
    | `mapping`            | attribute | any   | for GPUs                               |
    | `outputs`, `results` | operands and results | tensors | not allowed here              |

    Errors: outputs; other numbers of bounds, steps and counters; a step below 1.
    """

    name = "scf.forall"

    dynamic_lower = var_operand_def(IndexType)
    dynamic_upper = var_operand_def(IndexType)
    dynamic_step = var_operand_def(IndexType)
    outputs = var_operand_def()
    res = var_result_def()

    static_lower = prop_def(DenseArrayBase.constr(i64), prop_name="staticLowerBound")
    static_upper = prop_def(DenseArrayBase.constr(i64), prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase.constr(i64), prop_name="staticStep")
    mapping = opt_prop_def()

    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = lazy_traits_def(
        lambda: (
            RecursiveMemoryEffect(),
            Expansion(_to_parallel),
        )
    )

    def __init__(
        self,
        lower: Sequence[Bound],
        upper: Sequence[Bound],
        step: Sequence[Bound],
        body: Region,
    ):
        static, dynamic = zip(
            *(
                split_dynamic_index_list(each, DYNAMIC_INDEX)
                for each in (lower, upper, step)
            ),
            strict=True,
        )
        names = ("staticLowerBound", "staticUpperBound", "staticStep")
        super().__init__(
            operands=[*dynamic, ()],
            properties={
                name: DenseArrayBase.from_list(i64, numbers)
                for name, numbers in zip(names, static, strict=True)
            },
            result_types=[()],
            regions=[body],
        )
        if not isinstance(body.block.last_op, InParallelOp):
            body.block.add_op(InParallelOp())

    @property
    def bounds(self) -> list[list[Bound]]:
        """Lower bounds, upper bounds and steps."""
        return [
            get_dynamic_index_list(static, dynamic, DYNAMIC_INDEX)
            for static, dynamic in self._parts
        ]

    @property
    def _parts(self) -> list[tuple[Sequence[int], Sequence[SSAValue]]]:
        """Of each of them the numbers, and the values that stand in gaps between them."""
        return [
            (self.static_lower.get_values(), self.dynamic_lower),
            (self.static_upper.get_values(), self.dynamic_upper),
            (self.static_step.get_values(), self.dynamic_step),
        ]

    def verify_(self) -> None:
        if not isinstance(self.body.block.last_op, InParallelOp):
            raise VerifyException(
                f"expected {InParallelOp.name} at the end of the body"
            )
        if self.outputs or self.res:
            raise VerifyException(_WANTS_MEMREFS.format("outputs"))
        for static, dynamic in self._parts:
            verify_dynamic_index_list(static, dynamic, DYNAMIC_INDEX)
        counts = {len(self.body.block.args), *map(len, self.bounds)}
        if len(counts) > 1:
            raise VerifyException(
                "expected as many lower bounds, upper bounds and steps as counters, "
                f"{len(self.body.block.args)}, got "
                f"{', '.join(str(len(each)) for each in self.bounds)}"
            )
        for step in self.static_step.get_values():
            if step != DYNAMIC_INDEX and step < 1:
                raise VerifyException(f"expected steps of at least 1, got {step}")

    @classmethod
    def parse(cls, parser: Parser) -> ForallOp:
        counters = parser.parse_comma_separated_list(
            _PARENS, lambda: parser.parse_argument(expect_type=False)
        )
        if parser.parse_optional_keyword("in") is not None:
            upper = _parse_bounds(parser)
            lower, step = [0] * len(upper), [1] * len(upper)
        else:
            parser.parse_punctuation("=")
            lower = _parse_bounds(parser)
            parser.parse_keyword("to")
            upper = _parse_bounds(parser)
            parser.parse_keyword("step")
            step = _parse_bounds(parser)
        if parser.parse_optional_keyword("shared_outs") is not None:
            parser.raise_error(_WANTS_MEMREFS.format("shared_outs"))
        body = parser.parse_region([each.resolve(IndexType()) for each in counters])
        op = cls(lower, upper, step, body)
        op.attributes.update(parser.parse_optional_attr_dict())
        if "mapping" in op.attributes:
            op.mapping = op.attributes.pop("mapping")
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_ssa_value)
        lower, _, step = self.bounds
        normal = all(b == 0 for b in lower) and all(s == 1 for s in step)
        words = (None, "in", None) if normal else ("=", "to", "step")
        for word, (static, dynamic) in zip(words, self._parts, strict=True):
            if word is not None:
                printer.print_string(f" {word} ")
                print_dynamic_index_list(
                    printer,
                    DYNAMIC_INDEX,
                    dynamic,
                    static,
                    delimiter=_PARENS,
                )
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_block_terminators=False
        )
        mapping = {} if self.mapping is None else {"mapping": self.mapping}
        printer.print_op_attributes(self.attributes | mapping)


def _parse_bounds(parser: Parser) -> list[Bound]:
    operands, numbers = parse_dynamic_index_list_without_types(
        parser, DYNAMIC_INDEX, delimiter=_PARENS
    )
    values = parser.resolve_operands(
        operands, [IndexType()] * len(operands), parser.pos
    )
    return get_dynamic_index_list(numbers, values, DYNAMIC_INDEX)


def _to_parallel(op: ForallOp, rewriter: PatternRewriter) -> None:
    """An `scf.parallel` without results."""

    @cache
    def constant(number: int) -> SSAValue:
        op = arith.ConstantOp.from_int_and_width(number, IndexType())
        return rewriter.insert(op).result

    lower, upper, step = (
        [each if isinstance(each, SSAValue) else constant(each) for each in bounds]
        for bounds in op.bounds
    )
    end = op.body.block.last_op
    assert end is not None, "it has an implicit terminator"
    rewriter.replace(end, scf.ReduceOp())
    body = rewriter.move_region_contents_to_new_regions(op.body)
    rewriter.replace(op, scf.ParallelOp(lower, upper, step, body))


def repair() -> None:
    """Add the op to xDSL's `scf` dialect."""
    add_missing(scf.Scf, (ForallOp, InParallelOp))
