"""
What the stock `xdsl-opt` finds of this project after `pip install`.

Every `xdsl-opt` call imports this module, so it imports nothing itself: dialects,
passes and targets are named by a path and loaded on first use. So are the repairs of
xDSL's own `arith`, `scf`, `vector` and `llvm` (see `spmd.dialects.compat`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.ir import Dialect
from xdsl.universe import XDSL_UNIVERSE, Universe


def _lazy(path: str) -> Callable[[], Any]:
    """A factory that imports `module:name` when it is called."""

    def load() -> Any:
        module, _, name = path.partition(":")
        return getattr(import_module(module), name)

    return load


def _repaired(dialect: str, load: Callable[[], Dialect]) -> Callable[[], Dialect]:
    """The factory of one of xDSL's dialects, followed by our repair of it."""

    def load_and_repair() -> Dialect:
        loaded = load()
        import_module("spmd.dialects.compat").ensure(dialect)
        return loaded

    return load_and_repair


for _dialect in ("arith", "scf", "vector", "llvm"):
    XDSL_UNIVERSE.all_dialects[_dialect] = _repaired(
        _dialect, XDSL_UNIVERSE.all_dialects[_dialect]
    )

PASSES = (
    # Level 0 to level 1: `spmd-to-loops` and its steps, in order.
    "spmd-to-loops",
    "spmd-inline-calls",
    "check-barriers",
    "structurize-control-flow",
    "rebuild-memrefs",
    "rebuild-strided-values",
    "fold-uniform-collectives",
    "choose-sub-group-size",
    "version-full-groups",
    "gather-ids",
    "drop-redundant-barriers",
    "split-at-barriers",
    "kernels-to-functions",
    "unswitch-work-item-loops",
    "clip-work-item-loops",
    "lower-memory-types",
    "place-group-memory",
    # Level 1 to level 4: `vectorize` and its steps, in order.
    "vectorize",
    "form-sub-groups",
    "mask-divergence",
    "widen-sub-groups",
    "lower-atomics",
    # Level 1 to level 1, without sub-group operations: `sub-groups-to-loops` and its own step.
    "sub-groups-to-loops",
    "lanes-to-loops",
    # Level 0 to level 0.
    "spmd-specialize",
    "spmd-annotate-shapes",
    "launches-to-calls",
)
"""A pass `some-name` is the class `SomeNamePass` of `spmd.passes.some_name`."""


TARGETS = {
    "spmd-llvm": "SpmdLlvmTarget",
    "spmd-asm": "SpmdAsmTarget",
    "spmd-object": "SpmdObjectTarget",
}


def _pass_path(name: str) -> str:
    words = name.split("-")
    camel = "".join(word.capitalize() for word in words)
    return f"spmd.passes.{'_'.join(words)}:{camel}Pass"


SPMD_UNIVERSE = Universe(
    all_dialects={"spmd": _lazy("spmd.dialects.spmd:SPMD")},
    all_passes={name: _lazy(_pass_path(name)) for name in PASSES},
    all_targets={
        name: _lazy(f"spmd.lowering.targets:{cls}") for name, cls in TARGETS.items()
    },
)
