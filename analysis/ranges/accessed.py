"""
What accesses to memory say of the numbers that are their indices.

An access out of bounds is undefined, so whatever is accessed in each iteration at `%i` has an
element there, and `%i` is neither negative nor beyond `MAX_INDEX`, which the size of no array is.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from spmd.dialects.interfaces.computation import FunctionOfOperands


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
