"""What all dialects need: places of operations, tokens and walks that take no longer than they must."""

from __future__ import annotations


def repair() -> None:
    """Do all of it, for everything that is parsed and walked from now on."""
    from spmd.dialects.compat.common import lexing, locations, walking

    for each in (locations, lexing, walking):
        each.repair()
