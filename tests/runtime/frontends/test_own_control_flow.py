"""Control flow of others that has no `Expansion` is not taken for that of `scf`."""

from __future__ import annotations

from typing import Any

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, f32, i1
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
)
from xdsl.traits import IsTerminator

import spmd
from spmd.dialects.spmd import GlobalIdOp, KernelOp, ReturnOp
from spmd.interfaces import Emission, RegionBranch, RegionTerminator, Runs


def write_nothing(writer: Any, op: Any) -> None:
    pass


@irdl_op_definition
class EndOp(IRDLOperation):
    name = "own.end"
    traits = traits_def(
        IsTerminator(), RegionTerminator(forwarded=0), Emission(write_nothing)
    )


@irdl_op_definition
class WhenOp(IRDLOperation):
    name = "own.when"
    condition = operand_def(i1)
    body = region_def("single_block")
    traits = traits_def(
        RegionBranch(runs=Runs.CHOICE, decides=1, may_skip=True),
        Emission(write_nothing),
    )

    def __init__(self, condition: SSAValue, body: Region):
        super().__init__(operands=[condition], regions=[body])


def test_the_loop_around_it_stays_scalar():
    kernel = KernelOp("k", [MemRefType(f32, [DYNAMIC_INDEX])])
    with ImplicitBuilder(kernel.body) as (x,):
        i = GlobalIdOp("x").result
        v = memref.LoadOp.get(x, [i]).res
        body = Region(Block())
        WhenOp(arith.CmpfOp(v, v, "oeq").result, body)
        with ImplicitBuilder(body):
            memref.StoreOp.get(v, x, [i])
            EndOp()
        ReturnOp()
    program = spmd.compile(ModuleOp([kernel]), width=8)
    (loop,) = program["k"].explain().kernels[0].loops
    assert loop.lanes == 1
    assert "control flow of own.when, which has no Expansion" in loop.why_lanes
