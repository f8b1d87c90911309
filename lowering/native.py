"""
Native code from LLVM IR text, through llvmlite.

    native = compile_native(emit_llvm(module, host_machine()))
    function = ctypes.CFUNCTYPE(None, ...)(native.address("k"))
"""

from __future__ import annotations

from spmd.lowering.compiling import NativeError, compile_object
from spmd.lowering.elf import MissingSymbols
from spmd.lowering.loading import NativeCode, load
from spmd.lowering.machine import Machine, host_machine


def compile_native(
    llvm_ir: str,
    machine: Machine | None = None,
    opt: int = 3,
) -> NativeCode:
    """
    Compiles LLVM IR text for this host and makes it callable.

    `machine` is the one that the text was made for; by default, `host_machine()`.
    """
    try:
        return load(compile_object(llvm_ir, machine or host_machine(), opt).code)
    except MissingSymbols as error:
        raise NativeError(str(error)) from None
