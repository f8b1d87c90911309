"""
Native code from LLVM IR text, through llvmlite.

    native = compile_native(emit_llvm(module, host_machine()))
    function = ctypes.CFUNCTYPE(None, ...)(native.address("k"))
"""

from __future__ import annotations

from collections.abc import Mapping

from spmd.lowering.compiling import NativeError, compile_object
from spmd.lowering.loading.elf import MissingSymbols
from spmd.lowering.loading.object_code import NativeCode, load
from spmd.lowering.machine import Machine, host_machine


def compile_native(
    llvm_ir: str,
    machine: Machine | None = None,
    opt: int = 3,
    symbols: Mapping[str, int] | None = None,
) -> NativeCode:
    """
    Compiles LLVM IR text for this host and makes it callable.

    `machine` is the one that the text was made for; by default, `host_machine()`. `symbols`
    are the addresses of functions that it calls, such as `POLL` where it reports failures.
    """
    compiled = compile_object(llvm_ir, machine or host_machine(), opt)
    try:
        return load(compiled.code, symbols)
    except MissingSymbols as error:
        raise NativeError(str(error)) from None
