"""Draws how lanes lie in a tile, and how a tile is transposed, for `docs/tiles.md`."""

# pyright: basic

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from xdsl.dialects import test
from xdsl.dialects.builtin import VectorType, f32
from xdsl.ir import Block, SSAValue

from spmd.dialects.building import Builder
from spmd.passes.memory.accesses.transposition import transposed

PICTURES = Path(__file__).resolve().parents[3] / "docs" / "pictures"
SIDE, TOP = 30, 44
COLOURS = ("#9ec5fe", "#ffd8a8", "#b2f2bb", "#eebefa")

Square = tuple[str, int]
"""What is written in a square, and the number of its colour."""


def _grid(title: str, left: int, rows: list[list[Square]]) -> list[str]:
    lines = [f'<text x="{left}" y="26" font-weight="bold">{title}</text>']
    for y, row in enumerate(rows):
        for x, (words, colour) in enumerate(row):
            at = left + x * SIDE, TOP + y * SIDE
            fill = COLOURS[colour % len(COLOURS)]
            lines.append(
                f'<rect x="{at[0]}" y="{at[1]}" width="{SIDE}" height="{SIDE}" '
                f'fill="{fill}" stroke="#57606a"/>'
            )
            lines.append(
                f'<text x="{at[0] + SIDE // 2}" y="{at[1] + 20}" '
                f'text-anchor="middle" font-size="12">{words}</text>'
            )
    return lines


def _svg(panels: list[tuple[str, list[list[Square]]]]) -> str:
    left, height, lines = 12, 0, []
    for title, rows in panels:
        lines += _grid(title, left, rows)
        left += max(SIDE * len(rows[0]), 8 * len(title)) + 2 * SIDE
        height = max(height, TOP + SIDE * len(rows) + 12)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left} {height}" '
        'font-family="sans-serif" font-size="13" fill="#1f2328">'
    )
    back = f'<rect width="{left}" height="{height}" fill="white"/>'
    return "\n".join([head, back, *lines, "</svg>"]) + "\n"


def lanes() -> str:
    """The lanes of sub-groups of 16 in a group of 8 by 8, one colour for each."""

    def rows(across: int, down: int) -> list[list[Square]]:
        return [
            [
                (
                    str(y % down * across + x % across),
                    y // down * (8 // across) + x // across,
                )
                for x in range(8)
            ]
            for y in range(8)
        ]

    return _svg([(f"shape={x},{y}", rows(x, y)) for x, y in ((8, 2), (4, 4), (2, 8))])


def registers() -> str:
    """What each register holds before and after each step, found by running the steps."""
    rows = test.TestOp(result_types=[VectorType(f32, [4])] * 4).results
    held: dict[SSAValue, list[Square]] = {
        row: [(f"{'abcd'[y]}{x}", y) for x in range(4)] for y, row in enumerate(rows)
    }
    block = Block()
    columns = transposed(Builder.at_end(block), rows)
    for op in block.ops:
        both = held[op.operands[0]] + held[op.operands[1]]
        picks = op.mask.get_values()  # pyright: ignore
        held[op.results[0]] = [both[pick] for pick in picks]
    steps = [op.results[0] for op in block.ops]
    panels = {
        "four rows of memory": rows,
        "after one step": steps[:4],
        "columns": columns,
    }
    return _svg([(title, [held[v] for v in each]) for title, each in panels.items()])


DRAWN: dict[str, Callable[[], str]] = {"lanes": lanes, "registers": registers}
"""The pictures by name."""

if __name__ == "__main__":
    for _name, _draw in DRAWN.items():
        (PICTURES / f"{_name}.svg").write_text(_draw())
