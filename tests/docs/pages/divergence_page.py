"""
Puts the table of the examples into `docs/divergence.md`: run this file to bring it up to
date.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from xdsl.dialects import memref, scf

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.spmd import KernelOp
from spmd.runtime.compiling.reading import read_file
from spmd.runtime.parsing import parse

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "divergence.md"
TABLE = re.compile(r"(<!-- precision -->\n)(\n\|.*?\|\n(?!\|))?", re.DOTALL)


def row(kernel: KernelOp) -> str:
    """The line of one kernel."""
    divergence = analyze_kernel(kernel)
    values: Counter[str] = Counter()
    accesses: Counter[str] = Counter()
    branches: Counter[bool] = Counter()
    for op in kernel.walk():
        for result in op.results:
            shape = divergence.shape(result)
            kind = "varying" if shape.is_varying else "strided"
            values["uniform" if shape.is_uniform else kind] += 1
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            accesses[str(access_pattern(divergence, op))] += 1
        # A loop and the condition that ends it are one branch.
        if decisions(op) and not isinstance(op, scf.ConditionOp):
            branches[divergence.is_divergent(op, 0)] += 1
    patterns = ", ".join(f"{count} {name}" for name, count in sorted(accesses.items()))
    entries = [
        f"`{kernel.sym_name.data}`",
        *(str(values[kind]) for kind in ("uniform", "strided", "varying")),
        f"{branches[True]} of {branches.total()}",
        patterns,
    ]
    return f"| {' | '.join(entries)} |"


def table() -> str:
    """The table of all examples."""
    kernels = [
        kernel
        for path in sorted((ROOT / "examples").glob("*.mlir"))
        for kernel in parse(read_file(path)).ops
        if isinstance(kernel, KernelOp)
    ]
    head = "| kernel | uniform | strided | varying | divergent branches | accesses |"
    return "\n".join([head, "| --- " * 6 + "|", *map(row, kernels)]) + "\n"


def filled(page: str) -> str:
    """The page with the table of today."""
    return TABLE.sub(lambda match: f"{match[1]}\n{table()}", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
