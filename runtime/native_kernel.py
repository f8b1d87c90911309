"""A kernel as native code, for one work-group size or for all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_bool, c_int64, c_void_p

from xdsl.dialects import func
from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import fail
from spmd.dialects.spmd import KernelOp
from spmd.dialects.work_groups import SCRATCH_BYTES_SUFFIX
from spmd.lowering.compiling import NativeError
from spmd.lowering.entries.entry import WORKER_SUFFIX
from spmd.lowering.llvm_binding import llvm
from spmd.lowering.native import compile_native
from spmd.lowering.writing.symbols import exported_symbol
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.runtime.arguments.sizes import Triple
from spmd.runtime.errors import SourceText, compile_errors
from spmd.runtime.pipeline import Unit, restrict, run_passes, to_llvm

Args = bytes | int
"""Packed arguments, or their address."""

Entry = Callable[[Args, int, int, int | None], bool]
"""The native entry: arguments, first and last group, scratch; whether it was stopped."""

Worker = Callable[[Args, int, int, int, int | None], None]
"""Takes chunks of groups: arguments, address of the next group, groups, chunk, scratch."""

_WORKER = CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64, c_void_p)
_ENTRY = CFUNCTYPE(c_bool, c_void_p, c_int64, c_int64, c_void_p)
_SCRATCH_BYTES = CFUNCTYPE(c_int64, c_int64, c_int64, c_int64)

compiling = threading.RLock()
"""Held while code is compiled; a `fork` waits for it, LLVM being in no middle state."""


def _hold() -> None:
    compiling.acquire()
    llvm.ffi.lib._lock.__enter__()  # also taken when something of LLVM is freed


def _let_go() -> None:
    llvm.ffi.lib._lock.__exit__()
    compiling.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)


class NativeKernel:
    """Native code of one kernel, for one work-group size or for all."""

    def __init__(self, llvm_ir: str, name: str, scratch: list[str]):
        self._native = compile_native(llvm_ir)  # owns the code
        self.entry: Entry = _ENTRY(self._native.address(name))
        self.worker: Worker = _WORKER(
            self._native.address(exported_symbol(name) + WORKER_SUFFIX)
        )
        # What a group cost last time, to tell how many threads are worth waking; until
        # it is known, all.
        self.group_ns = 1 << 40
        self._scratch_bytes = [
            _SCRATCH_BYTES(self._native.address(function)) for function in scratch
        ]

    def scratch_bytes(self, group_size: Triple) -> int:
        """How much scratch memory a thread needs."""
        # Full groups and partial ones may need different amounts; take the larger.
        return max((needed(*group_size) for needed in self._scratch_bytes), default=0)

    def assembly(self) -> str:
        """The native code, for people."""
        return self._native.assembly()


def specialised_passes(
    unit: Unit, kernel: str, size: Triple | None, full: bool
) -> tuple[ModulePass, ...]:
    """The passes for groups of a size or of any; `full`: all of that size."""
    if size is None or not unit.options.specialize:
        return unit.options.passes()
    specialise = SpmdSpecializePass(
        work_group_size=size, full_groups=full, kernel=kernel
    )
    return (specialise, *unit.options.passes())


def compile_kernel(
    unit: Unit, kernel: KernelOp, size: Triple | None, full: bool
) -> NativeKernel:
    """Compiles a kernel of `unit` for one size of groups, or for all."""
    name, source = kernel.sym_name.data, unit.source
    lowered = restrict(unit.module, kernel)
    run_passes(lowered, specialised_passes(unit, name, size, full), source)
    llvm_ir = to_llvm(lowered, source, assertions="report")
    scratch = [
        op.sym_name.data
        for op in lowered.ops
        if isinstance(op, func.FuncOp)
        and op.sym_name.data.endswith(SCRATCH_BYTES_SUFFIX)
    ]
    with native_errors(source, kernel):
        return NativeKernel(llvm_ir, name, scratch)


@contextmanager
def native_errors(
    source: SourceText | None, op: KernelOp | func.FuncOp
) -> Generator[None]:
    """Turns what LLVM has against `op` into a `CompileError` that names it."""
    name = op.sym_name.data
    with compile_errors(source, f"compiling '{name}' to native code"):
        try:
            yield
        except NativeError as error:
            fail(op, f"@{name} cannot be compiled to native code: {error.message}")
