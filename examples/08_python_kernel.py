"""A kernel built with typed Python constructors, as a frontend would build it."""

from collections.abc import Sequence
from math import factorial

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray
from xdsl.builder import Builder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FloatAttr, MemRefType, ModuleOp, f32
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from spmd.dialects.spmd import GlobalIdOp, KernelOp, ReturnOp

Floats = NDArray[np.float32]

EXPONENTIAL = [1 / factorial(n) for n in range(12)]
"""The first coefficients of the series of the exponential function."""


def polynomial(coefficients: Sequence[float]) -> ModuleOp:
    """A kernel that evaluates one polynomial, whose coefficients become constants."""
    array = MemRefType(f32, [DYNAMIC_INDEX])
    kernel = KernelOp("polynomial", [array, array])
    x, y = kernel.body.block.args
    x.name_hint, y.name_hint = "x", "y"
    builder = Builder(InsertPoint.at_end(kernel.body.block))

    def constant(value: float) -> SSAValue:
        return builder.insert(arith.ConstantOp(FloatAttr(value, f32))).result

    i = builder.insert(GlobalIdOp("x")).result
    xi = builder.insert(memref.LoadOp.get(x, [i])).res
    highest, *others = reversed(coefficients)
    result = constant(highest)
    for coefficient in others:
        product = builder.insert(arith.MulfOp(result, xi)).result
        result = builder.insert(arith.AddfOp(product, constant(coefficient))).result
    builder.insert(memref.StoreOp.get(result, y, [i]))
    builder.insert(ReturnOp())
    return ModuleOp([kernel])


def launch(n: int = 1 << 22) -> Launch:
    x = np.random.default_rng(8).uniform(-1, 1, n).astype(np.float32)
    return Launch((x, np.zeros_like(x)), outputs=(1,), global_size=n)


def with_numpy(x: Floats, y: Floats) -> None:
    highest, *others = (np.float32(c) for c in reversed(EXPONENTIAL))
    for at in blocks(x.size, 8192):
        np.multiply(x[at], highest, out=y[at])
        np.add(y[at], others[0], out=y[at])
        for coefficient in others[1:]:
            np.multiply(y[at], x[at], out=y[at])
            np.add(y[at], coefficient, out=y[at])


EXAMPLE = Example(
    __file__,
    "polynomial",
    launch,
    with_numpy,
    [(1,), (512,), (1000,)],
    module=lambda: polynomial(EXPONENTIAL),
)

if __name__ == "__main__":
    EXAMPLE.main()
