"""Footprints against what the interpreter sees work-groups access."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import spmd
from spmd.analysis.footprints.box_bounds import Box
from spmd.analysis.footprints.footprints import Footprints, LaunchFootprints
from spmd.analysis.footprints.relations import AccessKind
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.kernels.spmd_annotate_footprints import structured
from spmd.reference.checking.checker import Checker
from spmd.reference.interpreter import Interpreter
from spmd.reference.items import Item, WorkItem
from spmd.reference.memory import MemRef
from spmd.runtime.arguments.sizes import triple
from spmd.runtime.kernel import Kernel
from tests.analysis.footprints.random_kernels import FootprintKernel
from tests.execution.harness import Array, Launch, kernel_name, parsed

Group = tuple[int, int, int]
Index = tuple[int, ...]
Traces = dict[tuple[int, bool], dict[Group, set[Index]]]
"""By argument and whether it is a store: the elements that each group accesses."""


def _index(array: Array, offset: int) -> Index | None:
    """The index of the element so many bytes from the first, if it is one of the array."""
    index = [0] * array.ndim
    last = [size - 1 for size in array.shape]
    # From the element at the lowest address, where no step is negative.
    offset -= sum(min(0, n * step) for n, step in zip(last, array.strides, strict=True))
    for dim in sorted(range(array.ndim), key=lambda dim: -abs(array.strides[dim])):
        step = array.strides[dim]
        if last[dim] and step:
            index[dim], offset = divmod(offset, abs(step))
            if step < 0:
                index[dim] = last[dim] - index[dim]
    inside = all(0 <= i < size for i, size in zip(index, array.shape, strict=True))
    return tuple(index) if inside and not offset else None


class _Tracer(Checker):
    """Notes which elements of the arguments each group accesses."""

    def __init__(self, name: str, sites: Any, args: Sequence[Any]):
        super().__init__(name, sites, ordered=False)
        self.found: Traces = defaultdict(lambda: defaultdict(set))
        self._arrays = [
            (position, cast(Array, given))
            for position, given in enumerate(args)
            if isinstance(given, np.ndarray)
        ]
        self._elements: dict[int, tuple[int, Index] | None] = {}

    def _element(self, address: int) -> tuple[int, Index] | None:
        """Which element of which argument lies there; arguments may be large."""
        if address not in self._elements:
            self._elements[address] = None
            for position, array in self._arrays:
                at = _index(array, address - array.__array_interface__["data"][0])
                if at is not None:
                    self._elements[address] = position, at
        return self._elements[address]

    def _note(self, item: Item, memory: MemRef, position: int, store: bool) -> None:
        if memory.storage.is_fresh:
            return  # no argument
        address = memory.storage.address + memory.base
        address += position * memory.data.itemsize
        where = self._element(address)
        if where is not None and isinstance(item, WorkItem):
            self.found[where[0], store][item.group.id].add(where[1])

    # Nobody asks here for races and undefined values, which take most of the time.

    def read(
        self, item: Item, memory: MemRef, position: int, site: int, atomic: str
    ) -> bool:
        self._note(item, memory, position, False)
        return True

    def write(
        self,
        item: Item,
        memory: MemRef,
        position: int,
        value: Any,
        site: int,
        atomic: str,
    ) -> None:
        self._note(item, memory, position, True)


def trace(
    module: ModuleOp,
    name: str,
    args: Sequence[Any],
    global_size: tuple[int, ...],
    group_size: tuple[int, ...] | None,
) -> Traces:
    """What the groups of a launch access; the arrays are changed."""
    interpreter = Interpreter(module)
    program = interpreter.program
    tracer = _Tracer(name, program.sites, args)
    program.checker = tracer
    program.environment["check"] = tracer
    interpreter.run_kernel(name, args, global_size=global_size, group_size=group_size)
    return tracer.found


def boxes(groups: Group, choose: np.random.Generator) -> Iterator[Box]:
    """All groups, some single ones, and some boxes."""
    x, y, z = groups
    yield range(x), range(y), range(z)
    for single in (True, True, False, False):
        ends = [sorted(choose.integers(0, n, 2).tolist()) for n in groups]
        x, y, z = (range(low, (low if single else high) + 1) for low, high in ends)
        yield x, y, z


_KINDS = {
    False: (AccessKind.READ, AccessKind.REDUCE),
    True: (AccessKind.WRITE, AccessKind.REDUCE),
}


def check_footprints(
    footprints: LaunchFootprints, traces: Traces, args: Sequence[Any], seed: int = 0
) -> set[tuple[int, str]]:
    """
    Every traced access is in the footprint, and bounds that are exact are met.

    Returns the accesses whose bounds are not exact: argument, and `read` or `write`.
    """
    loose: set[tuple[int, str]] = set()
    arrays = [n for n, given in enumerate(args) if isinstance(given, np.ndarray)]
    for box in boxes(footprints.groups, np.random.default_rng(seed)):
        for argument, store in product(arrays, (False, True)):
            seen = {
                index
                for group, indices in traces.get((argument, store), {}).items()
                if all(g in r for g, r in zip(group, box, strict=True))
                for index in indices
            }
            found = [footprints.elements(argument, k, box) for k in _KINDS[store]]
            where = f"argument {argument}, store {store}, box {box}: {found}"
            for index in seen:
                assert any(
                    each.region is not None
                    and all(i in r for i, r in zip(index, each.region, strict=True))
                    for each in found
                ), f"{where} without {index}"
            regions = [each.region for each in found if each.region is not None]
            if store and (sure := footprints.overwritten(argument, box)) is not None:
                assert seen >= set(product(*sure)), (
                    f"{where}: not all of {sure} written"
                )
            if len(regions) != 1:
                continue
            if not all(
                footprints.is_exact(argument, kind, box) for kind in _KINDS[store]
            ):
                loose.add((argument, "write" if store else "read"))
                continue
            bounds = tuple(
                range(min(at), max(at) + 1) for at in zip(*seen, strict=True)
            )
            assert bounds == regions[0], f"{where}, accessed: {bounds}"
    return loose


def check_kernel_footprints(source: str, args: Sequence[Any], launch: Launch) -> None:
    """The footprints of a kernel against what the interpreter sees."""
    module = parsed(source)
    kernel = spmd.compile(source)[kernel_name(module)]
    assert isinstance(kernel, Kernel)
    sizes = launch.global_size, launch.group_size
    found = kernel.footprints_in(*args, global_size=sizes[0], group_size=sizes[1])
    check_footprints(found, trace(module, kernel.name, args, *sizes), args)


def check_random_footprints(kernel: FootprintKernel, number: int) -> None:
    """
    What holds for every kernel of `random_kernels`; the number does not matter.

    A kernel that is compiled has the same footprints, and takes four times as long.
    """
    module, args, launch = parsed(kernel.source), kernel.args(), kernel.launch
    (op,) = kernels_in(structured(module.clone()))
    sizes = launch.global_size, launch.group_size
    global_size, group_size = (triple("k", "size", size, 1) for size in sizes)
    found = Footprints(op).in_launch(
        global_size,
        group_size,
        {n: int(number) for n, number in enumerate(kernel.numbers)},
        {n: np.shape(each) for n, each in enumerate(args) if np.ndim(each)},
    )
    traces = trace(module, kernel_name(module), args, *sizes)
    check_footprints(found, traces, args, number)
