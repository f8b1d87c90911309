"""Modules of kernels as the benchmarks need them."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from spmd.dialects.spmd import KernelOp
from spmd.runtime.parsing import parse, read_source


def parsed(source: str | Path | ModuleOp) -> ModuleOp:
    """The module that `source` is, or is the text of."""
    return source if isinstance(source, ModuleOp) else parse(read_source(source))


def without_group_size(module: ModuleOp) -> ModuleOp:
    """The same kernels, but their launch decides about the size of their groups."""
    free = module.clone()
    for op in free.ops:
        if isinstance(op, KernelOp):
            op.work_group_size = None
    return free
