"""Which arrays a kernel only stores to, so that what it stores may go around the caches."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref

from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import is_in_loop
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.types import is_local
from spmd.runtime.compiling.made import StoredArray


def stored_arrays(kernel: KernelOp) -> Iterator[StoredArray]:
    """The arrays of `kernel` that `spmd.streamed` may mark."""
    for argument in kernel.body.blocks[0].args:
        if not is_memref(argument.type) or is_local(argument.type):
            continue
        users = [
            use.operation
            for use in argument.uses
            if not isinstance(use.operation, memref.DimOp)
        ]
        stores = [op for op in users if isinstance(op, memref.StoreOp)]
        if stores and len(stores) == len(users):
            in_loop = len(kernel.body.blocks) > 1 or any(map(is_in_loop, stores))
            yield StoredArray(argument.index, in_loop, len(stores))
