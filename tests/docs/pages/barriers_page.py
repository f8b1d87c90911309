"""
Puts what becomes of each kernel into `docs/barriers.md`: run this file to bring it up to
date.

A kernel on the page is followed by `<!-- fission -->`, `<!-- continuations -->` or both,
and after each goes the kernel after `split-at-barriers` with that strategy and
`unswitch-work-item-loops`. `<!-- fission, checked -->` is with checks. The head of the
kernel is left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

from spmd.dialects.spmd import KernelOp
from spmd.passes.kernels.check_barriers import CheckBarriersPass
from spmd.passes.kernels.drop_redundant_barriers import DropRedundantBarriersPass
from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.rematerialization.rematerialize_memrefs import RematerializeMemrefsPass
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass, Strategy
from spmd.passes.structuring.structurize_control_flow import StructurizeControlFlowPass
from spmd.passes.work_item_loops.unswitch_work_item_loops import (
    UnswitchWorkItemLoopsPass,
)
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

PAGE = Path(__file__).resolve().parents[3] / "docs" / "barriers.md"

KERNEL = re.compile(r"^```mlir\n(spmd\.kernel.*?)^```\n", re.MULTILINE | re.DOTALL)
RESULT = re.compile(
    r"<!-- (fission|continuations)(, checked)? -->\n(?:\n```mlir\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)
LEFT_OUT = re.compile(r"spmd\.return|%\w+ = (arith\.constant|spmd\.\w+_(size|id)\b)")


def split(source: str, strategy: Strategy, checked: bool = False) -> KernelOp:
    """The kernel of the page without its barriers."""
    module = parse(SourceText("barriers.md", source))
    for step in (
        CheckBarriersPass(),
        StructurizeControlFlowPass(),
        RematerializeMemrefsPass(),
        HoistIdsPass(),
        *(() if checked else (DropRedundantBarriersPass(),)),
        SplitAtBarriersPass(strategy=strategy, check=checked),
        UnswitchWorkItemLoopsPass(),
    ):
        step.apply(make_context(), module)
    (kernel,) = module.body.block.ops
    assert isinstance(kernel, KernelOp)
    return kernel


def shown(source: str, strategy: Strategy, checked: bool = False) -> str:
    """What the page shows of it: the body, without constants, ids and attributes."""
    lines = str(split(source, strategy, checked)).splitlines()[1:-1]
    body = (line.removeprefix("  ") for line in lines)
    short = (
        re.sub(r"(, spmd\.context = \"[^\"]*\")?, alignment = 64 : i64", "", x)
        for x in body
    )
    return "\n".join(line for line in short if not LEFT_OUT.match(line))


def filled(page: str) -> str:
    """The page with the IR of today."""
    parts: list[str] = []
    end = 0
    kernels = list(KERNEL.finditer(page))
    for kernel, following in zip(kernels, [*kernels[1:], None], strict=True):
        stop = following.start() if following else len(page)

        def replace(match: re.Match[str], source: str = kernel[1]) -> str:
            strategy = cast(Strategy, match[1])
            checked = match[2] or ""
            ir = shown(source, strategy, bool(checked))
            return f"<!-- {strategy}{checked} -->\n\n```mlir\n{ir}\n```\n"

        parts += (
            page[end : kernel.end()],
            RESULT.sub(replace, page[kernel.end() : stop]),
        )
        end = stop
    return "".join([*parts, page[end:]])


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
