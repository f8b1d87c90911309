"""Every named op of `linalg` that the table adds, by NumPy, and by MLIR's own lowering."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import spmd
from spmd.dialects.compat.linalg.named import NAMED_OPS
from spmd.lowering.machine import host_machine
from spmd.lowering.native import compile_native
from spmd.passes.frontends.linalg_to_parallel_loops import LinalgToParallelLoopsPass
from spmd.reference import run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.lowering.native_functions import NativeFunctions
from tests.execution.pipelines.upstream.mlir_tools import run, to_llvm_ir

Array = Any
SIZES = dict(
    zip(
        "bijIJKndhwcfrklm",
        [2, 5, 6, 2, 3, 2, 2, 2, 3, 5, 4, 3, 2, 3, 2, 2],
        strict=True,
    )
)
TYPES = {"float32": "f32", "float16": "f16", "int32": "i32", "int8": "i8"}


def rounded(x: Array) -> Array:
    return np.trunc(x + np.copysign(np.float32(0.5), x))


def inverse_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


def unsigned_quotient(x: Array, y: Array) -> Array:
    return (x.view("u4") // y.view("u4")).view("i4")


FLOATS = (np.float32, np.float32)

ELEMENTWISE: dict[str, tuple[Callable[..., Array], float, float]] = {
    "abs": (np.abs, -4, 4),
    "ceil": (np.ceil, -4, 4),
    "erf": (np.vectorize(math.erf, [np.float32]), -4, 4),
    "floor": (np.floor, -4, 4),
    "negf": (np.negative, -4, 4),
    "reciprocal": (np.reciprocal, 0.1, 4),
    "round": (rounded, -4, 4),
    "rsqrt": (inverse_root, 0.1, 4),
    "square": (np.square, -4, 4),
    "tanh": (np.tanh, -4, 4),
    "div": (np.divide, 0.1, 4),
    "div_unsigned": (unsigned_quotient, -900, -4),
    "powf": (np.power, 0.1, 4),
}
"""What each computes, and between which numbers."""

_PLAIN = {
    "dot": "i,i->",
    "matvec": "ij,j->i",
    "vecmat": "j,ji->i",
    "batch_matvec": "bij,bj->bi",
    "batch_vecmat": "bj,bji->bi",
    "matmul_transpose_a": "ki,kj->ij",
    "matmul_transpose_b": "ik,jk->ij",
    "batch_matmul": "bik,bkj->bij",
    "batch_matmul_transpose_a": "bki,bkj->bij",
    "batch_matmul_transpose_b": "bik,bjk->bij",
    "batch_reduce_matmul": "bik,bkj->ij",
    "mmt4d": "IKik,JKjk->IJij",
    "batch_mmt4d": "bIKik,bJKjk->bIJij",
}

_WINDOWED = {
    "conv_1d": ([0], "wk,k->w"),
    "conv_2d": ([0, 1], "hwkl,kl->hw"),
    "conv_3d": ([0, 1, 2], "dhwklm,klm->dhw"),
    "conv_1d_nwc_wcf": ([1], "nwck,kcf->nwf"),
    "conv_1d_ncw_fcw": ([2], "ncwk,fck->nfw"),
    "conv_3d_ndhwc_dhwcf": ([1, 2, 3], "ndhwcklm,klmcf->ndhwf"),
    "conv_3d_ncdhw_fcdhw": ([2, 3, 4], "ncdhwklm,fcklm->nfdhw"),
    "depthwise_conv_1d_nwc_wc": ([1], "nwck,kc->nwc"),
    "depthwise_conv_1d_ncw_cw": ([2], "ncwk,ck->ncw"),
    "depthwise_conv_1d_nwc_wcm": ([1], "nwck,kcm->nwcm"),
    "depthwise_conv_2d_nhwc_hwc": ([1, 2], "nhwckl,klc->nhwc"),
    "depthwise_conv_2d_nchw_chw": ([2, 3], "nchwkl,ckl->nchw"),
    "depthwise_conv_2d_nhwc_hwcm": ([1, 2], "nhwckl,klcm->nhwcm"),
    "depthwise_conv_3d_ndhwc_dhwc": ([1, 2, 3], "ndhwcklm,klmc->ndhwc"),
    "depthwise_conv_3d_ncdhw_cdhw": ([2, 3, 4], "ncdhwklm,cklm->ncdhw"),
    "depthwise_conv_3d_ndhwc_dhwcm": ([1, 2, 3], "ndhwcklm,klmcr->ndhwcr"),
}
_NONE: list[int] = []
PRODUCTS = {name: (_NONE, formula) for name, formula in _PLAIN.items()} | _WINDOWED
"""Of the first operand the dimensions with windows; those in the windows come last."""

POOLED = {
    "nwc": ([1], "nwck,k->nwc"),
    "ncw": ([2], "ncwk,k->ncw"),
    "nhwc": ([1, 2], "nhwckl,kl->nhwc"),
    "nchw": ([2, 3], "nchwkl,kl->nchw"),
    "ndhwc": ([1, 2, 3], "ndhwcklm,klm->ndhwc"),
}


def windows(x: Array, axes: list[int], sizes: list[int], steps: Any) -> Array:
    """The places in windows as further dimensions."""
    extents = [
        (size - 1) * dilation + 1
        for size, (_, dilation) in zip(sizes, steps, strict=True)
    ]
    found: Array = sliding_window_view(x, extents, axis=tuple(axes))
    index = [slice(None)] * x.ndim + [slice(None, None, d) for _, d in steps]
    for axis, (stride, _) in zip(axes, steps, strict=True):
        index[axis] = slice(None, None, stride)
    return found[tuple(index)]


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    """Small ones, whose sums are exact."""
    lowest = 1 if dtype in (np.float32, np.float16) else -8
    return np.random.default_rng(shape).integers(lowest, 9, shape).astype(dtype)


class Case:
    """An op on arrays, and what NumPy says."""

    def __init__(self, name: str, arrays: list[Array], want: Array, options: str = ""):
        self.name, self.arrays, self.want, self.options = name, arrays, want, options

    def source(self, function: str) -> str:
        *inputs, output = (
            (f"%a{n}", f"memref<{'?x' * each.ndim}{TYPES[each.dtype.name]}>")
            for n, each in enumerate(self.arrays)
        )
        names, types = (", ".join(each) for each in zip(*inputs, strict=True))
        arguments = ", ".join(map(": ".join, [*inputs, output]))
        return f"""
