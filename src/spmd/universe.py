"""
What the stock `xdsl-opt` finds of this project after `pip install`.

Every `xdsl-opt` call imports this module, so it imports nothing itself: dialects,
passes and targets are named by a path and loaded on first use. So are the repairs of
xDSL's own dialects (see `spmd.dialects.compat`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.ir import Dialect
from xdsl.universe import XDSL_UNIVERSE, Universe


def _repair() -> None:
    """Before anything is read: operations are to know where they stand."""
    import_module("spmd.dialects.compat.common").repair()


def _lazy(path: str) -> Callable[[], Any]:
    """A factory that imports `module:name` when it is called."""

    def load() -> Any:
        # In time: passes are loaded before the text is read.
        _repair()
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


for _dialect in ("arith", "memref", "scf", "vector", "llvm", "gpu", "linalg"):
    XDSL_UNIVERSE.all_dialects[_dialect] = _repaired(
        _dialect, XDSL_UNIVERSE.all_dialects[_dialect]
    )

PASSES = {
    # Lists of passes.
    "pipelines": ("spmd-to-loops", "vectorize", "sub-groups-to-loops"),
    # From other dialects to level 0.
    "frontends": (
        "expand-ops",
        "expand-runner-calls",
        "convert-gpu-to-spmd",
        "linalg-to-parallel-loops",
        "parallel-loops-to-kernels",
        "store-vectors-as-rows",
    ),
    # Level 0: from kernel to kernel.
    "kernels": (
        "spmd-inline-calls",
        "check-barriers",
        "spmd-insert-checks",
        "choose-sub-group-size",
        "version-full-groups",
        "hoist-ids",
        "drop-redundant-barriers",
        "spmd-specialize",
        "spmd-annotate-shapes",
        "spmd-annotate-footprints",
    ),
    "structuring": (
        "structurize-control-flow",
        "if-to-select",
        "unroll-short-loops",
    ),
    "rematerialization": (
        "rematerialize-memrefs",
        "rematerialize-strided-values",
        "promote-private-arrays",
        "promote-own-elements",
        "uplift-while-to-for",
        "count-bits",
        "solve-recurrences",
        "clip-counted-loops",
    ),
    "collectives": (
        "fold-uniform-collectives",
        "carry-float-keys",
        "vectorize-scans",
    ),
    # Level 0 to level 1.
    "splitting": ("split-at-barriers",),
    "work_item_loops": (
        "kernels-to-functions",
        "unswitch-work-item-loops",
        "clip-work-item-loops",
        "interchange-loops",
        "unroll-group-loops",
        "split-vectors",
        "launches-to-calls",
        "place-polls",
    ),
    "memory": (
        "lower-memory-types",
        "place-group-memory",
        "lower-atomics",
    ),
    "memory.accesses": (
        "combine-strided-accesses",
        "tile-walks",
        "version-gathers",
        "version-masks",
        "load-chunks",
        "stream-stores",
    ),
    # Level 1 to level 4, or with `lanes-to-loops` back to scalar code.
    "sub_groups": (
        "fold-lane-views",
        "reuse-loaded-values",
        "form-sub-groups",
        "forget-unasked-values",
        "share-private-arrays",
        "narrow-integers",
        "reshape-groups",
    ),
    "sub_groups.edges": ("version-rows", "version-interiors", "version-edges"),
    "masking": (
        "split-off-full-iterations",
        "mask-divergence",
    ),
    "widening": ("widen-sub-groups",),
    "lane_loops": ("lanes-to-loops",),
}
"""
The passes by the folder of `passes/` that they stand in.

`some-name` is the class `SomeNamePass` of `spmd.passes.FOLDER.some_name`. In which order
they run is written in the files of `pipelines`.
"""


TARGETS = {
    "spmd-llvm": "SpmdLlvmTarget",
    "spmd-asm": "SpmdAsmTarget",
    "spmd-object": "SpmdObjectTarget",
}


def _pass_path(folder: str, name: str) -> str:
    words = name.split("-")
    camel = "".join(word.capitalize() for word in words)
    return f"spmd.passes.{folder}.{'_'.join(words)}:{camel}Pass"


SPMD_UNIVERSE = Universe(
    all_dialects={"spmd": _lazy("spmd.dialects.spmd:SPMD")},
    all_passes={
        name: _lazy(_pass_path(folder, name))
        for folder, names in PASSES.items()
        for name in names
    },
    all_targets={
        name: _lazy(f"spmd.lowering.targets:{cls}") for name, cls in TARGETS.items()
    },
)


def _locate_for_targets(tool: Any) -> None:
    """Let `tool`, which loads a target after it has read the text, do what passes do."""
    parse = tool.parse_chunk

    def parse_chunk(self: Any, *arguments: Any) -> Any:
        if getattr(self.args, "target", "").partition("{")[0] in TARGETS:
            _repair()
        return parse(self, *arguments)

    tool.parse_chunk = parse_chunk


# Who reads no text as `xdsl-opt` does has not imported it.
if (_tools := sys.modules.get("xdsl.tools.command_line_tool")) is not None:
    _locate_for_targets(_tools.CommandLineTool)
