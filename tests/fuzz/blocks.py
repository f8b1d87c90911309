"""The same kernel with blocks of `cf` instead of structured control flow."""

from __future__ import annotations

from xdsl.dialects import scf

from spmd.dialects.spmd import KernelOp
from spmd.passes.splitting.flatten_control_flow import flatten
from tests.execution.harness import parsed


def in_blocks(source: str) -> str:
    """The module with no structured control flow in its kernels; functions keep theirs."""
    module = parsed(source).clone()
    for op in module.ops:
        if isinstance(op, KernelOp):
            flatten(op, lambda op: isinstance(op, STRUCTURED))
    return str(module)


STRUCTURED = (scf.IfOp, scf.ForOp, scf.IndexSwitchOp, scf.WhileOp)
