"""
Scans of the elements of a vector: each combined with those before it.

As many steps as the length has bits; each combines an element with one that is twice as far
before it as in the step before. Source: W. D. Hillis, G. L. Steele, *Data parallel algorithms*,
CACM 29(12), 1986.

```mlir
// of four lanes
%a = vector.shuffle %v, %zeros [4, 0, 1, 2] : vector<4xf32>, vector<4xf32>
%b = arith.addf %a, %v : vector<4xf32>
%c = vector.shuffle %b, %zeros [4, 4, 0, 1] : vector<4xf32>, vector<4xf32>
%d = arith.addf %c, %b : vector<4xf32>
```
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.building import ConstantPool, shuffle
from spmd.dialects.spmd.types import Kind, combine
from spmd.passes.collectives.float_order import FloatOrder

Add = Callable[[Operation], SSAValue]
"""Inserts an op and gives its result."""


def scan_lanes(
    add: Add,
    constants: ConstantPool,
    kind: Kind,
    lanes: SSAValue,
    nothing: SSAValue,
    exclusive: bool,
) -> SSAValue:
    """
    Each element of `lanes` combined with those before it; `nothing` changes none.

    With `exclusive`, those before it alone.
    """
    if FloatOrder.serves(kind, lanes.type):
        order = FloatOrder(kind, add, constants)
        keys = order.key(lanes), order.key(nothing)
        scanned = scan_lanes(add, constants, kind, *keys, exclusive)
        return order.value(scanned, lanes.type)
    if exclusive:
        lanes = moved_up(add, lanes, nothing, 1)
    distance = 1
    while distance < _length(lanes):
        before = moved_up(add, lanes, nothing, distance)
        lanes = add(combine(kind, before, lanes))
        distance *= 2
    return lanes


def moved_up(add: Add, lanes: SSAValue, first: SSAValue, distance: int) -> SSAValue:
    """What the element `distance` before has; the first ones get that of `first`."""
    length = _length(lanes)
    order = [i - distance if i >= distance else length for i in range(length)]
    return add(shuffle(lanes, first, order))


def _length(lanes: SSAValue) -> int:
    assert isa(lanes.type, VectorType)
    return lanes.type.get_shape()[0]
