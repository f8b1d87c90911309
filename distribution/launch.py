"""`spmd.dask.launch`: one launch over arrays in chunks."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import numpy as np
from xdsl.ir import Operation

from spmd.analysis.footprints.footprints import Footprints
from spmd.analysis.footprints.relations import AccessKind
from spmd.dialects.element_types import memref_layout, memref_type
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.distribution.graph import GraphWriter, dask_module
from spmd.distribution.partitions import Partition
from spmd.distribution.pieces import Neutral, PieceLaunch
from spmd.distribution.plan import ArrayUse, Plan, Planner
from spmd.frontends.python.kernel import PythonKernel
from spmd.runtime.arguments.pieces import Piece
from spmd.runtime.arguments.signature import ArrayParameter, LocalParameter
from spmd.runtime.arguments.sizes import Size
from spmd.runtime.errors import LaunchError
from spmd.runtime.host_function import HostFunction
from spmd.runtime.kernel import Kernel

LIMIT = 64 << 20
"""Bytes of an array that each task may get all of."""


def launch(
    kernel: Kernel | HostFunction | PythonKernel,
    *args: Any,
    global_size: Size,
    group_size: Size | None = None,
    partition: Mapping[str, Partition] | None = None,
    limit: int = LIMIT,
    threads: int = 1,
) -> dict[str, Any]:
    """
    A launch over arrays of Dask: lazily the arrays that it writes, by their names.

    Arguments are those of the kernel; an array may be of Dask or of NumPy. What the kernel
    writes are new arrays, whose other elements are those of the arrays that were given.
    Their chunks, else those of what is read, decide how the launch is split.

    `partition` says of an array which part of it tasks get: `"replicate"`, or a promise by
    `halo`. Without, all of an array goes to every task if data decides which elements are
    read, as long as it has at most `limit` bytes. Each task uses `threads` threads.

    Errors: `LaunchError` for what the kernel's own launch refuses, and what cannot be split.
    """
    array_module = dask_module("dask.array")
    given = [_as_dask(array_module, each) for each in args]
    if not isinstance(kernel, Kernel | PythonKernel):
        raise LaunchError(
            f"{kernel.name}: expected a kernel, got a host function; launch the kernels "
            "that it launches"
        )
    if isinstance(kernel, PythonKernel):
        kernel, given = _specialised(kernel, given)
    arrays = {n: each for n, each in enumerate(given) if _is_chunked(each)}
    _check(kernel, given, arrays)
    footprints = kernel.footprints_in(
        *given, global_size=global_size, group_size=group_size
    )
    uses = [_use(kernel, kernel.footprints(), n, a) for n, a in arrays.items()]
    for use in uses:
        if use.reduces:
            arrays[use.position] = arrays[use.position].rechunk(-1)
    named = _checked_partition(kernel, partition or {}, uses)
    plan = Planner(kernel.name, footprints, uses, named, limit).plan()
    pieces = PieceLaunch(
        pickle.dumps(kernel),
        tuple(None if n in arrays else each for n, each in enumerate(given)),
        tuple(arrays[n].shape if n in arrays else None for n in range(len(given))),
        footprints.global_size,
        footprints.group_size,
        threads,
    )
    return _collections(array_module, kernel, plan, pieces, arrays, uses)


def _collections(
    array_module: Any,
    kernel: Kernel,
    plan: Plan,
    launch: PieceLaunch,
    arrays: Mapping[int, Any],
    uses: Sequence[ArrayUse],
) -> dict[str, Any]:
    """The arrays of Dask for what is written."""
    writer = GraphWriter(f"spmd-{kernel.name}-{uuid4().hex}", arrays)
    results = [use for use in uses if use.writes or use.reduces]
    kinds = {
        use.position: kind
        for use in results
        if use.reduces
        and (kind := kernel.footprints().reduction(use.position)) is not None
    }
    neutral = {
        n: Neutral(kind, arrays[n].shape, arrays[n].dtype) for n, kind in kinds.items()
    }
    groups = [
        -(-n // e) for n, e in zip(launch.global_size, launch.group_size, strict=True)
    ]
    written = [use.position for use in results]
    boxes = [
        writer.part(number, part, launch, groups, neutral, written)
        for number, part in enumerate(plan.parts)
    ]
    found: dict[str, Any] = {}
    graphs = dask_module("dask.highlevelgraph").HighLevelGraph
    names: list[tuple[ArrayUse, str, Any]] = []
    for index, use in enumerate(results):
        name = f"{writer.name}-{use.name}"
        if use.reduces:
            writer.reduced(use.position, index, kinds[use.position], boxes, name)
            names.append((use, name, arrays[use.position].chunks))
        else:
            writer.result(use.position, index, plan, boxes, name)
            names.append((use, name, plan.chunks[use.position]))
    for use, name, chunks in names:
        graph = graphs.from_collections(
            name, writer.graph, dependencies=list(arrays.values())
        )
        dtype = arrays[use.position].dtype
        found[use.name] = array_module.Array(graph, name, chunks, dtype=dtype)
    return found


def _specialised(kernel: PythonKernel, given: list[Any]) -> tuple[Kernel, list[Any]]:
    """The kernel for arrays of these types, and the arguments that it gets."""
    stand_ins = [
        np.empty((0,) * each.ndim, each.dtype) if _is_chunked(each) else each
        for each in given
    ]
    originals = {id(s): each for s, each in zip(stand_ins, given, strict=True)}
    found, values = kernel.specialised(*stand_ins)
    return found, [originals.get(id(value), value) for value in values]


def _is_chunked(value: Any) -> bool:
    return hasattr(value, "chunks") and hasattr(value, "dask")


def _as_dask(array_module: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return array_module.from_array(value)
    return value


def _check(kernel: Kernel, given: Sequence[Any], arrays: Mapping[int, Any]) -> None:
    """What a launch would say of the arguments, without their elements."""
    stand_ins = list(given)
    for number, array in arrays.items():
        if any(size != size for size in array.shape):  # NaN: not known yet
            raise LaunchError(
                f"{kernel.name}: argument {number}: expected an array whose chunks have "
                f"known sizes, got {array}; call compute_chunk_sizes() on it"
            )
        empty = np.empty((0,) * array.ndim, array.dtype)
        stand_ins[number] = Piece(empty, (0,) * array.ndim, array.shape)
    for parameter in kernel.parameters:
        if isinstance(parameter, LocalParameter):
            raise LaunchError(
                f"{kernel.name}: {parameter}: expected local memory of a size that the "
                "kernel fixes, since tasks are launched elsewhere, got an argument; use "
                "spmd.local_alloc"
            )
        is_array = isinstance(parameter, ArrayParameter)
        if (
            is_array
            and parameter.number < len(given)
            and parameter.number not in arrays
        ):
            raise LaunchError(
                f"{kernel.name}: {parameter}: expected an array of Dask or NumPy, got a "
                f"{type(given[parameter.number]).__name__}"
            )
    kernel.signature.check(stand_ins)


def _use(kernel: Kernel, footprints: Footprints, number: int, array: Any) -> ArrayUse:
    relations = [r for r in footprints.relations.all if r.argument == number]
    kinds = {relation.kind for relation in relations}
    reduces = footprints.reduction(number) is not None
    argument = footprints.kernel.body.blocks[0].args[number]
    layout = memref_layout(memref_type(argument))
    is_free = layout is not None and not any(layout.sizes[1:])
    return ArrayUse(
        number,
        argument.name_hint or str(number),
        tuple(array.shape),
        tuple(tuple(sizes) for sizes in array.chunks),
        array.dtype.itemsize,
        reads=AccessKind.READ in kinds,
        writes=not reduces and bool(kinds - {AccessKind.READ}),
        reduces=reduces,
        whole_rows=not (
            is_free and all(_is_by_element(use.operation) for use in argument.uses)
        ),
    )


def _is_by_element(op: Operation) -> bool:
    """Whether the strides of the array decide alone where `op` finds its element."""
    access = MemoryAccess.of(op)
    if access is None or access.atomic:
        return False
    return access.element or (access.read is None and access.written is None)


def _checked_partition(
    kernel: Kernel, partition: Mapping[str, Partition], uses: Sequence[ArrayUse]
) -> Mapping[str, Partition]:
    known = [use.name for use in uses if not (use.writes or use.reduces)]
    for name in partition:
        if name not in known:
            raise LaunchError(
                f"{kernel.name}: expected partition for arrays that are only read "
                f"({', '.join(known) or 'there are none'}), got one for {name!r}"
            )
    return partition
