"""Draws what a task of a launch over chunks gets and makes, for `docs/larger.md`."""

# pyright: basic

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np

from spmd.distribution.launch import Launcher
from tests.examples.test_examples import EXAMPLES, load

PICTURE = Path(__file__).resolve().parents[3] / "docs" / "pictures" / "halo.svg"
HEIGHT, WIDTH, GROUP = 18, 30, (5, 2)
CHUNK: Any = (6, 10)
SIDE, GAP = 13, 40
CHUNKS, GROUPS = "#1f2328", "#8c959f"
COLOURS = {"of other tasks": "#eef1f4", "edge": "#9ec5fe", "chunk": "#2f6fde"}
STEP_COLOURS = ("#d1242f", "#bc4c00", "#bf8700")


def _rectangle(region: Any, offset: int, **style: Any) -> str:
    rows, columns = region
    words = " ".join(f'{k.replace("_", "-")}="{v}"' for k, v in style.items())
    return (
        f'<rect x="{offset + columns.start * SIDE}" y="{GAP + rows.start * SIDE}" '
        f'width="{len(columns) * SIDE}" height="{len(rows) * SIDE}" {words}/>'
    )


def _panel(steps: int, title: str, offset: int) -> list[str]:
    """What the task in the middle gets for some steps."""
    array: Any = da.from_array(np.zeros((HEIGHT, WIDTH), np.float32), chunks=CHUNK)
    launcher = Launcher(
        load(EXAMPLES / "11_larger.py").EXAMPLES["heat"].kernel,
        (WIDTH, HEIGHT),
        GROUP,
        steps=steps,
        sources={"u": "new", "new": "u"},
    )
    plan = launcher.prepare((array, array)).plan
    part = next(part for part in plan.parts if part.at[:2] == (1, 1))
    whole = range(HEIGHT), range(WIDTH)
    lines = [
        f'<text x="{offset}" y="{GAP - 14}" font-weight="bold">{title}</text>',
        _rectangle(whole, offset, fill=COLOURS["of other tasks"]),
        _rectangle(part.regions[0], offset, fill=COLOURS["edge"]),
        _rectangle(part.chunks[1], offset, fill=COLOURS["chunk"]),
    ]
    for y in range(0, HEIGHT, GROUP[1]):
        for x in range(0, WIDTH, GROUP[0]):
            group = range(y, y + GROUP[1]), range(x, x + GROUP[0])
            lines.append(_rectangle(group, offset, fill="none", stroke=GROUPS))
    rows, columns = ([0, *accumulate(sizes)] for sizes in plan.chunks[1])
    for top, bottom in pairwise(rows):
        for left, right in pairwise(columns):
            chunk = range(top, bottom), range(left, right)
            lines.append(
                _rectangle(chunk, offset, fill="none", stroke=CHUNKS, stroke_width=2.5)
            )
    for box, colour in zip(part.boxes, STEP_COLOURS, strict=False):
        region = tuple(
            range(groups.start * size, groups.stop * size)
            for groups, size in zip(box[1::-1], GROUP[::-1], strict=True)
        )
        if steps > 1:
            lines.append(
                _rectangle(region, offset, fill="none", stroke=colour, stroke_width=3)
            )
    return lines


def _legend(y: int, items: list[tuple[str, str]]) -> list[str]:
    lines: list[str] = []
    x = 12
    for words, style in items:
        lines.append(f'<rect x="{x}" y="{y - 11}" width="13" height="13" {style}/>')
        lines.append(f'<text x="{x + 20}" y="{y}">{words}</text>')
        x += 40 + 7 * len(words)
    return lines


def picture() -> str:
    """The picture, as SVG."""
    second = 2 * 12 + WIDTH * SIDE
    width, bottom = 2 * second, GAP + HEIGHT * SIDE
    filled = [
        ("chunk that the task makes", f'fill="{COLOURS["chunk"]}"'),
        ("what else it gets", f'fill="{COLOURS["edge"]}"'),
        ("chunks", f'fill="none" stroke="{CHUNKS}" stroke-width="2.5"'),
        ("work-groups", f'fill="none" stroke="{GROUPS}"'),
    ]
    stroked = [
        (f"groups that run in step {n}", f'fill="none" stroke="{c}" stroke-width="3"')
        for n, c in enumerate(STEP_COLOURS, 1)
    ]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 62}" '
        'font-family="sans-serif" font-size="13" fill="#1f2328">',
        f'<rect width="{width}" height="{bottom + 62}" fill="white"/>',
        *_panel(1, "A launch", 12),
        *_panel(3, "Three steps in one task", second),
        *_legend(bottom + 26, filled),
        *_legend(bottom + 50, stroked),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture())
