"""
The launches of host functions, which native code asks Python to do.

`launches-to-calls` lets a host function write down what a launch wants and call one
function of this module, which finds the kernel and launches it like a caller in Python
would: on threads, and in code for the work-group size.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from ctypes import c_char, c_uint64
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from spmd.runtime.arguments.arrays import Array
from spmd.runtime.arguments.local_memory import LocalMemory
from spmd.runtime.arguments.parameters import (
    ArrayParameter,
    LocalParameter,
    PackedArguments,
    Parameter,
    as_signed,
)
from spmd.runtime.compiling.made import LaunchSite
from spmd.runtime.errors import LaunchError
from spmd.runtime.launching.python_calls import caller_address
from spmd.runtime.launching.record import LaunchRecord

if TYPE_CHECKING:
    from spmd.runtime.kernel import Kernel
    from spmd.runtime.launching.launch import Launch

_MOST_KNOWN = 64
"""Launches that are kept of one `spmd.launch`, ready to run once more."""

_DONE = 1
"""What the first word of a record becomes when the launch is over."""


class HostLaunch:
    """One `spmd.launch` of a host function."""

    def __init__(self, site: LaunchSite, kernel: Kernel):
        self._site = site
        self._kernel = kernel
        self._known: dict[tuple[bytes, int | None], list[Launch]] = {}
        """
        By what records ask for: steps of a loop ask for the same again.

        Each is one function call's at a time, since it is stopped with that.
        """
        words = 1 + site.sizes + site.group_sizes
        for parameter in kernel.parameters:
            if isinstance(parameter, LocalParameter):
                words += parameter.layout.shape.count(None)
            else:
                words += len(parameter.codes)
        self._record = c_uint64 * words

    def run(self, address: int, threads: int | None, maker: LaunchRecord) -> None:
        """Does what the record at `address` asks for, for a host function with a record."""
        record = self._record.from_address(address)
        asked = bytes(record), threads
        try:
            idle = self._known.get(asked)
            if idle is None:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                idle = self._known.setdefault(asked, [])
            try:
                launch = idle.pop()
            except IndexError:
                launch = self._prepared(list(record), threads)
            launch.maker = maker
            launch()
            idle.append(launch)
        except LaunchError as error:
            place = f" at {self._site.place}" if self._site.place is not None else ""
            raise LaunchError(f"the launch{place}: {error}") from None
        record[0] = _DONE

    def _prepared(self, record: list[int], threads: int | None) -> Launch:
        kernel = self._kernel
        words = iter(record)
        next(words)
        sizes = _signed(words, self._site.sizes)
        group_size = _signed(words, self._site.group_sizes) or None
        packed = PackedArguments()
        packed.words = True
        for parameter in kernel.parameters:
            if isinstance(parameter, LocalParameter):
                shape = parameter.layout.shape
                local = LocalMemory(
                    tuple(next(words) if n is None else n for n in shape)
                )
                self._check_local(parameter, local)
                parameter.add(local, packed)
                continue
            fields = [next(words) for _ in parameter.codes]
            self._check_fields(parameter, fields)
            packed.fields += fields
            if isinstance(parameter, ArrayParameter) and kernel.signature.has_noalias:
                packed.arrays.append(_array(parameter, fields))
        kernel.signature.check_memory(packed)
        if self._site.by_groups:
            sizes = self._work_items(sizes, group_size)
        return kernel.prepare(packed, (sizes, group_size), threads)

    def _work_items(
        self, groups: tuple[int, ...], group_size: tuple[int, ...] | None
    ) -> tuple[int, ...]:
        name = self._kernel.name
        if any(count < 0 for count in groups):
            raise LaunchError(
                f"{name}: expected numbers of groups of at least 0, got {groups}"
            )
        size = self._kernel.group_size(group_size)
        counts = (*groups, 1, 1)
        return tuple(n * e for n, e in zip(counts, size))

    def _check_fields(self, parameter: Parameter, fields: Sequence[int]) -> None:
        try:
            parameter.check_fields([*map(as_signed, fields)])
        except ValueError as error:
            raise LaunchError(f"{self._kernel.name}: {parameter}: {error}") from None

    def _check_local(self, parameter: LocalParameter, local: LocalMemory) -> None:
        if any(extent >> 63 for extent in local.shape):
            shape = tuple(map(as_signed, local.shape))
            raise LaunchError(
                f"{self._kernel.name}: {parameter}: expected sizes of at least 0 for "
                f"local memory, got {shape}"
            )


def _signed(words: Iterator[int], count: int) -> tuple[int, ...]:
    return tuple(as_signed(next(words)) for _ in range(count))


def _array(parameter: ArrayParameter, fields: Sequence[int]) -> Array:
    """The memory that the fields describe, to see whether it overlaps with other."""
    pointer, *numbers = fields
    offset, *rest = map(as_signed, numbers)
    rank = parameter.layout.rank
    shape, strides = rest[:rank], rest[rank:]
    size = parameter.element.size
    dtype = parameter.element.dtypes[0]
    if 0 in shape:
        return np.empty(shape, dtype)
    steps = [(n - 1) * s for n, s in zip(shape, strides)]
    lowest = offset + sum(step for step in steps if step < 0)
    count = sum(map(abs, steps)) + 1
    memory: Any = (c_char * (count * size)).from_address(pointer + lowest * size)
    start = (offset - lowest) * size
    in_bytes = [s * size for s in strides]
    return np.ndarray(shape, dtype, memory, start, in_bytes)


class HostLaunches:
    """The launches of one call of a host function, while it runs."""

    def __init__(
        self, launches: Sequence[HostLaunch], threads: int | None, record: LaunchRecord
    ):
        self._launches = launches
        self._threads = threads
        self._record = record
        self.error: BaseException | None = None
        """What a launch raised; the host function returns as soon as there is one."""
        self._outer: HostLaunches | None = None

    def __enter__(self) -> None:
        self.error = None
        self._outer, _this_thread.running = _this_thread.running, self

    def __exit__(self, *_: object) -> None:
        _this_thread.running = self._outer
        if _lost and threading.current_thread() is threading.main_thread():
            self.error = _lost.pop()

    def launch(self, number: int, address: int) -> None:
        """Does what the record of a launch at `address` asks for."""
        try:
            self._launches[number].run(address, self._threads, self._record)
        except BaseException as error:
            # It cannot pass through native code.
            self.error = error


class _ThisThread(threading.local):
    running: HostLaunches | None = None


_this_thread = _ThisThread()


def _launch(number: int, address: int) -> None:
    """Called by native code, on the thread that called the host function."""
    running = _this_thread.running
    assert running is not None, "native host functions are called by this module"
    running.launch(number, address)


_lost: list[BaseException] = []
"""What was raised before `_launch` began: by a signal handler, in the main thread."""


@cache
def launcher_address() -> int:
    """The address of the function that native host functions call."""
    return caller_address(_launch, _lost)
