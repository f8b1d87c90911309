"""Which ops show in which order work-items run (MLIR: a write to a resource that nobody reads)."""

from __future__ import annotations

from dataclasses import dataclass

from spmd.dialects.interfaces.interface import OpInterface


@dataclass(frozen=True)
class Ordered(OpInterface):
    """
    What the op does is seen from outside, in the order in which it is done.

    So work-items do it one after the other, and so do work-groups.
    """
