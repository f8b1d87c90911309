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

from spmd.dialects.spmd import MODULES, SPMD

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "language.md"

BEGIN = "<!-- begin of the op reference -->\n"
END = "<!-- end of the op reference -->\n"


def _ops_of(module: ModuleType) -> list[type[Operation]]:
    return [op for op in SPMD.operations if op.__module__ == module.__name__]


def reference() -> str:
    """The chapters on the ops."""
    parts: list[str] = []
    for module in MODULES:
        if not (ops := _ops_of(module)):
            continue
        title, _, introduction = inspect.cleandoc(module.__doc__ or "").partition("\n")
        parts.append(f"### {title.removesuffix('.')}")
        if introduction:
            parts.append(introduction.strip())
        for op in ops:
            parts.append(f"#### `{op.name}`")
            parts.append(inspect.cleandoc(op.__doc__ or ""))
    return "\n\n".join(parts) + "\n"


def updated(text: str) -> str:
    """The document with the reference as it should be."""
    between = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.DOTALL)
    assert between.search(text), f"expected {BEGIN!r} and {END!r} in the document"
    return between.sub(lambda _: f"{BEGIN}\n{reference()}\n{END}", text)


if __name__ == "__main__":
    DOCUMENT.write_text(updated(DOCUMENT.read_text()))
