"""Which arrays a kernel only updates atomically, so that threads may do it in copies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from spmd.analysis.footprints.footprints import Footprints
from spmd.dialects.diagnostics import KernelError
from spmd.dialects.enclosing import is_in_loop
from spmd.dialects.spmd import AtomicRmwOp, KernelOp
from spmd.dialects.spmd.atomics import AtomicKindAttr, Ordering, why_not_copied
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.kernels.spmd_annotate_footprints import structured
from spmd.runtime.compiling.made import UpdatedArray
from spmd.runtime.pipeline import restrict


def updated_arrays(
    module: ModuleOp, kernel: KernelOp, functions: Iterable[func.FuncOp]
) -> tuple[UpdatedArray, ...]:
    """The arrays of `kernel`, which calls `functions`, that `spmd.thread_copies` may mark."""
    parts = kernel, *functions
    if not any(_may_be_copied(op) for part in parts for op in part.walk()):
        return ()
    try:
        (plain,) = kernels_in(structured(restrict(module, kernel)))
    except KernelError:
        return ()  # what is wrong is found where the kernel is compiled
    return tuple(_found(plain))


def _may_be_copied(op: Operation) -> bool:
    return (
        isinstance(op, AtomicRmwOp)
        and op.old.first_use is None
        and op.ordering.data is Ordering.RELAXED
    )


def _found(kernel: KernelOp) -> Iterator[UpdatedArray]:
    footprints = Footprints(kernel)
    for argument in kernel.body.blocks[0].args:
        kind = footprints.reduction(argument.index)
        if kind is None or why_not_copied(AtomicKindAttr(kind), argument.type):
            continue
        updates = [
            each.op
            for each in footprints.relations.all
            if each.argument == argument.index
        ]
        if all(map(_may_be_copied, updates)):
            in_loop = any(map(is_in_loop, updates))
            yield UpdatedArray(argument.index, kind.value, in_loop)
