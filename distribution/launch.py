"""`spmd.dask.launch`: one launch over arrays in chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np
from xdsl.ir import Operation

from spmd.analysis.footprints.footprints import Footprints
from spmd.analysis.footprints.relations import AccessKind
from spmd.dialects.element_types import memref_layout, memref_type
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.distribution.accesses import Accesses, ArrayUse
from spmd.distribution.given_memory import check_given_memory
from spmd.distribution.graph import GraphWriter, dask_module, in_chunks
from spmd.distribution.needs import Needs, Steps
from spmd.distribution.partitions import Partition
from spmd.distribution.pieces import PieceLaunch
from spmd.distribution.plan import Plan, Planner
from spmd.frontends.python.kernel import PythonKernel
from spmd.runtime.arguments.parameters import ArrayParameter, LocalParameter
from spmd.runtime.arguments.pieces import Array, Piece
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
    into: Mapping[str, Array] | None = None,
) -> dict[str, Any]:
    """
    A launch over arrays of Dask: lazily the arrays that it writes, by their names.

    Arguments are those of the kernel; an array may be of Dask or of NumPy. Those of NumPy are
    copied, other than memory maps, which tasks read. What the kernel writes are new arrays,
    whose other elements are those of the arrays that were given. Their chunks, else those of
    what is read, decide how the launch is split. With `into={"y": array}`, tasks write to an
    array of NumPy, or a memory map, of this process, in which lies nothing that tasks read but
    what is given for `y` itself.

    `partition` says of an array which part of it tasks get: `"replicate"`, or a promise by
    `halo`. Without, all of an array goes to every task if data decides which elements are
    read, as long as it has at most `limit` bytes. Each task uses `threads` threads.

    Errors: `LaunchError` for what the kernel's own launch refuses, and what cannot be split.
    """
    launcher = Launcher(
        kernel, global_size, group_size, partition or {}, limit, threads
    )
    ready = launcher.prepare(args)
    if into:
        check_given_memory(kernel.name, ready.uses, ready.arrays, into)
    return ready.launch(into or {})


@dataclass
class Launcher:
    """Launches of a kernel over chunks; the options are those of `launch`."""

    kernel: Kernel | HostFunction | PythonKernel
    global_size: Size
    group_size: Size | None = None
    partition: Mapping[str, Partition] = field(default_factory=dict[str, Partition])
    limit: int = LIMIT
    threads: int = 1
    steps: int = 1
    """In one task."""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of arguments that change between two steps: whose array they get."""
    _planned: tuple[Any, Kernel, PieceLaunch, Plan, Sequence[ArrayUse]] | None = None

    def prepare(self, args: Sequence[Any]) -> ReadyLaunch:
        """A launch with these arguments."""
        given = [_as_dask(each) for each in args]
        kernel = self.kernel
        if not isinstance(kernel, Kernel | PythonKernel):
            raise LaunchError(
                f"{kernel.name}: expected a kernel, got a host function; launch the "
                "kernels that it launches"
            )
        if isinstance(kernel, PythonKernel):
            kernel, given = _specialised(kernel, given)
        arrays = {n: each for n, each in enumerate(given) if _is_chunked(each)}
        pieces, plan, uses = self._plan(kernel, given, arrays)
        for use in uses:
            if use.reduction is not None:
                arrays[use.position] = arrays[use.position].rechunk(-1)
        return ReadyLaunch(pieces, plan, uses, arrays)

    def _plan(
        self, kernel: Kernel, given: Sequence[Any], arrays: Mapping[int, Any]
    ) -> tuple[PieceLaunch, Plan, Sequence[ArrayUse]]:
        """What the launch is made of; for the same sizes and chunks as before the same."""
        key = [
            (array.chunks, array.dtype) if n in arrays else array
            for n, array in enumerate(given)
        ]
        if self._planned is not None and self._planned[:2] == (key, kernel):
            return self._planned[2:]
        _check(kernel, given, arrays)
        footprints = kernel.footprints_in(
            *given, global_size=self.global_size, group_size=self.group_size
        )
        uses = [_use(kernel, kernel.footprints(), n, a) for n, a in arrays.items()]
        partition = _checked_partition(kernel, self.partition, uses)
        steps = Steps(self.steps, self._turns(kernel, uses, len(given)))
        if steps.count > 1:
            _check_steps(kernel, uses, steps.turns)
        accesses = Accesses(kernel.name, footprints, uses)
        plan = Planner(accesses, Needs(accesses, partition, self.limit, steps)).plan()
        pieces = PieceLaunch(
            kernel,
            tuple(None if n in arrays else each for n, each in enumerate(given)),
            tuple(arrays[n].shape if n in arrays else None for n in range(len(given))),
            footprints.global_size,
            footprints.group_size,
            plan.edges(footprints.group_size, footprints.groups),
            self.threads,
            tuple(steps.turns),
        )
        self._planned = key, kernel, pieces, plan, uses
        return pieces, plan, uses

    def _turns(
        self, kernel: Kernel, uses: Sequence[ArrayUse], count: int
    ) -> Sequence[int]:
        """For each of so many arguments: which one's array it gets between two steps."""
        positions = {use.name: use.position for use in uses}
        turns = list(range(count))
        for name, source in self.sources.items():
            if name not in positions:
                raise LaunchError(
                    f"{kernel.name}: expected swap between arrays of the kernel "
                    f"({', '.join(positions)}), got {name!r}"
                )
            turns[positions[name]] = positions[source]
        return turns


