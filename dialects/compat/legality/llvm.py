"""Addresses of which every index is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects import llvm


def why_other_indices(op: llvm.GEPOp) -> str | None:
    """Why its operands are not the indices that its constants leave to them."""
    from xdsl.dialects.llvm import GEP_USE_SSA_VAL

    wanted = tuple(op.rawConstantIndices.iter_values()).count(GEP_USE_SSA_VAL)
    if wanted == len(op.ssa_indices):
        return None
    return (
        f"expected an operand for each index {GEP_USE_SSA_VAL} in rawConstantIndices, so "
        f"{wanted}, got {len(op.ssa_indices)}"
    )
