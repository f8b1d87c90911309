"""Accesses of which it is known which elements lanes have, but for where they begin."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from xdsl.dialects import memref
from xdsl.ir import SSAValue

from spmd.analysis.divergence.access_patterns import element_strides
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.memory.lane_steps import position
from spmd.analysis.memory.lane_sums import ZERO, LaneSum, LaneSums
from spmd.analysis.ranges.integer_range import power_of_two_part
from spmd.dialects.spmd import GlobalIdOp


@dataclass
class KnownPlaces(LaneSums):
    """What lanes along `dimension` have, the first of which has the id of a multiple of `lanes`."""

    divergence: Divergence
    dimension: int
    lanes: int
    numbers: frozenset[SSAValue] = frozenset()
    """What is taken for a number that is known."""

    def leaf(self, value: SSAValue) -> LaneSum | None:
        if value in self.numbers:
            return ZERO
        shape = self.divergence.shape(value, self.dimension)
        if (known := super().leaf(value)) is not None or shape.stride is None:
            return known
        # Groups mostly have a multiple of so many work-items.
        is_id = isinstance(value.owner, GlobalIdOp)
        alignment = self.lanes if is_id else shape.alignment
        shared = gcd(alignment, shape.stride * self.lanes)
        ahead = tuple(shape.stride * lane for lane in range(self.lanes))
        terms = frozenset({(value, 1)})
        multiple = power_of_two_part(shared)
        if shape.is_uniform:
            return LaneSum((0,), terms, multiple)
        return LaneSum(ahead, terms, multiple, exact=not shape.wraps)

    def otherwise(self, value: SSAValue, multiple: int) -> LaneSum | None:
        return None

    def span(self, op: memref.LoadOp | memref.StoreOp) -> int | None:
        """
        From the lowest to the highest element that lanes of a row have, if that is known.

        Of stores only if they leave out none, and no two lanes have the same.
        """
        strides = element_strides(op.memref)
        uniform = self.divergence.is_uniform
        parts = [*zip(op.indices, strides, strict=True)]
        if strides[-1:] != (1,) or not all(
            by is not None or uniform(index) for index, by in parts
        ):
            return None
        found = position(self, ((index, by) for index, by in parts if by is not None))
        if found is None:
            return None
        size = max(found.ahead) - min(found.ahead) + 1
        is_store = isinstance(op, memref.StoreOp)
        return None if is_store and size != len({*found.ahead}) else size
