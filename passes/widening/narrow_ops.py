"""
Arithmetic of `index` in vectors of 32 bits, where that gives the same.

```mlir
// before
%block = arith.shrui %lx, %stage : index
%start = arith.muli %block, %pair : index
%v = memref.load %tile[%start] : memref<512xi32, 3>

// after
%block = arith.shrui %lx_lanes, %stage_lanes : vector<16xi32>
%start = arith.muli %block, %pair_lanes : vector<16xi32>
%v = vector.gather %tile[%c0] [%start], %on, %zeros : ... vector<16xi32> ...
```

Sums, products and masks need no more bits of their operands than are asked of them, which is
32 where they are asked as indices of small arrays alone: A. Warren, *Hacker's Delight*, 2-13.
Shifts to the right and comparisons need operands that have no more; unsigned ones as well, as
numbers of 32 bits keep their order when their sign is extended.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue, Use

from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.element_types import memref_layout, memref_type
from spmd.dialects.enclosing import is_small
from spmd.dialects.interfaces.computation import (
    compares_integers,
    is_modular,
    is_shift,
    is_unsigned,
)
from spmd.dialects.spmd import SubGroupOp


@dataclass(frozen=True)
class NarrowOps:
    """Which operations of a sub-group are computed in vectors of 32 bits."""

    group: SubGroupOp
    divergence: Divergence
    ranges: IntegerRanges
    _found: set[Operation] = field(default_factory=set[Operation])

    def __post_init__(self) -> None:
        for op in self.group.walk(reverse=True):
            if self._is_narrow(op):
                self._found.add(op)

    def __contains__(self, op: Operation) -> bool:
        return op in self._found

    def _is_narrow(self, op: Operation) -> bool:
        """Whether `op` is, if that is known of all its users."""
        numbers = [each for each in op.operands if isinstance(each.type, IndexType)]
        if not numbers or len(op.results) != 1:
            return False
        result = op.results[0]
        is_number = isinstance(result.type, IndexType)
        if all(map(self._is_strided, op.results if is_number else numbers)):
            return False  # One lane is computed, from which the others follow.
        low = is_number and self._is_asked_low(result)
        if compares_integers(op):
            exact = all(map(self._fits, numbers))
        elif is_modular(op) or isinstance(op, arith.SelectOp):
            exact = low or self._fits(result)
        elif is_shift(op):
            known = self.ranges.of(op.operands[0])
            exact = known.fits(32) and (not is_unsigned(op) or known.is_non_negative)
        else:
            return False
        # To cut what is wide for one operation is not worth it.
        return exact and (low or all(map(self._is_at_hand, numbers)))

    def _fits(self, value: SSAValue) -> bool:
        return self.ranges.of(value).fits(32)

    def _is_strided(self, value: SSAValue) -> bool:
        axes = range(len(self.group.lane_shape))
        return all(self.divergence.shape(value, axis).is_strided for axis in axes)

    def _is_at_hand(self, value: SSAValue) -> bool:
        """Whether no vector must be cut for the low bits of `value`."""
        owner = value.owner
        if isinstance(owner, arith.IndexCastOp | IndexCastUIOp):
            return bit_width(owner.input.type) in (8, 16, 32)
        if self._is_strided(value):
            return True
        if not isinstance(owner, Operation):
            return False
        computes = is_shift(owner) or is_modular(owner) or compares_integers(owner)
        computes = computes or isinstance(owner, arith.SelectOp)
        return computes and self._fits(value)

    def _is_asked_low(self, value: SSAValue) -> bool:
        """Whether no more than 32 bits of `value` are asked for."""
        return all(map(self._asks_low, value.uses))

    def _asks_low(self, use: Use) -> bool:
        op = use.operation
        if op in self._found:
            return not (is_shift(op) and use.index == 1)
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            first = 1 + isinstance(op, memref.StoreOp)
            return use.index >= first and has_small_indices(op.memref)
        if isinstance(op, arith.IndexCastOp):
            type_ = op.result.type
            return isinstance(type_, IntegerType) and type_.bitwidth <= 32
        return False


def has_small_indices(array: SSAValue) -> bool:
    """Whether indices of elements of `array` have less than 32 bits."""
    if is_small(array):
        return True
    layout = memref_layout(memref_type(array))
    return layout is not None and all(
        size is not None and size < 1 << 31 for size in layout.sizes
    )
