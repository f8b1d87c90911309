"""One launch of a kernel: checked once, to be done any number of times."""

from __future__ import annotations

from ctypes import addressof, c_char, c_int64
from struct import pack_into
from time import perf_counter_ns

from spmd.runtime.native_kernel import Args, NativeKernel
from spmd.runtime.signature import PackedArguments, Signature
from spmd.runtime.sizes import Range
from spmd.runtime.thread_memory import ALIGNMENT, thread_memory
from spmd.runtime.threads import available_threads, run_on_threads

SMALL_LAUNCH_NS = 50_000
"""A launch that takes less than this runs on the calling thread."""

_HELPER_NS = 25_000
"""The work that is worth waking a thread for."""

_CHUNKS_PER_THREAD = 32
"""More spread the work more evenly, and cost an atomic addition each."""


class Launch:
    """
    A kernel with its arguments and sizes; calling it runs the kernel.

    The arrays are kept alive. Their contents may change between calls, their memory may
    not move: do not `resize` them in place.
    """

    __slots__ = (
        "_args",
        "_arrays",
        "_direct",
        "_entry",
        "_groups",
        "_local_fields",
        "_memory",
        "_native",
        "_scratch",
        "_threads",
    )

    def __init__(
        self,
        native: NativeKernel | None,
        signature: Signature,
        packed: PackedArguments,
        range_: Range,
        threads: int | None,
    ):
        self._arrays = packed.arrays
        self._args = signature.pack(packed, (*range_.group_size, *range_.global_size))
        self._groups = range_.groups
        self._threads = threads
        self._native = native
        self._local_fields: tuple[tuple[int, int], ...] = ()
        self._memory = self._scratch = 0
        self._direct = False
        if native is None:
            return
        self._entry = native.entry
        if packed.local_bytes:
            self._scratch = -(-native.scratch_bytes // ALIGNMENT) * ALIGNMENT
            # Pointers to local memory: where in the arguments, where in the memory.
            self._local_fields = tuple(
                (signature.field_offset(field), self._scratch + offset)
                for field, offset in packed.local_fields
            )
        else:
            self._scratch = native.scratch_bytes
        self._memory = self._scratch + packed.local_bytes
        self._direct = not self._memory and (threads == 1 or self._groups == 1)

    def __call__(self) -> None:
        """Runs the kernel on all work-items; returns when it is done."""
        if self._direct:
            self._entry(self._args, 0, self._groups, None)
        elif self._native is not None:
            self._run(self._native)

    def _run(self, native: NativeKernel) -> None:
        groups = self._groups
        threads = self._threads
        if groups == 1 or threads == 1:
            self._run_groups(0, groups)
            return
        first = 0
        if threads is None:
            threads = available_threads()
            if threads > 1:
                # What one group costs tells whether other threads are worth waking.
                start = perf_counter_ns()
                self._run_groups(0, 1)
                first = 1
                left = (perf_counter_ns() - start) * (groups - 1)
                if left < SMALL_LAUNCH_NS:
                    threads = 1
                else:
                    threads = min(threads, 1 + left // _HELPER_NS)
        threads = min(threads, groups - first)
        if threads <= 1:
            self._run_groups(first, groups)
        else:
            self._run_on_threads(native, first, threads)

    def _run_groups(self, first: int, last: int) -> None:
        memory = thread_memory(self._memory) if self._memory else None
        args = self._args
        if self._local_fields and memory is not None:
            keep = self._args_with_local_memory(memory)
            self._entry(addressof(keep), first, last, memory)
        else:
            self._entry(args, first, last, memory)

    def _run_on_threads(self, native: NativeKernel, first: int, threads: int) -> None:
        groups = self._groups
        chunk = max(1, (groups - first) // (threads * _CHUNKS_PER_THREAD))
        next_group = c_int64(first)

        def work() -> None:
            memory = thread_memory(self._memory) if self._memory else None
            args: Args = self._args
            keep = None
            if self._local_fields and memory is not None:
                keep = self._args_with_local_memory(memory)
                args = addressof(keep)
            native.worker(args, addressof(next_group), groups, chunk, memory)
            del keep

        def stop() -> None:
            next_group.value = groups

        run_on_threads(work, threads, stop)

    def _args_with_local_memory(self, memory: int):
        """The packed arguments with the pointers into this thread's memory."""
        args = bytearray(self._args)
        for field, offset in self._local_fields:
            pack_into("@P", args, field, memory + offset)
        return (c_char * len(args)).from_buffer(args)
