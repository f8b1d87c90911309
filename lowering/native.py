"""
Native code from LLVM IR text, through llvmlite.

    native = compile_native(emit_llvm(module, host_machine()))
    function = ctypes.CFUNCTYPE(None, ...)(native.address("k"))
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from spmd.lowering.compiling import NativeError, compile_object, target_machine
from spmd.lowering.elf import MissingSymbols
from spmd.lowering.llvm_binding import llvm
from spmd.lowering.loading import NativeCode, ObjectCode, load
from spmd.lowering.machine import Machine, host_machine


@dataclass(frozen=True)
class Timing:
    """Seconds that the steps of LLVM took."""

    parse: float
    optimize: float
    generate: float
    link: float


class NativeModule(NativeCode):
    """What was just compiled, which can also be looked at."""

    def __init__(
        self,
        loaded: NativeCode,
        code: ObjectCode,
        timing: Timing,
        bitcode: bytes,
        machine: Machine,
    ):
        super().__init__(loaded.addresses, loaded)
        self.code = code
        self.timing = timing
        self._bitcode = bitcode
        self._machine = machine

    def assembly(self) -> str:
        """The machine code as text."""
        # From a copy: generating code changes an LLVM module.
        target = target_machine(self._machine)
        return target.emit_assembly(llvm.parse_bitcode(self._bitcode))

    def llvm_ir(self) -> str:
        """The LLVM IR after optimisation."""
        return str(llvm.parse_bitcode(self._bitcode))


def compile_native(
    llvm_ir: str,
    machine: Machine | None = None,
    *,
    opt: int = 3,
    symbols: Mapping[str, int] | None = None,
) -> NativeModule:
    """
    Compiles LLVM IR text for this host and makes it callable.

    `machine` is the one that the text was made for; by default, `host_machine()`.
    `symbols` are the addresses of functions that the text declares, beside those that
    the process has.
    """
    machine = machine or host_machine()
    made = compile_object(llvm_ir, machine, opt)
    start = time.perf_counter()
    try:
        loaded = load(made.code, symbols)
    except MissingSymbols as error:
        raise NativeError(
            f"expected a body, or a function of the C library, for {error}"
        ) from None
    timing = Timing(*made.seconds, time.perf_counter() - start)
    return NativeModule(loaded, made.code, timing, made.bitcode, machine)
