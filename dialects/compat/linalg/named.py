"""
The named ops of `linalg` that xDSL 0.74 lacks: a row each of what they access, and a body.

A row has the dimensions of each operand, as `numpy.einsum` writes them; `w+k` is a window:
place `w` of the output times a stride, and place `k` in the window times a dilation. What the
output has no dimension of is summed up, or what else the body does.

```mlir
linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>}
    ins(%x, %weights : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%y : memref<?x?x?xf32>)
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.builder import Builder
from xdsl.dialects import linalg
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    ShapedType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import ops
from xdsl.dialects.linalg.abstract_ops import (
    ConvOperation,
    NamedOperation,
    PoolingOperation,
)
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.compat import add_missing
from spmd.dialects.compat.linalg.bodies import (
    ELEMENTWISE,
    POOLINGS,
    Body,
    copy,
    elementwise,
    sum_of_products,
)

_UNARY, _BINARY = "..., ...", "..., ..., ..."

_PRODUCTS = {
    "dot": "i, i, ",
    "matvec": "i j, j, i",
    "vecmat": "j, j i, i",
    "batch_matvec": "b i j, b j, b i",
    "batch_vecmat": "b j, b j i, b i",
    "matmul_transpose_a": "k i, k j, i j",
    "matmul_transpose_b": "i k, j k, i j",
    "batch_matmul": "b i k, b k j, b i j",
    "batch_matmul_transpose_a": "b k i, b k j, b i j",
    "batch_matmul_transpose_b": "b i k, b j k, b i j",
    "batch_reduce_matmul": "b i k, b k j, i j",
    "mmt4d": "I K i k, J K j k, I J i j",
    "batch_mmt4d": "b I K i k, b J K j k, b I J i j",
    "conv_1d": "w+k, k, w",
    "conv_2d": "h+k w+l, k l, h w",
    "conv_3d": "d+k h+l w+m, k l m, d h w",
    "conv_1d_nwc_wcf": "n w+k c, k c f, n w f",
    "conv_1d_ncw_fcw": "n c w+k, f c k, n f w",
    "conv_3d_ndhwc_dhwcf": "n d+k h+l w+m c, k l m c f, n d h w f",
    "conv_3d_ncdhw_fcdhw": "n c d+k h+l w+m, f c k l m, n f d h w",
    "depthwise_conv_1d_nwc_wc": "n w+k c, k c, n w c",
    "depthwise_conv_1d_ncw_cw": "n c w+k, c k, n c w",
    "depthwise_conv_1d_nwc_wcm": "n w+k c, k c m, n w c m",
    "depthwise_conv_2d_nhwc_hwc": "n h+k w+l c, k l c, n h w c",
    "depthwise_conv_2d_nchw_chw": "n c h+k w+l, c k l, n c h w",
    "depthwise_conv_2d_nhwc_hwcm": "n h+k w+l c, k l c m, n h w c m",
    "depthwise_conv_3d_ndhwc_dhwc": "n d+k h+l w+m c, k l m c, n d h w c",
    "depthwise_conv_3d_ncdhw_cdhw": "n c d+k h+l w+m, c k l m, n c d h w",
    "depthwise_conv_3d_ndhwc_dhwcm": "n d+k h+l w+m c, k l m c r, n d h w c r",
}

_POOLED = {
    "nwc": ("n w+k c, k, n w c", "sum max max_unsigned min min_unsigned"),
    "ncw": ("n c w+k, k, n c w", "sum max"),
    "nhwc": ("n h+k w+l c, k l, n h w c", "sum max max_unsigned min min_unsigned"),
    "nchw": ("n c h+k w+l, k l, n c h w", "sum"),
    "ndhwc": ("n d+k h+l w+m c, k l m, n d h w c", "sum max min"),
}
"""For each layout the dimensions, and which poolings there are."""

_BINARY_NAMES = ("div", "div_unsigned", "powf")

_ROWS: dict[str, tuple[str, Body]] = {
    **{
        name: (_BINARY if name in _BINARY_NAMES else _UNARY, elementwise(compute))
        for name, compute in ELEMENTWISE.items()
    },
    **{name: (dimensions, sum_of_products) for name, dimensions in _PRODUCTS.items()},
    **{
        f"pooling_{layout}_{kind}": (dimensions, POOLINGS[kind])
        for layout, (dimensions, kinds) in _POOLED.items()
        for kind in kinds.split()
    },
}


class TableOp(NamedOperation):
    """A named op of which a row says all; inputs, outputs and errors are upstream's."""

    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        properties: dict[str, Attribute | None] | None = None,
    ):
        super().__init__(
            inputs,
            outputs,
            [results_of(outputs)],
            properties,
            hidden_region=self.get_hidden_region(inputs, outputs),
        )

    @classmethod
    def _row(cls) -> tuple[list[str], Body]:
        dimensions, body = _ROWS[cls.name.removeprefix("linalg.")]
        return dimensions.split(","), body

    @classmethod
    def get_hidden_region(
        cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> Region:
        dimensions, body = cls._row()
        return _region(cls.name, body, len(dimensions) - 1, inputs, outputs)

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        dimensions, _ = self._row()
        output = self.outputs[0].type
        assert isinstance(output, ShapedType), "its definition says so"
        if dimensions[-1].strip() == "...":
            return (AffineMap.identity(output.get_num_dims()),) * len(dimensions)
        return _maps(dimensions, self._steps("strides"), self._steps("dilations"))

    def _steps(self, name: str) -> tuple[int, ...]:
        """How far apart the places of a window are; upstream's default is one."""
        given = self.properties.get(name)
        count = self._row()[0][0].count("+")
        if not isinstance(given, DenseIntOrFPElementsAttr):
            return (1,) * count
        steps = given.get_values()
        if len(steps) != count:
            raise VerifyException(f"expected {count} {name}, got {len(steps)}")
        return steps

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        *_, output = self.get_default_indexing_maps()
        kept = output.used_dims()
        return ArrayAttr(
            IteratorTypeAttr.parallel() if n in kept else IteratorTypeAttr.reduction()
            for n in range(output.num_dims)
        )


class WindowOp(TableOp):
    """One with windows, which have strides and dilations."""

    strides = opt_prop_def(DenseIntElementsAttr)
    dilations = opt_prop_def(DenseIntElementsAttr)


def _maps(
    dimensions: Sequence[str], strides: Sequence[int], dilations: Sequence[int]
) -> list[AffineMap]:
    """The dimensions of the output come first, so that lanes lie along its last one."""
    named = re.findall(r"\w", " ".join((dimensions[-1], *dimensions)))
    dims = {name: AffineDimExpr(n) for n, name in enumerate(dict.fromkeys(named))}
    steps = iter(zip(strides, dilations, strict=True))

    def place(text: str) -> AffineExpr:
        if "+" not in text:
            return dims[text]
        outer, inner = text.split("+")
        stride, dilation = next(steps)
        return dims[outer] * stride + dims[inner] * dilation

    return [
        AffineMap(len(dims), 0, tuple(map(place, operand.split())))
        for operand in dimensions
    ]


def results_of(outputs: Sequence[SSAValue]) -> list[Attribute]:
    """The types of the results: an output that is a tensor has one."""
    types = [each.type for each in outputs]
    return [type_ for type_ in types if not isinstance(type_, MemRefType)]


def _region(
    name: str,
    body: Body,
    count: int,
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
) -> Region:
    if (len(inputs), len(outputs)) != (count, 1):
        raise VerifyException(
            f"expected {name} to have {count} inputs and an output, got {len(inputs)} and "
            f"{len(outputs)}"
        )

    @Builder.implicit_region(_element_types((*inputs, *outputs)))
    def region(args: tuple[BlockArgument, ...]) -> None:
        *elements, output = args
        ops.YieldOp(body(elements, output))

    return region


def _element_types(operands: Sequence[SSAValue]) -> list[Attribute]:
    return [get_element_type_or_self(each.type) for each in operands]


def _define(name: str) -> type[NamedOperation]:
    base = WindowOp if "+" in _ROWS[name][0] else TableOp
    words = "".join(map(str.capitalize, name.split("_")))
    fields = {"name": f"linalg.{name}", "__doc__": f"Upstream's `linalg.{name}`."}
    return irdl_op_definition(cast(Any, type(f"{words}Op", (base,), fields)))


NAMED_OPS = {name: _define(name) for name in _ROWS}
"""The op classes, by what upstream calls them after `linalg.`."""


def repair() -> None:
    """
    Add the ops to xDSL's `linalg` dialect, and give its own what upstream's have.

    These are elements of other types than those of the output, which are cast to it, elements
    of type `index`, and windows without strides and dilations.
    """
    add_missing(linalg.Linalg, tuple(NAMED_OPS.values()))
    setattr(NamedOperation, "body_arg_types", staticmethod(_element_types))
    for op, body, count in (
        (ops.FillOp, copy, 1),
        (ops.CopyOp, copy, 1),
        (ops.MatmulOp, sum_of_products, 2),
        (ConvOperation, sum_of_products, 2),
        (ops.PoolingNchwMaxOp, POOLINGS["max"], 2),
    ):
        setattr(op, "get_hidden_region", classmethod(_hidden(body, count)))
    ones = DenseIntElementsAttr.from_list(TensorType(i64, [2]), [1, 1])
    for op in linalg.Linalg.operations:
        if issubclass(op, ConvOperation | PoolingOperation):
            properties = op.get_irdl_definition().properties
            properties["strides"].default_value = ones
            properties["dilations"].default_value = ones


def _hidden(body: Body, count: int) -> Any:
    def get_hidden_region(
        cls: type[NamedOperation],
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
    ) -> Region:
        return _region(cls.name, body, count, inputs, outputs)

    return get_hidden_region
