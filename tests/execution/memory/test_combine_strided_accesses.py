"""Groups of accesses with a fixed step: whole vectors mean what gathers do."""

from __future__ import annotations

import ctypes
import mmap
import random
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Launch, Maker, check_native, check_passes

TYPES = ("i8", "i16", "bf16", "f32", "i64", "f64")
BEFORE = 12
"""Elements before those of the first work-item, and after those of the last."""


def _index(step: int, number: int, form: int) -> tuple[str, str]:
    """IR of `step * i + number + BEFORE`, written in one of three forms; its name."""
    name = f"%at_{step}_{number}_{form}".replace("-", "m")
    first = f"  {name}_s = arith.constant {step} : index\n"
    first += f"  {name}_n = arith.constant {number + BEFORE} : index\n"
    match form:
        case 0:
            text = f"  {name}_m = arith.muli %i, {name}_s : index\n"
            text += f"  {name} = arith.addi {name}_m, {name}_n : index\n"
        case 1:
            text = f"  {name}_p = arith.muli %i, {name}_s : index\n"
            text += f"  {name}_q = arith.subi {name}_p, %far : index\n"
            text += f"  {name}_r = arith.addi {name}_q, {name}_n : index\n"
            text += f"  {name} = arith.addi {name}_r, %far : index\n"
        case _:
            text = f"  {name}_s32 = arith.constant {step} : i32\n"
            text += f"  {name}_n32 = arith.constant {number + BEFORE} : i32\n"
            text += f"  {name}_p = arith.muli %i32, {name}_s32 overflow<nsw> : i32\n"
            text += (
                f"  {name}_q = arith.addi {name}_p, {name}_n32 overflow<nsw> : i32\n"
            )
            text += f"  {name} = arith.index_cast {name}_q : i32 to index\n"
    return first + text, name


def _kernel(seed: int) -> str:
    """Loads and stores of one array and of another that may be the same, in any order."""
    chosen = random.Random(seed)
    type_ = chosen.choice(TYPES)
    step = chosen.choice((2, 2, 3, 3, 4, 4, 5, 7, 8, 9, -1, -1, -2, -3, -4))
    memref = f"memref<?x{type_}>"
    text, names = "", ["%one"]
    full = chosen.random() < 0.5 or step == -1
    stored = [*range(abs(step))] if full else chosen.sample(range(abs(step)), 2)
    loads = [("load", chosen.randrange(abs(step) + 2)) for _ in range(5)]
    accesses = loads + [("store", number) for number in stored]
    if chosen.random() < 0.5:
        chosen.shuffle(accesses)
    for number, (kind, place) in enumerate(accesses):
        array = chosen.choice(("%x", "%y")) if kind == "load" else "%x"
        if array == "%x":
            place %= abs(step)  # Others store what follows.
        code, at = _index(abs(step), place, chosen.randrange(3))
        at_here = f"{at}_{number}"
        text += code.replace(at, at_here)
        if kind == "load":
            text += f"  %v{number} = memref.load {array}[{at_here}] : {memref}\n"
            names.append(f"%v{number}")
        else:
            value = chosen.choice(names)
            text += f"  memref.store {value}, {array}[{at_here}] : {memref}\n"
    last = chosen.choice(names)
    mask = chosen.choice(("", "%first", "%some"))
    if mask:
        text = f"  scf.if {mask} {{\n{text}  memref.store {last}, %z[%id] : {memref}\n  }}\n"
    else:
        text += f"  memref.store {last}, %z[%id] : {memref}\n"
    return f"""
spmd.kernel @strides(%x: {memref}, %y: {memref}, %z: {memref}, %m: memref<?xi1>, %far: index) {{
  %id = spmd.global_id x
  %n = spmd.global_size x
  %c1 = arith.constant 1 : index
  %last = arith.subi %n, %c1 : index
  %i = {"arith.subi %last, %id" if step < 0 else "arith.addi %id, %far"} : index
  %i32 = arith.index_cast %i : index to i32
  %some = memref.load %m[%id] : memref<?xi1>
  %first = arith.cmpi ult, %id, %far : index
  %one = memref.load %z[%id] : {memref}
{text}  spmd.return
}}
"""


def _arguments(kernel: str, far: int):
    type_ = kernel.split("%x: memref<?x")[1].split(">")[0]

    def make_all(make: Maker) -> list[Any]:
        many = 9 * (make.n + far) + 2 * BEFORE + 9
        return [
            make.random(type_, many),
            make.random(type_, many),
            make.random(type_, make.n + far),
            make.random("i1", make.n),
            far,
        ]

    return make_all


@pytest.mark.parametrize("seed", range(12))
def test_interleaved_accesses_in_every_step(seed: int):
    kernel = _kernel(seed)
    steps = (SpmdToLoopsPass(), VectorizePass(width=(2, 4, 8, 16)[seed % 4]))
    check_passes(kernel, _arguments(kernel, 5), LINES[1:4], *steps)


