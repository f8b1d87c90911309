"""Local memory, and what is kept across barriers, read when barriers are gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.diagnostics import source_location
from spmd.dialects.element_types import (
    is_memref,
    memref_type,
    size_in_bytes,
    static_bytes,
)
from spmd.dialects.remarks import KeptInGroupMemory
from spmd.dialects.spmd import KernelOp, LocalAllocOp
from spmd.dialects.spmd.types import is_local
from spmd.runtime.explanation.facts import Kept, LocalArray, Place


def local_arrays(kernel: KernelOp) -> tuple[LocalArray, ...]:
    """Local memory: of the kernel itself, and what the launch gives."""
    values: list[SSAValue] = [a for a in kernel.body.block.args if is_local(a.type)]
    values += [op.results[0] for op in kernel.walk() if isinstance(op, LocalAllocOp)]
    return tuple(map(_local_array, values))


def _local_array(value: SSAValue) -> LocalArray:
    type_ = memref_type(value)
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return LocalArray(
        value.name_hint,
        str(MemRefType(type_.element_type, type_.shape)),
        _bytes(type_),
        None if op is None else Place.of(source_location(op)),
    )


def kept_in(
    kernel: KernelOp, remarks: Sequence[KeptInGroupMemory]
) -> tuple[tuple[Kept, ...], tuple[Kept, ...]]:
    """What is kept for each work-item and for each work-group, in the order of the IR."""
    by_op: dict[Operation, KeptInGroupMemory] = {each.op: each for each in remarks}
    found = [by_op[op] for op in kernel.walk() if op in by_op]
    several = kernel.group_size != (1, 1, 1)
    slots = [r for r in found if several and not r.op.memref.type.get_shape()]
    contexts = [remark for remark in found if remark not in slots]
    return (
        tuple(_kept(remark, sorted(_names(remark.op))) for remark in contexts),
        tuple(_kept(remark, ()) for remark in slots),
    )


def _kept(remark: KeptInGroupMemory, names: Sequence[str]) -> Kept:
    name = remark.op.memref.name_hint
    for suffix in ("_context", "_slot"):
        name = name and name.removesuffix(suffix)
    if is_memref(remark.type):
        names = ()
    names = (*([name] if name else ()), *(each for each in names if each != name))
    return Kept(
        name,
        str(remark.type),
        _bytes(remark.type),
        remark.reason,
        names if len(names) > 1 else (),
        Place.of(source_location(remark.op)),
    )


def _names(op: memref.AllocaOp | memref.AllocOp) -> set[str]:
    """What is loaded from a context is called like the value that it keeps."""
    loads = (use.operation for use in op.memref.uses)
    names = (load.res.name_hint for load in loads if isinstance(load, memref.LoadOp))
    return {name for name in names if name is not None}


def _bytes(type_: Attribute) -> int | None:
    if not is_memref(type_):
        return size_in_bytes(type_)
    return None if DYNAMIC_INDEX in type_.get_shape() else static_bytes(type_)


def total(sizes: Iterable[int | None]) -> int | None:
    """The sum, if all are known."""
    known = list(sizes)
    return None if None in known else sum(size or 0 for size in known)
