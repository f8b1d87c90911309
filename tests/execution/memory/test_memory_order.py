"""Rows of elements: computed in the order of memory, or taken apart and put together again."""

from __future__ import annotations

import random
from typing import Any

import pytest
from xdsl.dialects import vector

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Maker, check_native, check_passes, target_for

OPS = {
    "i8": ("addi", "muli", "xori", "subi", "minui"),
    "i16": ("addi", "muli", "xori", "subi", "maxsi"),
    "f32": ("addf", "mulf", "subf", "divf"),
    "f64": ("addf", "mulf", "subf"),
    "f16": ("addf", "maximumf"),
    "bf16": ("mulf", "minimumf"),
    "i64": ("addi", "muli", "andi"),
}


class Rows:
    """A kernel that computes rows of `step` elements, mostly by the same operations for all places."""

    def __init__(self, seed: int):
        self.chosen = random.Random(seed)
        self.type = self.chosen.choice((*OPS, "i8", "f32"))
        self.step = self.chosen.choice((2, 3, 4, 4, 4, 5, 8, 8))
        self.lines: list[str] = []
        self.count = 0
        row = f"memref<?x{self.step}x{self.type}>"
        flat = f"memref<?x{self.type}>"
        loaded = [self._loaded(array, row) for array in ("%x", "%y")]
        shared = [self._add(f"memref.load %s[%i] : {flat}")]
        shared.append(self._op(shared[0], loaded[0][-1]))
        constants = self._constants()
        turned = loaded[0][:]
        self.chosen.shuffle(turned)
        leaves = [*loaded, turned, *loaded]
        leaves += [[each] * self.step for each in (*shared, "%u")] + [constants]
        values = self._tree(leaves, self.chosen.randrange(1, 4))
        if self.chosen.random() < 0.2:
            values[-1] = self._op(values[-1], values[0])
        if self.chosen.random() < 0.3:
            values = self._selected(values, loaded[0])
        if self.chosen.random() < 0.2:  # which is needed as a column, too
            self.lines.append(f"  memref.store {values[0]}, %s[%i] : {flat}")
        target = self.chosen.choice(("%z", "%z", "%x"))
        order = [*range(self.step)]
        self.chosen.shuffle(order)
        for place in order:
            self.lines.append(
                f"  memref.store {values[place]}, {target}[%i, %c{place}] : {row}"
            )
        places = "\n".join(
            f"  %c{place} = arith.constant {place} : index" for place in range(8)
        )
        text = "\n".join(self.lines)
        self.source = f"""
spmd.kernel @rows(%x: {row}, %y: {row}, %z: {row}, %s: {flat}, %u: {self.type}) {{
  %i = spmd.global_id x
{places}
{text}
  spmd.return
}}
"""

    def _add(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def _loaded(self, array: str, row: str) -> list[str]:
        """All elements of a row, or some of them in the places of others."""
        places = [*range(self.step)]
        if self.chosen.random() < 0.3:
            del places[self.chosen.randrange(self.step)]
        loaded = [self._add(f"memref.load {array}[%i, %c{k}] : {row}") for k in places]
        return [loaded[k % len(loaded)] for k in range(self.step)]

    def _constants(self) -> list[str]:
        end = "" if self.type[0] == "i" else ".5"
        numbers = [self.chosen.randrange(1, 9) for _ in range(self.step)]
        return [self._add(f"arith.constant {k}{end} : {self.type}") for k in numbers]

    def _op(self, a: str, b: str, kind: str | None = None) -> str:
        kind = kind or self.chosen.choice(OPS[self.type])
        return self._add(f"arith.{kind} {a}, {b} : {self.type}")

    def _selected(self, a: list[str], b: list[str]) -> list[str]:
        """The lesser or greater of two, which need not be the same for all places."""
        kind = "cmpi" if self.type[0] == "i" else "cmpf"
        orders = ("olt", "ogt") if kind == "cmpf" else ("slt", "ugt")
        same = self.chosen.random() < 0.5
        found: list[str] = []
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            order = orders[0 if same else k % 2]
            which = self._add(f"arith.{kind} {order}, {x}, {y} : {self.type}")
            found.append(self._add(f"arith.select {which}, {x}, {y} : {self.type}"))
        return found

    def _tree(self, leaves: list[list[str]], depth: int) -> list[str]:
        """Columns that the same operations make of some of `leaves`."""
        if depth == 0:
            return self.chosen.choice(leaves)
        a, b = (self._tree(leaves, depth - 1) for _ in range(2))
        kind = self.chosen.choice(OPS[self.type])
        return [self._op(x, y, kind) for x, y in zip(a, b, strict=True)]

    def arguments(self, make: Maker) -> list[Any]:
        rows = [make.random(self.type, make.n, self.step) for _ in range(3)]
        return [*rows, make.random(self.type, make.n), 3]


@pytest.mark.parametrize("seed", range(16))
def test_rows_in_every_pass(seed: int):
    rows = Rows(seed)
    width = (2, 4, 8, 16, 32, 64)[seed % 6]
    vectorize = VectorizePass(width=width, target=target_for(rows.source))
    check_passes(rows.source, rows.arguments, LINES[1:4], SpmdToLoopsPass(), vectorize)


@pytest.mark.optimized
@pytest.mark.parametrize("seed", range(100, 148))
def test_rows_in_native_code(seed: int):
    rows = Rows(seed)
    width = (2, 4, 8, 16, 32, 64)[seed % 6]
    for launch in LINES[::2]:
        check_native(rows.source, rows.arguments, launch, width=width)


BLEND = """
spmd.kernel @blend(%over: memref<?x4xi8>, %under: memref<?x4xi8>, %out: memref<?x4xi8>) {
  %i = spmd.global_id x
  %c255 = arith.constant 255 : i16
ROWS
  spmd.return
}
"""


def test_blended_pixels_are_shuffled_once():
    """By their fourth channel, which lies among the others."""
    text = "\n".join(
        f"  %c{k} = arith.constant {k} : index\n"
        f"  %x{k} = memref.load %over[%i, %c{k}] : memref<?x4xi8>\n"
        f"  %y{k} = memref.load %under[%i, %c{k}] : memref<?x4xi8>"
        for k in range(4)
    )
    text += "\n  %a3 = arith.extui %x3 : i8 to i16"
    text += "\n  %rest = arith.subi %c255, %a3 : i16\n"
    text += "\n".join(f"  %a{k} = arith.extui %x{k} : i8 to i16" for k in range(3))
    text += "".join(
        f"\n  %b{k} = arith.extui %y{k} : i8 to i16\n"
        f"  %p{k} = arith.muli %a{k}, %a3 : i16\n"
        f"  %q{k} = arith.muli %b{k}, %rest : i16\n"
        f"  %s{k} = arith.addi %p{k}, %q{k} : i16\n"
        f"  %d{k} = arith.divui %s{k}, %c255 : i16\n"
        f"  %r{k} = arith.trunci %d{k} : i16 to i8"
        for k in range(4)
    )
    text += "".join(
        f"\n  memref.store %r{k}, %out[%i, %c{k}] : memref<?x4xi8>" for k in range(4)
    )

    def arguments(make: Maker) -> list[Any]:
        return [make.random("i8", make.n, 4) for _ in range(3)]

    passes = SpmdToLoopsPass(), VectorizePass(width=16)
    module = check_passes(BLEND.replace("ROWS", text), arguments, LINES[1:3], *passes)
    shuffles = [op for op in module.walk() if isinstance(op, vector.ShuffleOp)]
    whole = [
        op
        for op in shuffles
        if [*op.mask.get_values()] == [k // 4 * 4 + 3 for k in range(16)]
    ]
    assert len(whole) == 4, "expected the weights to be repeated in each of four chunks"
