"""
What the stock `xdsl-opt -t NAME` writes: LLVM IR, assembly, or an object file.

    xdsl-opt -p spmd-to-loops,vectorize -t spmd-llvm k.mlir
    xdsl-opt -p spmd-to-loops,vectorize -t 'spmd-asm{cpu=znver5}' k.mlir
    xdsl-opt -p spmd-to-loops,vectorize -t spmd-object k.mlir > k.o

| option | meaning |
| --- | --- |
| `triple=` | LLVM's name of the platform; by default the one of this host |
| `cpu=` | LLVM's name of the CPU, or `host` |
| `features=` | as for LLVM: `"+avx2","-fma"` |
| `file="k.o"` | of `spmd-object`: where to write, instead of the standard output |

Sub-group operations that are left become loops over lanes, and atomics instructions
(`sub-groups-to-loops`).

Without options `spmd-llvm` assumes nothing of the machine, so that its text is the same
on every host; the other two make code for the host.
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from spmd.dialects.interfaces.expansion import Expansion
from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp, needs_sub_groups
from spmd.lowering.compiling import optimized
from spmd.lowering.emit import emit_llvm
from spmd.lowering.machine import Machine, machine_for
from spmd.passes.pipelines.sub_groups_to_loops import SubGroupsToLoopsPass


def _llvm_ir(ctx: Context, module: ModuleOp, machine: Machine) -> str:
    """LLVM IR; a module that no pass has met may have operations of lanes, or for short."""
    if any(
        needs_sub_groups(op)
        or isinstance(op, AtomicRmwOp | AtomicCasOp)
        or Expansion.of(op) is not None
        for op in module.walk()
    ):
        module = module.clone()
        SubGroupsToLoopsPass().apply(ctx, module)
    return emit_llvm(module, machine)


@dataclass(frozen=True)
class SpmdLlvmTarget(Target):
    """LLVM IR, as it is before LLVM's own optimisations."""

    name = "spmd-llvm"

    triple: str = ""
    cpu: str = ""
    features: tuple[str, ...] = ()

    def machine(self, default_cpu: str = "") -> Machine:
        """The machine that the options describe."""
        cpu = self.cpu or ("" if self.triple else default_cpu)
        return machine_for(self.triple, cpu, ",".join(self.features))

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(_llvm_ir(ctx, module, self.machine()))


@dataclass(frozen=True)
class SpmdAsmTarget(SpmdLlvmTarget):
    """Assembly of the optimised module."""

    name = "spmd-asm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        machine = self.machine("host")
        llvm_module, target = optimized(_llvm_ir(ctx, module, machine), machine)
        output.write(target.emit_assembly(llvm_module))


@dataclass(frozen=True)
class SpmdObjectTarget(SpmdLlvmTarget):
    """
    An object file of the optimised module.

    `xdsl-opt` writes text. Bytes go through it to the standard output unchanged, but not
    to its option `-o`: use the option `file` of the target for that.
    """

    name = "spmd-object"

    file: str = ""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        machine = self.machine("host")
        llvm_module, target = optimized(_llvm_ir(ctx, module, machine), machine)
        code: bytes = target.emit_object(llvm_module)
        if self.file:
            Path(self.file).write_bytes(code)
            return
        stdout: object = sys.stdout
        if isinstance(stdout, io.TextIOWrapper):
            stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
        output.write(code.decode("utf-8", "surrogateescape"))
