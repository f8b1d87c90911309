"""A function that xDSL's own Python frontend reads, applied to every element of arrays."""

from math import cos, exp

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, math, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FloatAttr, MemRefType, ModuleOp, f32
from xdsl.frontend.pyast.context import PyASTContext

from spmd.dialects.spmd import GlobalIdOp, KernelOp, ReturnOp

Floats = NDArray[np.float32]


context = PyASTContext()
context.register_type(float, f32)
context.register_literal(float, lambda number: arith.ConstantOp(FloatAttr(number, f32)))
context.register_function(float.__add__, arith.AddfOp)
context.register_function(float.__sub__, arith.SubfOp)
context.register_function(float.__mul__, arith.MulfOp)
context.register_function(float.__truediv__, arith.DivfOp)
context.register_function(exp, math.ExpOp)
context.register_function(cos, math.CosOp)


@context.parse_program
def ripple(x: float, width: float) -> float:
    return exp(0.0 - x * x / (width * width)) * cos(x * 8.0)


def each(function: func.FuncOp) -> KernelOp:
    """A kernel that stores `function` of an element and a number, in another array."""
    array = MemRefType(f32, [DYNAMIC_INDEX])
    name = function.sym_name.data
    kernel = KernelOp(f"each_{name}", [array, f32, array])
    with ImplicitBuilder(kernel.body) as (x, width, y):
        x.name_hint, width.name_hint, y.name_hint = "x", "width", "y"
        i = GlobalIdOp("x").result
        element = memref.LoadOp.get(x, [i]).res
        (result,) = func.CallOp(name, [element, width], [f32]).res
        memref.StoreOp.get(result, y, [i])
        ReturnOp()
    return kernel


def module() -> ModuleOp:
    """The function, and a kernel that calls it."""
    function = ripple.module.clone()
    (first,) = function.ops
    assert isinstance(first, func.FuncOp)
    function.body.block.add_op(each(first))
    return function


def launch(n: int = 1 << 22) -> Launch:
    x = np.random.default_rng(13).normal(0, 2, n).astype(np.float32)
    return Launch((x, 1.5, np.zeros_like(x)), outputs=(2,), global_size=n)


def with_numpy(x: Floats, width: float, y: Floats) -> None:
    square = np.float32(width) * np.float32(width)
    for at in blocks(x.size, 8192):
        near = np.exp(-(x[at] * x[at]) / square)
        y[at] = near * np.cos(x[at] * np.float32(8))


EXAMPLE = Example(
    __file__,
    "each_ripple",
    launch,
    with_numpy,
    [(1,), (512,), (1000,)],
    rtol=1e-5,
    atol=1e-6,
    module=module,
)

if __name__ == "__main__":
    EXAMPLE.main()
