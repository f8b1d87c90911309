"""
Which transformer belongs to which operation.

An operation without regions that has no entry gives varying results. Loads, stores and
allocations are not here: what they give depends on more than their operands
(`analysis/memory/private_memory.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from spmd.analysis.shapes.shape import UNDEF, VARYING, Shape
from spmd.analysis.shapes.transfer import (
    Lanes,
    Transformer,
    elementwise,
    fit_to_type,
    uniform,
)
from spmd.analysis.shapes.transfer_conversion import CONVERSION_TRANSFORMERS
from spmd.analysis.shapes.transfer_integer import INTEGER_TRANSFORMERS
from spmd.analysis.shapes.transfer_spmd import SPMD_TRANSFORMERS

ELEMENTWISE_ARITH = [
    "addf",
    "addui_extended",
    "bitcast",
    "cmpf",
    "divf",
    "extf",
    "fptosi",
    "fptoui",
    "maximumf",
    "maxnumf",
    "minimumf",
    "minnumf",
    "mulf",
    "mulsi_extended",
    "mului_extended",
    "negf",
    "sitofp",
    "subf",
    "truncf",
    "uitofp",
    "remf",
]

ELEMENTWISE_MATH = [
    "absf",
    "absi",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "ctlz",
    "ctpop",
    "cttz",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fma",
    "fpowi",
    "ipowi",
    "log",
    "log10",
    "log1p",
    "log2",
    "powf",
    "round",
    "roundeven",
    "rsqrt",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
]

ELEMENTWISE_VECTOR = [
    "bitcast",
    "broadcast",
    "constant_mask",
    "create_mask",
    "extract",
    "fma",
    "insert",
    "interleave",
    "multi_reduction",
    "reduction",
    "shape_cast",
    "shuffle",
    "splat",
    "step",
    "transpose",
]

ELEMENTWISE_MEMREF = [
    "assume_alignment",
    "cast",
    "collapse_shape",
    "dim",
    "expand_shape",
    "extract_aligned_pointer_as_index",
    "extract_strided_metadata",
    "memory_space_cast",
    "rank",
    "reinterpret_cast",
    "subview",
    "transpose",
    "view",
]

TRANSFORMERS: dict[str, Transformer] = {
    **{f"arith.{name}": elementwise for name in ELEMENTWISE_ARITH},
    **{f"math.{name}": elementwise for name in ELEMENTWISE_MATH},
    **{f"vector.{name}": elementwise for name in ELEMENTWISE_VECTOR},
    **{f"memref.{name}": elementwise for name in ELEMENTWISE_MEMREF},
    "builtin.unrealized_conversion_cast": elementwise,
    "func.constant": uniform,
    "memref.get_global": uniform,
    "ub.poison": lambda op, operands, lanes: UNDEF,
    **INTEGER_TRANSFORMERS,
    **CONVERSION_TRANSFORMERS,
    **SPMD_TRANSFORMERS,
}


def transform(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> list[Shape]:
    """The shapes of the results of an operation without regions, in one dimension."""
    # A choice is one of what it has; what is computed needs all.
    needed = operands[:1] if op.name == "arith.select" else operands
    if any(shape.is_undef for shape in needed):
        return [UNDEF] * len(op.results)
    transformer = TRANSFORMERS.get(op.name)
    shape = VARYING if transformer is None else transformer(op, operands, lanes)
    return [fit_to_type(shape, result.type) for result in op.results]