func.func @{function}({arguments}) {{
  linalg.{self.name}{self.options} ins({names} : {types}) outs({" : ".join(output)})
  func.return
}}"""


def elementwise(name: str) -> Case:
    function, low, high = ELEMENTWISE[name]
    integers = name == "div_unsigned"
    rng = np.random.default_rng(len(name))
    count = 2 if integers or name in ("div", "powf") else 1
    inputs = [
        (rng.uniform(low, high, (5, 7))).astype(np.int32 if integers else np.float32)
        for _ in range(count)
    ]
    return Case(name, [*inputs, np.zeros_like(inputs[0])], function(*inputs))


def summed(name: str, *, types: tuple[Any, Any] = FLOATS, steps: Any = None) -> Case:
    """A product or pooling on elements of `types`; `steps` are strides and dilations."""
    _, layout, kind = f"{name}__".split("_", 2)
    kind = kind.rstrip("_") if name.startswith("pooling_") else ""
    axes, formula = POOLED[layout] if kind else PRODUCTS[name]
    first, second, output = formula.replace("->", ",").split(",")
    outer = len(first) - len(axes)
    shape, window = (
        [SIZES[each] for each in x] for x in (first[:outer], first[outer:])
    )
    pairs = steps or [(1, 1)] * len(axes)
    for axis, size, (stride, dilation) in zip(axes, window, pairs, strict=True):
        shape[axis] = (shape[axis] - 1) * stride + (size - 1) * dilation + 1
    x = numbers(*shape, dtype=types[0])
    y = numbers(*(SIZES[each] for each in second), dtype=types[0])
    z = numbers(*(SIZES[each] for each in output), dtype=types[1])
    seen = windows(x, axes, window, pairs) if axes else x
    if kind:
        want = pooled(kind, seen, z, len(axes))
    else:
        want = z + np.einsum(formula, seen.astype(z.dtype), y.astype(z.dtype))
    return Case(name, [x, y, z], want, written(steps) if steps else "")


def pooled(kind: str, x: Array, z: Array, depth: int) -> Array:
    if kind.endswith("unsigned") and x.dtype.kind == "i":
        wide = x.view(f"u{x.itemsize}").astype(f"u{z.itemsize}")
        return pooled(kind[:3], wide, z.view(wide.dtype), depth).view(z.dtype)
    combine = {"sum": np.add, "max": np.maximum, "min": np.minimum}[kind[:3]]
    return combine(z, combine.reduce(x.astype(z.dtype), axis=tuple(range(-depth, 0))))


def written(steps: Any) -> str:
    strides, dilations = (
        f"dense<{list(each)}> : tensor<{len(steps)}xi64>"
        for each in zip(*steps, strict=True)
    )
    return f" {{strides = {strides}, dilations = {dilations}}}"


STEPPED = (
    ("conv_1d_ncw_fcw", [(2, 3)]),
    ("depthwise_conv_2d_nhwc_hwcm", [(2, 3), (3, 1)]),
    ("conv_3d_ndhwc_dhwcf", [(2, 3), (3, 1), (1, 2)]),
    ("pooling_nhwc_max", [(3, 1), (2, 2)]),
)
CASES = {
    **{name: elementwise(name) for name in ELEMENTWISE},
    **{name: summed(name) for name in NAMED_OPS if name not in ELEMENTWISE},
    **{f"{name}_steps": summed(name, steps=steps) for name, steps in STEPPED},
    **{
        f"{name}_{types[1].__name__}": summed(name, types=types)
        for name in ("matvec", "conv_1d_nwc_wcf", "pooling_nhwc_sum")
        for types in ((np.int8, np.int32), (np.float16, np.float32))
    },
    **{
        f"{name}_int32": summed(name, types=(np.int8, np.int32))
        for name in NAMED_OPS
        if name.startswith("pooling") and name.endswith("unsigned")
    },
}


@cache
def text() -> str:
    return "\n".join(case.source(f"named_{name}") for name, case in CASES.items())


@cache
def program() -> spmd.Program:
    return spmd.compile(text(), vectorize=False)


@cache
def loops() -> ModuleOp:
    module = parse(SourceText("named.mlir", text()))
    LinalgToParallelLoopsPass().apply(make_context(), module)
    module.verify()
    return module


@cache
def upstream() -> NativeFunctions:
    """The same text, as xDSL prints it, by MLIR's own passes."""
    module = parse(SourceText("named.mlir", text()))

    class Upstream(NativeFunctions):
        def __init__(self):
            lowered = run("mlir-opt", str(module), "--convert-linalg-to-loops")
            self.llvm_ir = to_llvm_ir(lowered)
            self.native = compile_native(self.llvm_ir, host_machine(), opt=1)
            self.types = {
                op.sym_name.data: op.function_type
                for op in module.ops
                if isinstance(op, FuncOp)
            }

    return Upstream()


def check(name: str, call: Callable[..., object]) -> None:
    case = CASES[name]
    arrays = [each.copy() for each in case.arrays]
    call(*arrays)
    np.testing.assert_allclose(arrays[-1], case.want, rtol=3e-6, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_what_numpy_says(name: str):
    check(name, program()[f"named_{name}"])
    check(name, lambda *arrays: run_function(loops(), f"named_{name}", list(arrays)))


@pytest.mark.parametrize("name", CASES)
def test_what_upstream_says(name: str):
    functions = upstream()
    check(name, lambda *arrays: functions(f"named_{name}", *arrays))
