"""
What the stock `xdsl-opt` finds of this project after `pip install`.

Every `xdsl-opt` call imports this module, so it imports nothing itself: dialects,
passes and targets are named by a path and loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.universe import Universe


def _lazy(path: str) -> Callable[[], Any]:
    """A factory that imports `module:name` when it is called."""

    def load() -> Any:
        module, _, name = path.partition(":")
        return getattr(import_module(module), name)

    return load


SPMD_UNIVERSE = Universe(
    all_dialects={"spmd": _lazy("spmd.dialects.spmd:SPMD")},
)
