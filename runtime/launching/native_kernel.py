"""A kernel as native code, for one work-group size or for all."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_bool, c_int64, c_void_p

from spmd.lowering.loading.object_code import load
from spmd.runtime.arguments.sizes import Range, Triple
from spmd.runtime.compiling.made import KernelCode
from spmd.runtime.launching.python_calls import runtime_functions

Args = bytes | int
"""Packed arguments, or their address."""

Entry = Callable[[Args, int, int, int | None], bool]
"""The native entry: arguments, first and last group, scratch; whether it was stopped."""

Worker = Callable[[Args, int, int, int, int | None], None]
"""Takes chunks of groups: arguments, address of the next group, groups, chunk, scratch."""

_WORKER = CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64, c_void_p)
_ENTRY = CFUNCTYPE(c_bool, c_void_p, c_int64, c_int64, c_void_p)
_SCRATCH_BYTES = CFUNCTYPE(c_int64, c_int64, c_int64, c_int64)


class NativeKernel:
    """Native code of one kernel, for one work-group size or for all."""

    def __init__(self, made: KernelCode):
        self._native = native = load(
            made.code, runtime_functions(made.code)
        )  # owns the code
        self.group_size = made.group_size
        self._joins = made.joins
        self.group_order = made.group_order
        self.address = native.address(made.entry)
        self.entry: Entry = _ENTRY(self.address)
        self.worker: Worker = _WORKER(native.address(made.worker))
        # What a group cost last time, to tell how many threads are worth waking; until
        # it is known, all.
        self.group_ns = 1 << 40
        self._scratch_bytes = [
            _SCRATCH_BYTES(native.address(name)) for name in made.scratch_bytes
        ]

    def group_size_in(self, range_: Range, edges: Triple) -> Triple:
        """The size of the groups in which it runs `range_`, see `Range.made_for`."""
        if self.group_size is not None:
            return self.group_size
        return range_.joined(self._joins, edges) if self._joins else range_.group_size

    def scratch_bytes(self, group_size: Triple) -> int:
        """How much scratch memory a thread needs."""
        return max((needed(*group_size) for needed in self._scratch_bytes), default=0)
