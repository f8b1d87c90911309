"""
Puts explanations into `docs/explain.md` and the table of contexts into `docs/barriers.md`:
run this file to bring them up to date.

A kernel on the page is followed by the command that explains it, as a comment, and after
that goes what the command prints.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

from spmd.runtime.errors import SourceText
from spmd.runtime.explanation.facts import KernelFacts
from spmd.runtime.options import CompileOptions
from spmd.runtime.program import Program

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "explain.md"
BARRIERS = ROOT / "docs" / "barriers.md"

EXAMPLE = re.compile(
    r"^```mlir\n(?P<source>spmd\.kernel[^`]*)^```\n\n"
    r"(?P<command><!-- spmd-run (?P<file>\S+) --explain --width (?P<width>\d+) -->\n)"
    r"(?P<output>\n```text\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)
TABLE = re.compile(r"(<!-- bytes kept -->\n)(\n\|.*?\|\n(?!\|))?", re.DOTALL)


def explained(match: re.Match[str]) -> str:
    """An example with what is said about it today."""
    source = SourceText(match["file"], match["source"])
    options = CompileOptions.from_user({"width": int(match["width"])})
    text = Program.from_source(source, options).explain()
    head = match[0].removesuffix(match["output"] or "")
    return f"{head}\n```text\n{text}\n```\n"


def filled(page: str) -> str:
    """The page with the explanations of today."""
    return EXAMPLE.sub(explained, page)


def examples() -> list[KernelFacts]:
    """What becomes of the kernels of the examples, under the default strategy."""
    folder = str(ROOT / "examples")
    if folder not in sys.path:
        sys.path.append(folder)
    scripts = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))
    return [
        facts
        for script in scripts
        if "EXAMPLE = " in script.read_text()
        for facts in import_module(script.stem)
        .EXAMPLE.compile(width=16)
        .explain()
        .kernels
    ]


def row(kernel: KernelFacts) -> str:
    """The line of one kernel."""
    what = ", ".join(f"`%{kept.name}`" for kept in kernel.contexts)
    return f"| `{kernel.name}` | {kernel.context_bytes} | {what} |".replace(
        "|  |", "| |"
    )


def with_table(page: str) -> str:
    """The page about barriers with the bytes that are kept today."""
    head = "| example | bytes kept per work-item | what |\n| --- | --- | --- |"
    rows = "\n".join([head, *map(row, examples())])
    return TABLE.sub(lambda match: f"{match[1]}\n{rows}\n", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
    BARRIERS.write_text(with_table(BARRIERS.read_text()))
