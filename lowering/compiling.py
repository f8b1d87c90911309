"""LLVM at work: from a text to optimised bitcode and an object file."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from functools import cache
from typing import Any, NamedTuple

from spmd.dialects.diagnostics import KernelError
from spmd.lowering.llvm_binding import initialize_llvm, llvm
from spmd.lowering.loading.object_code import ObjectCode, compiles_in_child
from spmd.lowering.machine import Machine


class NativeError(KernelError):
    """LLVM refused a module, or a symbol that it calls does not exist."""


@cache
def target_machine(machine: Machine, opt: int = 3) -> Any:
    """
    LLVM's own description of a machine.

    It is made once: what LLVM derives from the features takes as long as a small function.
    """
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
    target = target_machine(machine, opt)
    return _optimized(llvm_ir, target, opt), target


def _parse(llvm_ir: str) -> Any:
    try:
        module = llvm.parse_assembly(llvm_ir)
        module.verify()
    except RuntimeError as error:
        raise NativeError(f"LLVM does not accept its input: {error}") from error
    return module


_SCALAR_STORES = tuple(
    f"\n  store {kind}" for kind in ("i", "half", "bfloat", "float", "double")
)


def _optimized(llvm_ir: str, target: Any, opt: int) -> Any:
    module = _parse(llvm_ir)
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=opt)
    options.loop_vectorization = opt > 1
    # Makes vectors of scalars that are stored beside each other. What it finds where only
    # vectors are stored was as fast without (of 168 kernels 7 had any, one took 2.4 times as
    # long with it); it takes a twentieth of LLVM's time.
    options.slp_vectorization = opt > 1 and any(s in llvm_ir for s in _SCALAR_STORES)
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


class Compiled(NamedTuple):
    """What LLVM makes of a text: optimised bitcode, and code."""

    bitcode: bytes
    code: ObjectCode

    def assembly(self, machine: Machine) -> str:
        """The machine code as text."""
        return target_machine(machine).emit_assembly(llvm.parse_bitcode(self.bitcode))

    def llvm_ir(self) -> str:
        """The LLVM IR after optimisation."""
        return str(llvm.parse_bitcode(self.bitcode))


def compiled(llvm_ir: str, machine: Machine, opt: int) -> Compiled:
    """Lets LLVM compile a text."""
    target = target_machine(machine, opt)
    module = _optimized(llvm_ir, target, opt)
    bitcode = module.as_bitcode()
    exported = tuple(
        function.name
        for function in module.functions
        if not function.is_declaration and function.linkage == llvm.Linkage.external
    )
    code = ObjectCode(target.emit_object(module), exported)
    return Compiled(bitcode, code)


def compile_object(llvm_ir: str, machine: Machine, opt: int = 3) -> Compiled:
    """
    Lets LLVM compile a text; it may end the process unless it runs in another one.

    For some errors of its own it takes that for the answer.
    """
    try:
        in_child = compiles_in_child()
    except ValueError as error:
        raise NativeError(str(error)) from None
    run = _compiled_in_child if in_child else compiled
    return run(llvm_ir, machine, opt)


CHILD = """
import pickle, sys
from spmd.lowering.compiling import NativeError, compiled
given, out = pickle.load(sys.stdin.buffer), sys.stdout.buffer
try:
    made = compiled(*given)
except NativeError as error:
    made = error.message
pickle.dump(made, out)
"""


def _compiled_in_child(llvm_ir: str, machine: Machine, opt: int) -> Compiled:
    import subprocess  # whose import takes as long as a small kernel

    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        (sys.executable, "-c", CHILD),
        input=pickle.dumps((llvm_ir, machine, opt)),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"]
        said = next((line for line in lines if "LLVM ERROR" in line), lines[-1])
        if done.returncode > 0 and "LLVM ERROR" not in said:
            raise RuntimeError(f"{sys.executable}: {said}")
        how = f"status {done.returncode}"
        if done.returncode < 0:
            how = signal.Signals(-done.returncode).name
        raise NativeError(
            f"LLVM ended the process that compiled it ({how}), and said: {said}; another "
            "width= may help"
        )
    made = pickle.loads(done.stdout)
    if isinstance(made, str):
        raise NativeError(made)
    return made
