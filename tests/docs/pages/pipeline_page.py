"""
Puts the IR after each pass into `docs/pipeline.md`: run this file to bring it up to date.

The page has a section `## <pass>` for each pass in order, with a line
`<!-- ir -->` after which the IR goes; what is not IR is written by hand.
"""

from __future__ import annotations

import re
from pathlib import Path

import spmd

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "pipeline.md"
KERNEL = ROOT / "examples" / "04_group_sum.mlir"

WIDTH = 8
GROUP_SIZE = 256

MARK = "<!-- ir -->\n"
FILLED = re.compile(
    rf"{MARK}\n(?:Nothing changes here\.|```mlir\n.*?^```)\n", re.MULTILINE | re.DOTALL
)


def stages() -> dict[str, str]:
    """The IR of the page's kernel: the source, then after each pass."""
    kernel = spmd.compile(KERNEL, width=WIDTH).kernels["group_sum"]
    passes = dict(kernel.stages(group_size=GROUP_SIZE))
    del passes["spmd-llvm"]
    return {"source": KERNEL.read_text(), **passes}


def block(text: str) -> str:
    """IR as it stands on the page: without the module around it."""
    lines = text.strip().splitlines()
    if lines[0] == "builtin.module {":
        lines = [line.removeprefix("  ") for line in lines[1:-1]]
    return "```mlir\n" + "\n".join(lines) + "\n```"


def section_names(page: str) -> list[str]:
    """The stages that the page shows, in its order."""
    return [
        section.partition("\n")[0].strip("`")
        for section in page.split("\n## ")[1:]
        if MARK in section
    ]


def filled(page: str) -> str:
    """The page with the IR of today."""
    head, *sections = page.split("\n## ")
    texts = stages()
    before = ""
    for i, section in enumerate(sections):
        name = section.partition("\n")[0].strip("`")
        if MARK not in section or name not in texts:
            continue
        after = block(texts[name])
        ir = "Nothing changes here." if after == before else after
        new = f"{MARK}\n{ir}\n"
        if FILLED.search(section):
            sections[i] = FILLED.sub(lambda _, new=new: new, section)
        else:
            sections[i] = section.replace(MARK, new)
        before = after
    return "\n## ".join([head, *sections])


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