@dataclass(frozen=True)
class ReadyLaunch:
    """A launch that can be split."""

    pieces: PieceLaunch
    plan: Plan
    uses: Sequence[ArrayUse]
    arrays: Mapping[int, Any]

    @property
    def changed(self) -> list[ArrayUse]:
        """The arrays that are written, also by reductions."""
        return [use for use in self.uses if use.writes or use.reduction is not None]

    def launch(self, into: Mapping[str, Array]) -> dict[str, Any]:
        """The results, for which there may be memory."""
        name = f"spmd-{self.pieces.kernel.name}-{uuid4().hex}"
        writer = GraphWriter(name, self.pieces, self.plan, self.uses, self.arrays, into)
        writer.write()
        array = dask_module("dask.array").Array
        graphs = dask_module("dask.highlevelgraph").HighLevelGraph
        found: dict[str, Any] = {}
        for use in writer.results:
            name, given = writer.name_of(use), self.arrays[use.position]
            graph = graphs.from_collections(
                name, writer.graph, dependencies=list(self.arrays.values())
            )
            chunks = self.plan.chunks.get(use.position, given.chunks)
            found[use.name] = array(graph, name, chunks, dtype=given.dtype)
        return found


def _specialised(kernel: PythonKernel, given: list[Any]) -> tuple[Kernel, list[Any]]:
    """The kernel for arrays of these types, and the arguments that it gets."""
    stand_ins = [
        np.empty((0,) * each.ndim, each.dtype) if _is_chunked(each) else each
        for each in given
    ]
    originals = {id(s): each for s, each in zip(stand_ins, given, strict=True)}
    found, values = kernel.specialised(tuple(stand_ins), {})
    return found, [originals.get(id(value), value) for value in values]


def _is_chunked(value: Any) -> bool:
    return hasattr(value, "chunks") and hasattr(value, "dask")


def _as_dask(value: Any) -> Any:
    if issubclass(type(value), np.memmap):  # It may be larger than memory.
        core = dask_module("dask.array.core")
        chunks = core.normalize_chunks("auto", value.shape, dtype=value.dtype)
        return in_chunks(np.asarray(value), chunks)
    if isinstance(value, np.ndarray):
        return dask_module("dask.array").from_array(value, name=False)
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
                f"{kernel.name}: {parameter}: expected an array of Dask or NumPy, got "
                f"{type(given[parameter.number]).__name__}"
            )
    kernel.signature.check(stand_ins)


def _use(kernel: Kernel, footprints: Footprints, number: int, array: Any) -> ArrayUse:
    relations = [r for r in footprints.relations.all if r.argument == number]
    kinds = {relation.kind for relation in relations}
    reduction = footprints.reduction(number)
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
        writes=reduction is None and bool(kinds - {AccessKind.READ}),
        reduction=reduction,
        whole_rows=not (
            is_free and all(_is_by_element(use.operation) for use in argument.uses)
        ),
    )


def _check_steps(
    kernel: Kernel, uses: Sequence[ArrayUse], turns: Sequence[int]
) -> None:
    """That a task can take several steps."""
    by_position = {use.position: use for use in uses}
    for use in uses:
        if use.reduction is not None:
            raise LaunchError(
                f"{kernel.name}: expected one step per exchange of a kernel that combines "
                f"what all groups do to %{use.name}, got more; leave steps_per_exchange= out"
            )
        other = by_position[turns[use.position]]
        if use.shape != other.shape:
            raise LaunchError(
                f"{kernel.name}: expected arrays that change places to have one shape, got "
                f"{use.shape} of %{use.name} and {other.shape} of %{other.name}"
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
    known = [use.name for use in uses if not (use.writes or use.reduction)]
    for name in partition:
        if name not in known:
            raise LaunchError(
                f"{kernel.name}: expected partition for arrays that are only read "
                f"({', '.join(known) or 'there are none'}), got one for {name!r}"
            )
    return partition
