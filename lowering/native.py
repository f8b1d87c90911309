"""
Native code from LLVM IR text, through llvmlite.

    native = compile_native(emit_llvm(module, host_machine()))
    function = ctypes.CFUNCTYPE(None, ...)(native.address("k"))
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from spmd.dialects.diagnostics import KernelError
from spmd.lowering.llvm_binding import llvm
from spmd.lowering.machine import (
    VECTOR_LIBRARY,
    Machine,
    host_machine,
    initialize_llvm,
)
from spmd.lowering.writing.symbols import exported_symbol

_library_numbers = itertools.count()


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


class NativeModule:
    """
    Compiled functions; they live as long as this object.

    `address` gives the address of a function of the source, also of the workers and
    sizes that `emit_llvm` adds.
    """

    def __init__(
        self,
        addresses: Mapping[str, int],
        timing: Timing,
        bitcode: bytes,
        target: Any,
        tracker: Any,
    ):
        self._addresses = dict(addresses)
        self._bitcode = bitcode
        self._target = target
        self._tracker = tracker
        """Keeps the code in memory."""
        self.timing = timing

    def address(self, symbol: str) -> int:
        """The address of a function, by its name in the source."""
        for name in (symbol, exported_symbol(symbol)):
            if name in self._addresses:
                return self._addresses[name]
        raise KeyError(
            f"expected one of the functions {', '.join(sorted(self._addresses))}, "
            f"got {symbol}"
        )

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._addresses or exported_symbol(symbol) in self._addresses

    def assembly(self) -> str:
        """The machine code as text."""
        # From a copy: generating code changes an LLVM module.
        return self._target.emit_assembly(llvm.parse_bitcode(self._bitcode))

    def llvm_ir(self) -> str:
        """The LLVM IR after optimisation."""
        return str(llvm.parse_bitcode(self._bitcode))


_jit_lock = threading.Lock()


RUNTIME_LIBRARY = "libgcc_s.so.1"
"""What LLVM calls for f16 on CPUs that cannot convert it themselves."""


@cache
def _jit() -> Any:
    initialize_llvm()
    for library in (RUNTIME_LIBRARY, VECTOR_LIBRARY):
        with contextlib.suppress(RuntimeError):
            llvm.load_library_permanently(library)
    return llvm.create_lljit_compiler()


def _check_declarations(module: Any, symbols: Mapping[str, int]) -> None:
    """Functions without a body have to be in this process: LLVM's own error is opaque."""
    missing = [
        function.name
        for function in module.functions
        if function.is_declaration
        and not function.name.startswith("llvm.")
        and function.name not in symbols
        and not llvm.address_of_symbol(function.name)
    ]
    if missing:
        raise NativeError(
            f"expected a body, or a function of the C library, for {', '.join(missing)}"
        )


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
    symbols = symbols or {}
    times = [time.perf_counter()]
    target = _target_machine(machine, opt)
    module = _parse(llvm_ir)
    times.append(time.perf_counter())
    _optimize(module, target, opt)
    times.append(time.perf_counter())
    with _jit_lock:
        jit = _jit()
    _check_declarations(module, symbols)
    bitcode = module.as_bitcode()
    exported = [
        function.name
        for function in module.functions
        if not function.is_declaration and function.linkage == llvm.Linkage.external
    ]
    code = target.emit_object(module)
    times.append(time.perf_counter())
    builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for name in exported:
        builder.export_symbol(name)
    for name, address in symbols.items():
        builder.import_symbol(name, address)
    with _jit_lock:
        try:
            tracker = builder.link(jit, f"spmd.{next(_library_numbers)}")
        except RuntimeError as error:
            raise NativeError(f"LLVM cannot link the module: {error}") from error
    times.append(time.perf_counter())
    addresses = {name: tracker[name] for name in exported}
    seconds = [later - earlier for earlier, later in itertools.pairwise(times)]
    return NativeModule(addresses, Timing(*seconds), bitcode, target, tracker)
