"""Named ops of `linalg` that xDSL 0.74 lacks; see the README."""

from __future__ import annotations

from spmd.dialects.compat.linalg import named, payloads


def repair() -> None:
    """Add the ops to xDSL's `linalg` dialect, and what its own lack."""
    named.repair()
    payloads.repair()
