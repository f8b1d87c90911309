"""
Puts IR, pictures and tables into `docs/architecture.md`: run this file to bring it up to
date.

A line `<!-- ir STAGE -->` is followed by the IR of the page's kernel after that pass, and
`<!-- packages -->` and `<!-- folders -->` by who imports whom.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import spmd
from tests.docs.imports import folded, import_graph, without_shortcuts
from tests.docs.pages.pipeline_page import block

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "architecture.md"

KERNEL = """\
// y[i] = how far x rises from the left neighbour in the group, 0 where it falls.
spmd.kernel @rise(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {work_group_size = array<i64: 8>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<8xf32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  memref.store %v, %tile[%lid] : memref<8xf32, #spmd.memory<local>>
  spmd.barrier
  %inner = arith.cmpi ne, %lid, %c0 : index
  %rise = scf.if %inner -> (f32) {
    %left = arith.subi %lid, %c1 : index
    %before = memref.load %tile[%left] : memref<8xf32, #spmd.memory<local>>
    %difference = arith.subf %v, %before : f32
    %up = arith.maximumf %difference, %zero : f32
    scf.yield %up : f32
  } else {
    scf.yield %zero : f32
  }
  memref.store %rise, %y[%gid] : memref<?xf32>
  spmd.return
}
"""
WIDTH, GROUP_SIZE = 4, 8

FILLED = re.compile(
    r"^(<!-- (\w+)(?: ([\w-]+))? -->\n)(?:\n```\w+\n.*?^```\n)?", re.M | re.S
)


@cache
def stages() -> dict[str, str]:
    """The IR of the page's kernel: the source, then after each pass."""
    program = spmd.compile(KERNEL, width=WIDTH)
    return {
        "source": KERNEL,
        **dict(program.kernels["rise"].stages(group_size=GROUP_SIZE)),
    }


def _mermaid(lines: list[str], direction: str) -> str:
    return "\n".join(["```mermaid", f"flowchart {direction}", *lines, "```"])


def packages() -> str:
    """Who imports whom, among packages."""
    graph = without_shortcuts(folded(import_graph(), 1))
    edges = [
        f"  {name} --> {to}" for name in sorted(graph) for to in sorted(graph[name])
    ]
    return _mermaid(edges, "RL")


def folders() -> str:
    """Who imports whom, among the folders of `passes/` and of `analysis/`."""
    graph = folded(import_graph(), 2)
    lines: list[str] = []
    for package in ("passes", "analysis"):
        names = sorted(
            n
            for n in graph
            if n.startswith(f"{package}.") and (ROOT / n.replace(".", "/")).is_dir()
        )
        inner = without_shortcuts({n: graph[n] & set(names) for n in names})
        lines.append(f"  subgraph {package}")
        lines += [f"    {n}[{n.split('.')[1]}]" for n in names]
        lines += [f"    {n} --> {to}" for n in names for to in sorted(inner[n])]
        lines.append("  end")
    lines.append("  passes --> analysis")
    return _mermaid(lines, "TD")


PARTS: dict[str, Callable[[str], str]] = {
    "ir": lambda stage: block(stages()[stage]),
    "packages": lambda _: packages(),
    "folders": lambda _: folders(),
}


def filled(page: str) -> str:
    """The page with the IR and the imports of today."""
    return FILLED.sub(lambda m: f"{m[1]}\n{PARTS[m[2]](m[3])}\n", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
