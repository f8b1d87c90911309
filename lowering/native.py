"""
Native code from LLVM IR text, through llvmlite.

    native = compile_native(emit_llvm(module, host_machine()))
    function = ctypes.CFUNCTYPE(None, ...)(native.address("k"))
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spmd.dialects.diagnostics import KernelError
from spmd.lowering.elf import MissingSymbols
from spmd.lowering.llvm_binding import initialize_llvm, llvm
from spmd.lowering.loading import NativeCode, ObjectCode, load
from spmd.lowering.machine import Machine, host_machine


class NativeError(KernelError):
    """LLVM refused a module, or a symbol that it calls does not exist."""


@dataclass(frozen=True)
class Timing:
    """Seconds that the steps of LLVM took."""

    parse: float
    optimize: float
    generate: float
    link: float


def _target_machine(machine: Machine, opt: int) -> Any:
    initialize_llvm()
    triple = machine.triple or llvm.get_process_triple()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(
        cpu=machine.cpu,
        features=machine.features,
        opt=opt,
        reloc="pic",
        codemodel="default",
    )


def optimized(llvm_ir: str, machine: Machine, opt: int = 3) -> tuple[Any, Any]:
    """The optimised LLVM module of a text, and LLVM's own target machine."""
    target = _target_machine(machine, opt)
    return _optimize(_parse(llvm_ir), target, opt), target


def _parse(llvm_ir: str) -> Any:
    try:
        module = llvm.parse_assembly(llvm_ir)
        module.verify()
    except RuntimeError as error:
        raise NativeError(f"LLVM does not accept its input: {error}") from error
    return module


def _optimize(module: Any, target: Any, opt: int) -> Any:
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=opt)
    options.loop_vectorization = opt > 1
    options.slp_vectorization = opt > 1
    builder = llvm.create_pass_builder(target, options)
    manager = builder.getModulePassManager()
    try:
        manager.run(module, builder)
    finally:
        _free(manager)
        builder.close()
    return module


def _free(manager: Any) -> None:
    """
    Frees a pass manager: with what it ran on, some 100 KB.

    In llvmlite 0.50 its class inherits a `_dispose` that does nothing, before the one
    that would free it.
    """
    kind: Any = manager.__class__
    if kind._dispose is llvm.ffi.ObjectRef._dispose:
        llvm.newpassmanagers.NewPassManager._dispose(manager)
        manager.detach()
    else:
        manager.close()


class NativeModule(NativeCode):
    """What was just compiled, which can also be looked at."""

    def __init__(
        self,
        loaded: NativeCode,
        code: ObjectCode,
        timing: Timing,
        bitcode: bytes,
        target: Any,
    ):
        super().__init__(loaded.addresses, loaded)
        self.code = code
        self.timing = timing
        self._bitcode = bitcode
        self._target = target

    def assembly(self) -> str:
        """The machine code as text."""
        # From a copy: generating code changes an LLVM module.
        return self._target.emit_assembly(llvm.parse_bitcode(self._bitcode))

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
    times = [time.perf_counter()]
    target = _target_machine(machine, opt)
    module = _parse(llvm_ir)
    times.append(time.perf_counter())
    _optimize(module, target, opt)
    times.append(time.perf_counter())
    bitcode = module.as_bitcode()
    exported = tuple(
        function.name
        for function in module.functions
        if not function.is_declaration and function.linkage == llvm.Linkage.external
    )
    code = ObjectCode(target.emit_object(module), exported)
    times.append(time.perf_counter())
    try:
        loaded = load(code, symbols)
    except MissingSymbols as error:
        raise NativeError(
            f"expected a body, or a function of the C library, for {error}"
        ) from None
    times.append(time.perf_counter())
    seconds = [later - earlier for earlier, later in itertools.pairwise(times)]
    return NativeModule(loaded, code, Timing(*seconds), bitcode, target)
