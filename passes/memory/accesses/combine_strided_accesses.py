"""
Gathers and scatters with known steps become loads and stores of whole vectors.

Lanes that access every second to eighth element, or all of them backwards, leave little out
between them, and what one access leaves out, others of the group often take: x, y, z and w of
one item, the two parts of complex numbers. All that lies between the first lane and the last
is loaded at once, and shuffled apart; what a group stores without a gap is shuffled together,
and stored at once.
Nothing is touched that no active lane touches, but gaps inside of what one lane, or two
neighbours, access anyway. As Nuzman, Rosen, Zaks, "Auto-Vectorization of Interleaved Data
for SIMD", PLDI 2006, for steps of any length.

Steps need not be equal: of `x[i ^ 1]`, `x[i // 2]` or `x[i // 8 * 8 + 7 - i % 8]` it is known which
elements lanes access, as sub-groups begin at multiples of their lanes (`analysis/memory/lane_sums.py`).

A group is left alone where gathers cost less, by the number of vector operations.

Requires: level 4.
Ensures: level 4.

```mlir
// before: the real and the imaginary part of 4 numbers
%re = vector.gather %x[%i, %c0] [%steps], %all_on, %zeros : memref<?x2xf32>, ...
%im = vector.gather %x[%i, %c1] [%steps], %all_on, %zeros : memref<?x2xf32>, ...

// after
%x_flat = memref.collapse_shape %x [[0, 1]] : memref<?x2xf32> into memref<?xf32>
%at = arith.muli %i, %c2 : index
%both = vector.load %x_flat[%at] : memref<?xf32>, vector<8xf32>
%re = vector.shuffle %both, %both [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
%im = vector.shuffle %both, %both [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from spmd.analysis.memory.interleaved import interleaved_groups
from spmd.dialects import compat
from spmd.dialects.building import ConstantPool
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.rewriting import erase_dead_ops
from spmd.passes.memory.accesses.whole_vectors import (
    load_whole,
    store_whole,
    why_not_whole,
)


@dataclass(frozen=True)
class CombineStridedAccessesPass(ModulePass):
    """Whole vectors instead of gathers with a step; see the module docstring."""

    name = "combine-strided-accesses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat.ensure("arith", "vector")
        for function in op.ops:
            if not isinstance(function, func.FuncOp) or not function.body.blocks:
                continue
            blocks = dict[Block, None]()
            for inner in function.walk():
                if isinstance(inner, GatherOp | ScatterOp) and inner.parent is not None:
                    blocks[inner.parent] = None
            constants = ConstantPool(function.body.blocks[0])
            combined = 0
            for block in blocks:
                combined += _combine(block, constants)
            if combined:
                erase_dead_ops(function.body)


def _combine(block: Block, constants: ConstantPool) -> int:
    """How many groups of `block` became whole vectors."""
    groups = [g for g in interleaved_groups(block) if why_not_whole(g) is None]
    for group in groups:
        (load_whole if group.is_load else store_whole)(group, constants)
    return len(groups)
