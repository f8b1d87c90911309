"""Loops that get on."""

from __future__ import annotations

from xdsl.dialects import scf

from spmd.dialects.rewriting import constant_index


def why_no_step(op: scf.ForOp) -> str | None:
    """Why a loop would not end; a step that is not constant is not looked at."""
    step = constant_index(op.step)
    if step is None or step > 0:
        return None
    return f"expected a step of at least 1, got {step}"
