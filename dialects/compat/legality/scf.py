"""Loops that get on."""

from __future__ import annotations

from xdsl.dialects import scf

from spmd.dialects.rewriting import constant_index


def why_no_step(op: scf.ForOp | scf.ParallelOp) -> str | None:
    """Why a loop would not end; a step that is not constant is not looked at."""
    steps = op.step if isinstance(op, scf.ParallelOp) else (op.step,)
    for step in map(constant_index, steps):
        if step is not None and step <= 0:
            return f"expected a step of at least 1, got {step}"
    return None
