"""
What accesses to memory say of the numbers that are their indices.

An access out of bounds is undefined, so whatever is accessed in each iteration at `%i` has an
element there, and `%i` is neither negative nor beyond `MAX_INDEX`, which the size of no array is.

A number of 32 bits that grows from lane to lane and then is an index may wrap around. Lanes after
that have negative numbers, though, for more elements than lanes can go through, so that none of
these access memory: where an access is made, it is as far from that of the first lane as without
an end of numbers. That holds for growth alone: what falls from the least number is positive.

```mlir
%at = arith.index_cast %n : i32 to index       // %n grows by one, modulo 2^32
memref.store %v, %x[%at] : memref<?xf32>       // lane l stores to x[%at of lane 0 + l]
```
"""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.interfaces.computation import FunctionOfOperands

LARGEST_STEP = 1 << 16
"""With so many lanes as there can be, less than half of all numbers of 32 bits."""


def narrow_index(index: SSAValue) -> SSAValue | None:
    """The number of 32 bits or more that `index` is, if it is an index of an access."""
    op = index.owner
    if not isinstance(op, arith.IndexCastOp) or not isinstance(index.type, IndexType):
        return None
    width = bit_width(op.input.type)
    return op.input if width is not None and 32 <= width < 64 else None


def is_index_of_access(counter: SSAValue) -> bool:
    """Whether who comes to the block of `counter`, an argument, accesses memory at it."""
    block = counter.owner
    if not isinstance(block, Block) or not isinstance(counter.type, IndexType):
        return False
    for op in block.ops:
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            if any(index is counter for index in op.indices):
                return True
        elif FunctionOfOperands.of(op) is None or op.regions:
            return False  # It may be the last.
    return False
