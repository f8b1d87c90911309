"""
Which elements of shared memory belong to one work-item: its indices tell it apart.

```mlir
memref.store %v, %tile[%lid]   // each work-item its own element
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block, SSAValue

from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.spmd import KernelOp


class OwnElements:
    """Answers for one kernel; divergence is analysed when it is needed."""

    def __init__(self, kernel: KernelOp, analyze: Callable[[], Divergence]):
        self._kernel = kernel
        self._analyze = analyze
        self._divergence: Divergence | None = None

    def is_own(self, memory: SSAValue, indices: Sequence[SSAValue]) -> bool:
        """
        Whether no two work-items of a group have the element of `memory` at `indices`.

        All are computed once, so that it is always the same element of a work-item.
        """
        if not all(map(self._is_fixed, (memory, *indices))):
            return False
        if self._divergence is None:
            self._divergence = self._analyze()
        size = self._kernel.group_size
        free = list(indices)
        for dimension in range(3):
            if size is not None and size[dimension] == 1:
                continue
            telling = next((i for i in free if self._tells_apart(i, dimension)), None)
            if telling is None:
                return False
            free.remove(telling)
        return True

    def _tells_apart(self, index: SSAValue, dimension: int) -> bool:
        """Whether `index` differs between all work-items of a row in `dimension`."""
        assert self._divergence is not None
        stride = self._divergence.shape(index, dimension).stride
        return bool(stride) and all(
            self._divergence.shape(index, other).is_uniform
            for other in range(3)
            if other != dimension
        )

    def _is_fixed(self, value: SSAValue) -> bool:
        """Whether a work-item computes `value` once."""
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent
        return block is self._kernel.body.blocks.first