@pytest.mark.parametrize("seed", range(100, 124))
def test_interleaved_accesses_in_native_code(seed: int):
    kernel = _kernel(seed)
    width = (2, 4, 8, 16, 32, 64)[seed % 6]
    for launch in LINES[::2]:
        check_native(kernel, _arguments(kernel, 0), launch, width=width)


MATRICES = """
// Two by two in three dimensions, of which the first two have sizes given at run time.
spmd.kernel @matrices(%x: memref<?x?x2x2xf32>, %y: memref<?x?x2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %j = spmd.global_id y
  %a = memref.load %x[%j, %i, %c0, %c0] : memref<?x?x2x2xf32>
  %b = memref.load %x[%j, %i, %c0, %c1] : memref<?x?x2x2xf32>
  %c = memref.load %x[%j, %i, %c1, %c0] : memref<?x?x2x2xf32>
  %d = memref.load %x[%j, %i, %c1, %c1] : memref<?x?x2x2xf32>
  %ad = arith.mulf %a, %d : f32
  %bc = arith.mulf %b, %c : f32
  memref.store %ad, %y[%j, %i, %c1, %c1] : memref<?x?x2x2xf32>
  memref.store %bc, %y[%j, %i, %c1, %c0] : memref<?x?x2x2xf32>
  memref.store %d, %y[%j, %i, %c0, %c1] : memref<?x?x2x2xf32>
  memref.store %a, %y[%j, %i, %c0, %c0] : memref<?x?x2x2xf32>
  spmd.return
}
"""


@pytest.mark.parametrize("width", [2, 8, 16])
@pytest.mark.parametrize("layout", ["", ", strided<[?, 4, 2, 1]>"])
def test_dimensions_before_the_last(layout: str, width: int):
    kernel = MATRICES.replace("x2xf32>", f"x2xf32{layout}>")

    def arguments(make: Maker) -> list[Any]:
        rows, *others = make.size
        every = 2 if layout else 1
        return [
            make.random("f32", every * rows, *others, 2, 2)[::every],
            make.zeros("f32", every * rows, *others, 2, 2)[::every],
        ]

    launch = Launch((19, 3), (16, 1))
    steps = (SpmdToLoopsPass(), VectorizePass(width=width))
    check_passes(kernel, arguments, (launch,), *steps)
    check_native(kernel, arguments, launch, width=width)
    code = spmd.compile(kernel, width=width).ir("vectorize")
    assert "vector.gather" not in code
    assert "vector.scatter" not in code


NORMS = """
// Three of four: the array may end with the third element of the last item.
spmd.kernel @norms(%p: memref<?xf64>, %y: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %i = spmd.global_id x
  %at = arith.muli %i, %c4 : index
  %at1 = arith.addi %at, %c1 : index
  %at2 = arith.addi %at, %c2 : index
  %a = memref.load %p[%at] : memref<?xf64>
  %b = memref.load %p[%at1] : memref<?xf64>
  %c = memref.load %p[%at2] : memref<?xf64>
  %ab = arith.addf %a, %b : f64
  %abc = arith.addf %ab, %c : f64
  memref.store %abc, %y[%i] : memref<?xf64>
  spmd.return
}
"""


@pytest.mark.parametrize("items", [64, 61])
def test_nothing_after_the_last_element_is_read(items: int):
    # A page that may not be read follows the array.
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None)
    assert libc.mprotect(ctypes.c_void_p(start + page), page, 0) == 0
    array = np.frombuffer(memory, np.float64, page // 8)[1 - 4 * items :]
    array[...] = np.arange(array.size)
    y = np.zeros(items)
    spmd.compile(NORMS, width=8)["norms"](array, y, global_size=items)
    assert (y == 12 * np.arange(items) + 3).all()


STORED = """
spmd.kernel @stored(%x: memref<?x2xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  memref.store %one, %x[%i, %c1] : memref<?x2xi32>
  %v = memref.load %x[%i, %c0] : memref<?x2xi32>
  memref.store %v, %x[%i, %c0] : memref<?x2xi32>
  %w = memref.load %x[%i, %c1] : memref<?x2xi32>
  memref.store %w, %y[%i] : memref<?xi32>
  spmd.return
}
"""


def _stored(make: Maker):
    return [make.integers("i32", 2, 9, make.n, 2), make.integers("i32", 2, 9, make.n)]


def test_what_is_stored_is_not_loaded_earlier():
    """The first store waits for the other half, which comes after the first load."""
    passes = (SpmdToLoopsPass(), VectorizePass(width=8))
    check_passes(STORED, _stored, LINES, *passes)
    for launch in LINES:
        check_native(STORED, _stored, launch, width=8)
