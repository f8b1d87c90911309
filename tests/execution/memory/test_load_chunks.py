"""Vectors that overlap: what is loaded in chunks is what every one of them loads."""

from __future__ import annotations

import random

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import Launch, Maker, check_native, check_passes

TYPES = ("i16", "i32", "f32", "i64", "f64")
SHAPES = ((8,), (16,), (32,), (8, 4), (16, 2), (4, 4), (8, 2, 2))
LAUNCHES = (Launch((64, 6, 2), (32, 4, 2)), Launch((37, 5, 2), (16, 4, 1)))
ROOM = 20
"""Elements that each row has beside those of work-items."""


def _kernel(seed: int) -> str:
    """A random stencil, flat or with an index for each dimension; sometimes it stores between."""
    chosen = random.Random(seed)
    type_ = chosen.choice(TYPES)
    flat = chosen.random() < 0.5
    memory = f"memref<?x{type_}>" if flat else f"memref<?x?x?x{type_}>"
    add = "arith.addf" if type_[0] == "f" else "arith.addi"
    text = f"""
spmd.kernel @stencil(%a: {memory}, %out: {memory}) {{
  %room = arith.constant {ROOM} : index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %pitch = arith.addi %nx, %room : index
  %plane = arith.addi %ny, %room : index
"""

    def at(name: str, dx: int, dy: int, dz: int) -> str:
        nonlocal text
        for d, by in (("x", dx), ("y", dy), ("z", dz)):
            text += f"  {name}c{d} = arith.constant {by} : index\n"
            text += f"  {name}{d} = arith.addi %{d}, {name}c{d} : index\n"
        if not flat:
            return f"{name}z, {name}y, {name}x"
        text += f"  {name}p = arith.muli {name}z, %plane : index\n"
        text += f"  {name}q = arith.addi {name}p, {name}y : index\n"
        text += f"  {name}r = arith.muli {name}q, %pitch : index\n"
        text += f"  {name}s = arith.addi {name}r, {name}x : index\n"
        return f"{name}s"

    total = ""
    far = chosen.choice((3, 5, 17))
    for number in range(chosen.randrange(3, 9)):
        place = chosen.randrange(far), chosen.randrange(3), chosen.randrange(2)
        index = at(f"%l{number}", *place)
        text += f"  %v{number} = memref.load %a[{index}] : {memory}\n"
        before, total = total, f"%t{number}"
        if before:
            text += f"  {total} = {add} {before}, %v{number} : {type_}\n"
        else:
            total = "%v0"
        if chosen.random() < 0.15:
            index = at(f"%m{number}", 0, 0, 0)
            text += f"  memref.store {total}, %out[{index}] : {memory}\n"
    index = at("%end", 0, 0, 0)
    text += f"  memref.store {total}, %out[{index}] : {memory}\n"
    return text + "  spmd.return\n}\n"


def _arguments(kernel: str):
    flat = "%a: memref<?x?x?x" not in kernel
    type_ = kernel.split("%a: memref<")[1].split(">")[0].split("x")[-1]

    def make(maker: Maker):
        z, y, x = maker.size
        size = z + 2, y + ROOM, x + ROOM
        shape = (size[0] * size[1] * size[2],) if flat else size
        return [maker.random(type_, *shape), maker.zeros(type_, *shape)]

    return make


@pytest.mark.parametrize("seed", range(10))
def test_overlapping_vectors_in_every_step(seed: int):
    kernel = _kernel(seed)
    brush = SHAPES[seed % len(SHAPES)][::-1]
    steps = (SpmdToLoopsPass(), VectorizePass(brush=brush, target=512))
    check_passes(kernel, _arguments(kernel), LAUNCHES[:1], *steps)


@pytest.mark.parametrize("seed", range(100, 128))
def test_overlapping_vectors_in_native_code(seed: int):
    kernel = _kernel(seed)
    for launch in LAUNCHES:
        shape = SHAPES[seed % len(SHAPES)]
        check_native(kernel, _arguments(kernel), launch, shape=shape)
