"""One launch of a kernel: checked once, to be done any number of times."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from ctypes import addressof, c_int64
from itertools import chain
from struct import pack, pack_into
from threading import get_ident
from time import perf_counter_ns
from typing import NoReturn

from spmd.runtime.arguments.parameters import PackedArguments
from spmd.runtime.arguments.signature import Signature
from spmd.runtime.arguments.sizes import Range
from spmd.runtime.errors import LaunchError
from spmd.runtime.launching.group_rows import GroupRows, rows_entry, rows_of
from spmd.runtime.launching.native_kernel import Args, NativeKernel
from spmd.runtime.launching.thread_memory import ALIGNMENT, Buffer, put_back, take
from spmd.runtime.launching.threads import (
    CHUNKS_PER_THREAD,
    available_threads,
    run_on_threads,
)
from spmd.runtime.launching.watcher import Watched, watcher

_HELPER_NS = 50_000
"""The work that is worth a thread; a launch of less than two runs on the calling one."""

_TRIAL_NS = 20_000
"""How long the groups run that tell what a launch costs."""

_MANY_GROUPS = 8
"""Groups for each thread from which on one of them is worth a trial."""


def fail_about_copy(what: str) -> NoReturn:
    """Fails about an object that nobody can copy, as it has addresses."""
    raise TypeError(
        f"expected something without addresses to pickle or copy, got a {what}; take what "
        "is called and its arguments, and bind them again"
    )


class Launch(Watched):
    """
    A kernel with its arguments and sizes; calling it runs the kernel.

    The arrays are kept alive. Their contents may change between calls, their memory may
    not move: do not `resize` them in place.
    """

    __slots__ = (
        "_args",
        "_arrays",
        "_box",
        "_direct",
        "_entry",
        "_groups",
        "_local_fields",
        "_memory",
        "_native",
        "_scratch",
        "_signature",
        "_sizes",
        "_threads",
    )

    def __init__(
        self,
        native: NativeKernel | None,
        signature: Signature,
        packed: PackedArguments,
        range_: Range,
        threads: int | None,
        timeout: float | None,
        box: Sequence[range] | None = None,
    ):
        """`box`: only the work-groups with ids in these ranges, x first."""
        super().__init__(signature.kernel, timeout)
        self._arrays = packed.arrays
        sizes = (*range_.group_size, *range_.global_size, addressof(self.record))
        self._args = signature.pack(packed, sizes)
        self._signature = signature
        self._sizes = range_.global_size, range_.group_size
        self._groups = range_.groups
        self._threads = threads
        self._native = native
        self._local_fields: tuple[tuple[int, int], ...] = ()
        self._memory = self._scratch = 0
        self._direct = False
        self._box = box
        if native is None:
            return
        self._entry = native.entry
        scratch = native.scratch_bytes(range_.group_size)
        if packed.local_bytes:
            self._scratch = -(-scratch // ALIGNMENT) * ALIGNMENT
            # Pointers to local memory: where in the arguments, where in the memory.
            self._local_fields = tuple(
                (signature.field_offset(field), self._scratch + offset)
                for field, offset in packed.local_fields
            )
        else:
            self._scratch = scratch
        self._memory = self._scratch + packed.local_bytes
        alone = threads == 1 or self._groups == 1
        self._direct = alone and not self._memory and timeout is None and box is None

    def __repr__(self) -> str:
        groups = f"{self._groups} group{'s' if self._groups != 1 else ''}"
        return f"<spmd launch of {self._signature.kernel} in {groups}>"

    def __reduce__(self) -> NoReturn:
        fail_about_copy("launch")

    def __call__(self) -> None:
        """
        Runs the kernel on all work-items; returns when it is done.

        Errors: `LaunchError` for an assertion that fails, `LaunchTimeout`, and whatever a
        signal handler raises, above all `KeyboardInterrupt`. What the kernel has written
        stays.
        """
        thread = get_ident()
        if not self._direct or self.thread or watcher.asleep:
            self._begin()
            return
        self.thread = thread
        try:
            if self._entry(self._args, 0, self._groups, None):
                self.record.raise_error(self._signature.failed)
        except BaseException:
            self.record.clear()
            raise
        finally:
            self.thread = 0

    def _begin(self) -> None:
        """The same when there is more to do than to call the native code."""
        if self._native is None:
            return
        thread = get_ident()
        if self.thread:
            # Another thread runs it, or a signal handler in the midst of it.
            self._again()()
            return
        self.thread = thread
        try:
            if watcher.asleep:
                watcher.wake()
            watcher.limit(self.record)
            self._run(self._native)
            self.record.raise_error(self._signature.failed)
        except BaseException:
            self.record.clear()
            raise
        finally:
            if self.record.timeout is not None:
                self.record.deadline = None
            self.thread = 0

    def _again(self) -> Launch:
        """The same launch with a record of its own."""
        other = object.__new__(Launch)
        for slot in Launch.__slots__:
            if hasattr(self, slot):
                setattr(other, slot, getattr(self, slot))
        Watched.__init__(other, self._signature.kernel, self.record.timeout)
        other.maker = self.maker
        address = pack("@P", other.record.address)
        other._args = self._args[: -len(address)] + address
        return other

    def _run(self, native: NativeKernel) -> None:
        groups = self._groups
        threads = self._threads
        if self._box is not None:
            self._run_box(native, self._box, threads or 1)
        elif groups == 1 or threads == 1:
            self._run_groups(0, groups)
        else:
            self._run_on_available(native, threads or available_threads())

    def _run_on_available(self, native: NativeKernel, available: int) -> None:
        """Uses as many of the `available` threads as there is work for."""
        groups = self._groups
        if groups >= _MANY_GROUPS * available:
            first = self._try_some(native)
        else:
            # A group is a large part of the launch: trust what the last one cost.
            first = 0
        left = native.group_ns * (groups - first)
        start = perf_counter_ns()
        threads = self._run_on_threads(
            native, first, min(available, left // _HELPER_NS)
        )
        if first == 0:
            native.group_ns = (perf_counter_ns() - start) * threads // groups

    def _try_some(self, native: NativeKernel) -> int:
        """
        Runs a few groups to learn what one costs; returns the number of the next.

        The cost is an estimate in nanoseconds that is too high rather than too low.
        """
        start = perf_counter_ns()
        self._run_groups(0, 1)
        native.group_ns = taken = perf_counter_ns() - start
        # Of a small group, most was the call: look again at enough of them.
        more = min(self._groups // 16, _TRIAL_NS // max(taken, 1))
        if taken * self._groups < 2 * _HELPER_NS or more < 1:
            return 1
        start = perf_counter_ns()
        self._run_groups(1, 1 + more)
        native.group_ns = (perf_counter_ns() - start) // more
        return 1 + more

    def _run_groups(self, first: int, last: int) -> None:
        with self._of_this_thread() as (args, memory):
            self._entry(args, first, last, memory)

    def _run_on_threads(self, native: NativeKernel, first: int, threads: int) -> int:
        """Runs the groups from `first` on; returns how many threads were asked to."""
        groups = self._groups
        threads = min(threads, groups - first)
        if threads <= 1:
            self._run_groups(first, groups)
            return 1
        chunk = max(1, (groups - first) // (threads * CHUNKS_PER_THREAD))
        next_group = c_int64(first)

        self.record.waits = False
        run_on_threads(
            lambda: self._take_groups(native, next_group, chunk),
            threads,
            lambda: self.record.stop(KeyboardInterrupt()),
            self.record.wait,
        )
        return threads

    def _run_box(
        self, native: NativeKernel, box: Sequence[range], threads: int
    ) -> None:
        """Runs some groups, several rows of them at a time."""
        grid = [-(-extent // size) for extent, size in zip(*self._sizes, strict=True)]
        order = native.group_order
        box = [box[d] for d in order]
        rows = rows_of(box, [grid[d] for d in order])
        if threads == 1:
            self._take_rows(native, rows)
            return
        most = max(1, len(box[1]) // (threads * CHUNKS_PER_THREAD))
        parts = chain.from_iterable(each.parts(most) for each in rows)
        shared = iter(list(parts))
        self.record.waits = False
        run_on_threads(
            lambda: self._take_rows(native, shared),
            threads,
            lambda: self.record.stop(KeyboardInterrupt()),
            self.record.wait,
        )

    def _take_rows(self, native: NativeKernel, rows: Iterator[GroupRows]) -> None:
        """Runs rows of groups until all have been taken."""
        run = rows_entry()
        with self._of_this_thread() as (args, memory):
            for each in rows:
                run(native.address, args, *each, memory)

    def _take_groups(self, native: NativeKernel, next_group: c_int64, chunk: int):
        """Runs chunks of groups until all have been taken."""
        with self._of_this_thread() as (args, memory):
            native.worker(args, addressof(next_group), self._groups, chunk, memory)

    @contextmanager
    def _of_this_thread(self) -> Generator[tuple[Args, int | None]]:
        """Arguments and memory that nobody else uses in the meantime."""
        if not self._memory:
            yield self._args, None
            return
        buffer = self._buffer()
        args = self._args
        if self._local_fields:
            own = bytearray(args)
            for field, offset in self._local_fields:
                pack_into("@P", own, field, buffer.address + offset)
            args = bytes(own)
        yield args, buffer.address
        put_back(buffer)

    def _buffer(self) -> Buffer:
        try:
            return take(self._memory)
        except MemoryError:
            raise LaunchError(
                f"{self._signature.kernel}: expected {self._memory} bytes of memory for "
                "each thread (what its work-groups keep across barriers, and their local "
                "memory), the system does not give more; launch smaller groups"
            ) from None
