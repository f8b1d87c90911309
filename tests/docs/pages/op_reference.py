"""
The reference of the ops in `docs/language.md`, made from their docstrings.

`python -m tests.docs.pages.op_reference` writes it anew.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType

from xdsl.ir import Operation

from spmd.dialects.spmd import (
    SPMD,
    atomics,
    collectives,
    failure,
    ids,
    kernel,
    lanes,
    launch,
    prefetch,
    sub_group_ids,
    votes,
    work_group,
)

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "language.md"

CHAPTERS: dict[str, tuple[ModuleType, ...]] = {
    "Kernels": (kernel,),
    "Ids and sizes": (ids, sub_group_ids),
    "Local memory and barriers": (work_group,),
    "Collectives": (collectives, votes),
    "Atomics": (atomics,),
    "Hints on memory": (prefetch,),
    "Launches": (launch,),
    "Run-time checks": (failure,),
    "Lanes and masks": (lanes,),
}
"""The files of the dialect in the order of the document, which has their ops in order."""

BEGIN = "<!-- begin of the op reference -->\n"
END = "<!-- end of the op reference -->\n"

INTRODUCTIONS = {
    "Run-time checks": "A condition that a kernel itself checks is a `cf.assert`. The passes "
    "that check barriers use this op, because their messages have numbers in them.",
    "Lanes and masks": "Frontends do not write these ops: `vectorize` makes them on its "
    "way from loops to vectors.",
}


def _ops_of(modules: tuple[ModuleType, ...]) -> list[type[Operation]]:
    files = [module.__name__ for module in modules]
    return [op for op in SPMD.operations if op.__module__ in files]


def reference() -> str:
    """The chapters on the ops."""
    parts: list[str] = []
    for title, modules in CHAPTERS.items():
        parts.append(f"### {title}")
        if title in INTRODUCTIONS:
            parts.append(INTRODUCTIONS[title])
        for op in _ops_of(modules):
            parts.append(f"#### `{op.name}`")
            parts.append(inspect.cleandoc(op.__doc__ or ""))
    return "\n\n".join(parts) + "\n"


def updated(text: str) -> str:
    """The document with the reference as it should be."""
    assert sum(len(_ops_of(c)) for c in CHAPTERS.values()) == len(list(SPMD.operations))
    between = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.DOTALL)
    assert between.search(text), f"expected {BEGIN!r} and {END!r} in the document"
    return between.sub(lambda _: f"{BEGIN}\n{reference()}\n{END}", text)


if __name__ == "__main__":
    DOCUMENT.write_text(updated(DOCUMENT.read_text()))
