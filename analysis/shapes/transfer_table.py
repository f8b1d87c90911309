"""
Which transfer function belongs to which operation.

The default is that of a function of its operands. Any other operation without regions
gives varying results, also if it is pure: it may be somebody's thread id. Loads, stores
and allocations are not here: what they give depends on more than their operands
(`analysis/memory/private_memory.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, ub
from xdsl.ir import Operation

from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.shapes.shape import UNDEF, VARYING, Shape
from spmd.analysis.shapes.transfer import Lanes, elementwise, fit_to_type
from spmd.analysis.shapes.transfer_conversion import CONVERSION
from spmd.analysis.shapes.transfer_integer import INTEGER
from spmd.analysis.shapes.transfer_spmd import SPMD
from spmd.dialects.interfaces.computation import FunctionOfOperands

TRANSFER_FUNCTIONS = INTEGER | CONVERSION | SPMD


def transform(op: Operation, operands: Sequence[Shape], lanes: Lanes) -> list[Shape]:
    """The shapes of the results of an operation without regions, in one dimension."""
    # A choice is one of what it has; what is computed needs all.
    needed = operands[:1] if type(op) is arith.SelectOp else operands
    if type(op) is ub.PoisonOp or any(shape.is_undef for shape in needed):
        return [UNDEF] * len(op.results)
    function = TRANSFER_FUNCTIONS.get(type(op))
    # Of vectors of integers only that they are uniform.
    if type(op) in INTEGER and bit_width(op.results[0].type) is None:
        function = elementwise
    if function is not None:
        shape = function(op, operands, lanes)
    elif FunctionOfOperands.of(op) is not None:
        shape = elementwise(op, operands, lanes)
    else:
        shape = VARYING
    return [fit_to_type(shape, result.type) for result in op.results]
