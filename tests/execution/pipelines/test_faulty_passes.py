"""The harness sees whatever a pass does wrong, also without making one new op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.reference.errors import UndefinedBehavior
from tests.execution.harness import LINES, Maker, check_passes

KERNEL = """
spmd.kernel @k(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %w = memref.load %y[%i] : memref<?xi32>
  %less = arith.cmpi slt, %v, %w : i32
  %d = arith.subi %v, %w : i32
  scf.if %less {
    memref.store %d, %x[%i] : memref<?xi32>
  } else {
    memref.store %v, %y[%i] : memref<?xi32>
  }
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.random("i32", make.n)]


def another_predicate(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, arith.CmpiOp):
            op.properties["predicate"] = IntegerAttr(4, i64)


def operands_swapped(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, arith.SubiOp):
            op.operands = op.operands[::-1]


def stores(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, memref.StoreOp)]


def a_store_less(module: ModuleOp) -> None:
    store = stores(module)[0]
    store.detach()
    store.erase()


def a_store_moved_out(module: ModuleOp) -> None:
    for op in [op for op in module.walk() if isinstance(op, scf.IfOp)]:
        store = op.true_region.block.first_op
        assert isinstance(store, memref.StoreOp)
        store.detach()
        assert op.parent is not None
        op.parent.insert_op_before(store, op)


def regions_exchanged(module: ModuleOp) -> None:
    for op in [op for op in module.walk() if isinstance(op, scf.IfOp)]:
        one, other = op.true_region, op.false_region
        first, second = one.detach_block(0), other.detach_block(0)
        one.add_block(second)
        other.add_block(first)


@dataclass(frozen=True)
class FaultyPass(ModulePass):
    """Does something wrong."""

    name = "faulty"
    fault: Callable[[ModuleOp], None]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.fault(op)


@pytest.mark.parametrize(
    "fault",
    [
        another_predicate,
        operands_swapped,
        a_store_less,
        a_store_moved_out,
        regions_exchanged,
    ],
)
def test_another_meaning_is_seen(fault: Callable[[ModuleOp], None]):
    with pytest.raises((AssertionError, UndefinedBehavior)) as caught:
        check_passes(KERNEL, arguments, LINES, SpmdToLoopsPass(), FaultyPass(fault))
    assert "after faulty" in caught.value.__notes__[0]


def test_invalid_ir_is_seen():
    def another_type(module: ModuleOp) -> None:
        for op in module.walk():
            if isinstance(op, arith.CmpiOp):
                op.result._type = i32  # pyright: ignore[reportPrivateUsage]

    with pytest.raises(VerifyException):
        check_passes(
            KERNEL, arguments, LINES, SpmdToLoopsPass(), FaultyPass(another_type)
        )
