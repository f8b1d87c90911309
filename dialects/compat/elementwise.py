"""
Lifts the scalar-only ops of xDSL 0.74's `arith` to vectors and tensors, as upstream.

```mlir
%m = arith.cmpf olt, %x, %y : vector<4xf32>                   // vector<4xi1>
%v = arith.select %m, %x, %y : vector<4xi1>, vector<4xf32>
%i = arith.fptosi %v : vector<4xf32> to vector<4xi32>
```

xDSL's classes are changed in place. Where all operands and results are scalars, the
verifier stays the one of xDSL, with its messages. Compares also keep their
discardable attributes in the custom syntax (0.74 drops them when it prints), and the
canonicalisation of `cmpi p %x, %x` makes a constant of the type of the compare (in 0.74
always an `i1`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from typing_extensions import TypeVar
from xdsl.dialects import arith
from xdsl.dialects.arith import CmpfOp, CmpiOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    TensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    IRDLOperation,
    RangeConstraint,
    VerificationContext,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self, have_compatible_shape

from spmd.dialects.compat import set_syntax

Comparison: TypeAlias = CmpiOp | CmpfOp
ElementRule: TypeAlias = Callable[[Attribute, Attribute], str | None]
"""What a cast demands of the element types of its operand and result."""


def with_element_type(type_: Attribute, element: Attribute) -> Attribute:
    """`type_` with other elements: `i1` for `f32`, `vector<4xi1>` for `vector<4xf32>`."""
    if isinstance(type_, VectorType):
        vector = cast(VectorType[Attribute], type_)
        return VectorType(element, vector.shape, vector.scalable_dims)
    if isinstance(type_, TensorType):
        tensor = cast(TensorType[Attribute], type_)
        return TensorType(element, tensor.shape, tensor.encoding)
    return element


def _is_scalar(type_: Attribute) -> bool:
    return not isinstance(type_, VectorType | TensorType)


def _scalable_dims(type_: Attribute) -> Attribute | None:
    return type_.scalable_dims if isinstance(type_, VectorType) else None


def _verify_shapes(op: Operation) -> None:
    """All operands and results have one shape: elements meet elements."""
    first, *others = (*op.operand_types, *op.result_types)
    for other in others:
        if (
            isinstance(first, VectorType) != isinstance(other, VectorType)
            or _scalable_dims(first) != _scalable_dims(other)
            or not have_compatible_shape(first, other)
        ):
            raise VerifyException(
                f"'{op.name}' expected operands and results of one shape, got {first} "
                f"and {other}"
            )


@dataclass(frozen=True)
class ElementsOf(RangeConstraint):
    """What `scalars` demands of a scalar, demanded of the elements of a vector."""

    scalars: RangeConstraint

    def verify(
        self, attrs: Sequence[Attribute], constraint_context: VerificationContext
    ) -> None:
        elements = [t if _is_scalar(t) else get_element_type_or_self(t) for t in attrs]
        self.scalars.verify(elements, constraint_context)

    def verify_length(
        self, length: int, constraint_context: VerificationContext
    ) -> None:
        self.scalars.verify_length(length, constraint_context)

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> ElementsOf:
        return ElementsOf(self.scalars.mapping_type_vars(type_var_mapping))


def _lift(
    op_type: type[IRDLOperation],
    names: Sequence[str],
    verify_shaped: Callable[[Any], None],
) -> None:
    """
    Let the operands and results called `names` be shaped, and verify ops with a shaped
    operand or result by their constraints and `verify_shaped`. Scalars keep their
    verifier.
    """
    definition = op_type.get_irdl_definition()
    for name, operand_or_result in (*definition.operands, *definition.results):
        if name in names:
            operand_or_result.constr = ElementsOf(operand_or_result.constr)
    verify_scalars = op_type.verify_

    def verify_(self: IRDLOperation) -> None:
        if all(map(_is_scalar, (*self.operand_types, *self.result_types))):
            verify_scalars(self)
        else:
            definition.verify(self)
            verify_shaped(self)

    setattr(op_type, "verify_", verify_)


# --- compares ---------------------------------------------------------------------


def _verify_comparison(op: Comparison) -> None:
    _verify_shapes(op)
    if op.lhs.type != op.rhs.type:
        raise VerifyException(
            f"'{op.name}' expected two operands of one type, got {op.lhs.type} and "
            f"{op.rhs.type}"
        )


def _parse_comparison(cls: type[Comparison], parser: Parser) -> Comparison:
    predicate = parser.parse_identifier()
    parser.parse_punctuation(",")
    lhs = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    rhs = parser.parse_unresolved_operand()
    fastmath = arith.FastMathFlagsAttr("none")
    if cls is CmpfOp and parser.parse_optional_keyword("fastmath") is not None:
        fastmath = arith.FastMathFlagsAttr(
            arith.FastMathFlagsAttr.parse_parameter(parser)
        )
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    lhs, rhs = parser.resolve_operands([lhs, rhs], [type_, type_], parser.pos)
    if cls is CmpfOp:
        op = CmpfOp(lhs, rhs, predicate, fastmath)
    else:
        op = CmpiOp(lhs, rhs, predicate)
    op.attributes.update(attributes)
    return op


def _print_comparison(self: Comparison, printer: Printer) -> None:
    names = (
        arith.CMPF_COMPARISON_OPERATIONS
        if isinstance(self, CmpfOp)
        else arith.CMPI_COMPARISON_OPERATIONS
    )
    printer.print_string(f" {names[self.predicate.value.data]}, ")
    printer.print_operand(self.lhs)
    printer.print_string(", ")
    printer.print_operand(self.rhs)
    if isinstance(self, CmpfOp) and self.fastmath.data:
        printer.print_string(" fastmath")
        self.fastmath.print_parameter(printer)
    printer.print_op_attributes(self.attributes)
    printer.print_string(" : ")
    printer.print_attribute(self.lhs.type)


def _repair_comparison(op_type: type[Comparison]) -> None:
    construct: Callable[..., None] = op_type.__init__

    def __init__(self: Comparison, *args: Any, **keywords: Any) -> None:
        construct(self, *args, **keywords)
        result_type = with_element_type(self.lhs.type, i1)
        if result_type != self.result.type:
            Rewriter.replace_value_with_new_type(self.result, result_type)

    setattr(op_type, "__init__", __init__)
    set_syntax(op_type, _parse_comparison, _print_comparison)
    _lift(op_type, ["result"], _verify_comparison)


class FoldCmpiOfEqualOperands(RewritePattern):
    """
    ```mlir
    %r = arith.cmpi ule, %x, %x : vector<4xi32>
    // becomes
    %r = arith.constant dense<true> : vector<4xi1>
    ```

    Scalars are left to `scalars`, the pattern of xDSL, which makes an `i1` constant
    whatever the type of the compare.
    """

    def __init__(self, scalars: RewritePattern):
        self.scalars = scalars

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, CmpiOp) or op.result.type == i1:
            self.scalars.match_and_rewrite(op, rewriter)
            return
        type_ = cast(
            "VectorType[IntegerType] | TensorType[IntegerType]", op.result.type
        )
        if op.lhs != op.rhs or DYNAMIC_INDEX in type_.get_shape():
            return
        predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        holds = predicate in ("eq", "sle", "sge", "ule", "uge")
        value = DenseIntOrFPElementsAttr.from_list(type_, [int(holds)])
        rewriter.replace(op, arith.ConstantOp(value))


def _repair_cmpi_canonicalization() -> None:
    trait = arith.CmpiHasCanonicalizationPatterns
    stock_patterns = trait.get_canonicalization_patterns

    def get_canonicalization_patterns(cls: Any) -> tuple[RewritePattern, ...]:
        from xdsl.transforms.canonicalization_patterns.arith import (
            ApplyCmpiPredicateToEqualOperands,
        )

        return tuple(
            FoldCmpiOfEqualOperands(pattern)
            if isinstance(pattern, ApplyCmpiPredicateToEqualOperands)
            else pattern
            for pattern in stock_patterns()
        )

    setattr(
        trait,
        "get_canonicalization_patterns",
        classmethod(get_canonicalization_patterns),
    )


# --- select -----------------------------------------------------------------------


def _verify_select(op: arith.SelectOp) -> None:
    if op.cond.type != i1:
        _verify_shapes(op)


def _parse_select(cls: type[arith.SelectOp], parser: Parser) -> arith.SelectOp:
    cond = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    lhs = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    rhs = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    cond_type, type_ = cast(Attribute, i1), parser.parse_type()
    if parser.parse_optional_punctuation(",") is not None:
        cond_type, type_ = type_, parser.parse_type()
    operands = parser.resolve_operands(
        [cond, lhs, rhs], [cond_type, type_, type_], parser.pos
    )
    op = cls(*operands)
    op.attributes.update(attributes)
    return op


def _print_select(self: arith.SelectOp, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(self.operands, printer.print_ssa_value)
    printer.print_op_attributes(self.attributes)
    printer.print_string(" : ")
    if self.cond.type != i1:
        printer.print_attribute(self.cond.type)
        printer.print_string(", ")
    printer.print_attribute(self.result.type)


def _repair_select() -> None:
    set_syntax(arith.SelectOp, _parse_select, _print_select)
    _lift(arith.SelectOp, ["cond"], _verify_select)


# --- casts ------------------------------------------------------------------------


def _bits(type_: Attribute) -> int:
    assert isinstance(type_, FixedBitwidthType), "an integer has a width"
    return type_.bitwidth


def _any_elements(source: Attribute, result: Attribute) -> str | None:
    return None


def _wider(source: Attribute, result: Attribute) -> str | None:
    if _bits(result) > _bits(source):
        return None
    return f"expected a result wider than {source}, got {result}"


def _narrower(source: Attribute, result: Attribute) -> str | None:
    if _bits(result) < _bits(source):
        return None
    return f"expected a result narrower than {source}, got {result}"


def _one_index(source: Attribute, result: Attribute) -> str | None:
    if isinstance(source, IndexType) != isinstance(result, IndexType):
        return None
    return f"expected index on exactly one side, got {source} and {result}"


_CASTS: dict[type[IRDLOperation], ElementRule] = {
    arith.ExtSIOp: _wider,
    arith.ExtUIOp: _wider,
    arith.TruncIOp: _narrower,
    arith.SIToFPOp: _any_elements,
    arith.UIToFPOp: _any_elements,
    arith.FPToSIOp: _any_elements,
    arith.FPToUIOp: _any_elements,
    arith.IndexCastOp: _one_index,
}


def _repair_cast(op_type: type[IRDLOperation], why_not: ElementRule) -> None:
    def verify_shaped(op: IRDLOperation) -> None:
        _verify_shapes(op)
        types = (*op.operand_types, *op.result_types)
        reason = why_not(*map(get_element_type_or_self, types))
        if reason is not None:
            raise VerifyException(f"'{op.name}' {reason}")

    _lift(op_type, ["input", "result"], verify_shaped)


def repair() -> None:
    """Lift what this xDSL has as scalars only."""
    for comparison in (CmpiOp, CmpfOp):
        _repair_comparison(comparison)
    _repair_cmpi_canonicalization()
    _repair_select()
    for cast_, why_not in _CASTS.items():
        _repair_cast(cast_, why_not)
