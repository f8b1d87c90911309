"""Ops that are short for others: what may go wrong with them, and where they came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Block, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    result_def,
    traits_def,
    var_region_def,
)
from xdsl.pattern_rewriter import PatternRewriter

import spmd
from spmd.dialects.diagnostics import KernelError
from spmd.dialects.interfaces.expansion import Expansion, expand_all
from spmd.dialects.spmd import KernelOp, ReturnOp

PLACE = FileLineColLoc(StringAttr("a.mlir"), IntAttr(3), IntAttr(5))


def short_for(expand: Any) -> Callable[..., Operation]:
    @irdl_op_definition
    class ShortOp(IRDLOperation):
        name = "test.short"
        r = result_def(i32)
        bodies = var_region_def()
        traits = traits_def(Expansion(expand))

        def __init__(self, *bodies: Region):
            super().__init__(result_types=[i32], regions=[bodies])
            self.location = PLACE

    return ShortOp


def seven(op: Operation, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, arith.ConstantOp.from_int_and_width(7, 32))


def in_kernel(*ops: Operation) -> ModuleOp:
    kernel = KernelOp("k", [])
    kernel.body.block.add_ops([*ops, ReturnOp()])
    return ModuleOp([kernel])


def test_new_ops_have_the_place_of_the_old_one():
    module = in_kernel(short_for(seven)())
    expand_all(module)
    (new,) = [op for op in module.walk() if isinstance(op, arith.ConstantOp)]
    assert new.location == PLACE


def test_inner_ops_come_first_and_what_they_make_is_expanded_too():
    order: list[str] = []

    def outer(op: Any, rewriter: PatternRewriter) -> None:
        order.append("outer")
        assert not any(Expansion.of(inner) for inner in op.bodies[0].walk())
        seven(op, rewriter)

    def inner(op: Operation, rewriter: PatternRewriter) -> None:
        order.append("inner")
        rewriter.replace(op, short_for(innermost)())

    def innermost(op: Operation, rewriter: PatternRewriter) -> None:
        order.append("innermost")
        seven(op, rewriter)

    body = Region(Block([short_for(inner)()]))
    module = in_kernel(short_for(outer)(body))
    expand_all(module)
    assert order == ["inner", "innermost", "outer"]
    assert not any(Expansion.of(op) for op in module.walk())


def stays(op: Operation, rewriter: PatternRewriter) -> None:
    rewriter.insert(test.TestOp())


def is_wrong(op: Operation, rewriter: PatternRewriter) -> None:
    raise ZeroDivisionError("of its author")


def makes_itself(op: Operation, rewriter: PatternRewriter) -> None:
    rewriter.replace(op, type(op)())


@pytest.mark.parametrize(
    ("expand", "message"),
    [
        (stays, "expected the Expansion of test.short to replace it"),
        (
            is_wrong,
            "the Expansion of test.short failed: ZeroDivisionError: of its author",
        ),
        (
            makes_itself,
            "expected an Expansion that ends, got one that makes test.short",
        ),
    ],
)
def test_a_wrong_expansion_is_told(expand: Any, message: str):
    with pytest.raises(KernelError, match=f"a.mlir:3:5: @k: {message}"):
        expand_all(in_kernel(short_for(expand)()))


def test_whoever_wrote_it_sees_where_it_failed():
    with pytest.raises(
        spmd.CompileError, match=r"^a.mlir:3:5: the Expansion"
    ) as caught:
        spmd.compile(in_kernel(short_for(is_wrong)()))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_an_expansion_makes_is_verified():
    def compare(op: Operation, rewriter: PatternRewriter) -> None:
        four = arith.ConstantOp.from_int_and_width(4, 64)
        sum_ = arith.AddiOp(four, four, result_type=i32)
        rewriter.replace(op, [four, sum_])

    with pytest.raises(spmd.CompileError, match=r"^a.mlir:3:5: 'arith.addi'"):
        spmd.compile(in_kernel(short_for(compare)()))
