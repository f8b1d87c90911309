"""What authors of ops do wrong is said of their op, and is no bug of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, f32
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.irdl import traits_def as traits_of
from xdsl.traits import Pure

import spmd
from spmd.dialects.spmd import GlobalIdOp, KernelOp, ReturnOp
from spmd.interfaces import Elementwise, Emission, Meaning, OpInterface, computed


def kernel_with(*interfaces: OpInterface) -> ModuleOp:
    """A kernel with an op on `f32` that has these interfaces."""

    @irdl_op_definition
    class WrongOp(IRDLOperation):
        name = "own.wrong"
        x = operand_def(f32)
        r = result_def(f32)
        traits = traits_of(Pure(), *interfaces)

        def __init__(self, x: SSAValue):
            super().__init__(operands=[x], result_types=[f32])

    kernel = KernelOp("k", [MemRefType(f32, [DYNAMIC_INDEX])])
    with ImplicitBuilder(kernel.body) as (x,):
        i = GlobalIdOp("x").result
        memref.StoreOp.get(WrongOp(memref.LoadOp.get(x, [i]).res).r, x, [i])
        ReturnOp()
    return ModuleOp([kernel])


def divide(writer: Any, op: Any) -> None:
    raise ZeroDivisionError("division by nothing")


def fail(x: float) -> float:
    raise AttributeError("missing")


def forget(writer: Any, op: Any) -> None:
    pass


def double(writer: Any, op: Any) -> None:
    type_, x = writer.type_of(op.x), writer.get(op.x)
    writer.define(op.r, f"fadd {type_} {x}, {x}")


def double_one(writer: Any, op: Any) -> None:
    x = writer.get(op.x)
    writer.define(op.r, f"fadd float {x}, {x}")


@pytest.mark.parametrize(
    ("emit", "message"),
    [
        (divide, "the Emission of own.wrong failed: ZeroDivisionError: division by nothing"),
        (forget, "the Emission of own.wrong does not define result 0"),
        (double_one, "'own.wrong': operand 'x' at position 0 does not verify"),
    ],
)  # fmt: skip
def test_an_emission_that_fails(emit: Callable[[Any, Any], None], message: str):
    kernel = spmd.compile(kernel_with(Elementwise(), Emission(emit)), width=8)["k"]
    with pytest.raises(spmd.CompileError) as error:
        kernel(np.ones(64, np.float32), global_size=64)
    assert message in str(error.value)
    assert "please report" not in str(error.value)
    if emit is divide:
        assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_without_lanes_a_definition_may_be_narrow():
    x = np.ones(64, np.float32)
    program = spmd.compile(kernel_with(Emission(double)), width=8)
    program["k"](x, global_size=64)
    assert (x == 2).all()


def test_a_meaning_that_fails():
    meaning = Meaning(computed(fail))
    kernel = spmd.compile(kernel_with(Emission(double), meaning))["k"]
    with pytest.raises(
        spmd.CompileError, match=r"the Meaning of own.wrong failed"
    ) as e:
        kernel.check(np.ones(4, np.float32), global_size=4)
    assert isinstance(e.value.__cause__, AttributeError)
