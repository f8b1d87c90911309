"""Loops along memory: tiles in registers are what lanes gather and scatter one by one."""

from __future__ import annotations

import random

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import Launch, Maker, check_native, check_passes

TYPES = ("i8", "i16", "i32", "f32", "i64", "f64")
SHAPES = ((4,), (8,), (32,), (64,), (8, 4), (16, 2), (4, 4))
LAUNCHES = (Launch((32, 2), (16, 2)), Launch((19, 3), (16, 2)), Launch((3, 1), (64, 1)))
ROOM = 96
"""Elements of each row, of which loops go along some."""


def _kernel(seed: int) -> str:
    """
    Work-items of row `x` read and write along it.

    Flat or with an index for each dimension; under a condition, in a loop around, in place,
    with elements that neighbours in the loop share.
    """
    chosen = random.Random(seed)
    type_ = chosen.choice(TYPES)
    flat = chosen.random() < 0.4
    memory = f"memref<?x{type_}>" if flat else f"memref<?x?x{type_}>"
    add = "arith.addf" if type_[0] == "f" else "arith.addi"
    low, count = chosen.choice((0, 0, 3)), chosen.choice((0, 3, 5, 16, 17, 40, 64))
    known = chosen.random() < 0.3
    text = f"""
spmd.kernel @walk(%a: {memory} {{spmd.noalias}}, %out: {memory} {{spmd.noalias}},
    %sums: memref<?x?x{type_}> {{spmd.noalias}}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %low = arith.constant {low} : index
  %room = arith.constant {ROOM} : index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %nx = spmd.global_size x
  %line = arith.muli %y, %nx : index
  %row = arith.addi %line, %x : index
  %odd = arith.andi %x, %c1 : index
  %some = arith.cmpi {chosen.choice(("ne", "eq", "ult"))}, %odd, %c1 : index
"""
    if known:
        text += f"  %high = arith.constant {low + count} : index\n"
    else:
        text += "  %high = arith.addi %low, %n : index\n"
    text += f"  %start = memref.load %sums[%y, %x] : memref<?x?x{type_}>\n"
    masked, nested = chosen.random() < 0.3, chosen.random() < 0.3
    body = ""

    def at(name: str, by: int) -> str:
        nonlocal body
        body += f"  {name}c = arith.constant {by} : index\n"
        body += f"  {name}k = arith.addi %k, {name}c : index\n"
        if not flat:
            return f"%row, {name}k"
        body += f"  {name}r = arith.muli %row, %room : index\n"
        body += f"  {name}i = arith.addi {name}r, {name}k : index\n"
        return f"{name}i"

    total = "%t"
    for number in range(chosen.randrange(1, 4)):
        index = at(f"%l{number}", chosen.choice((0, 0, 1, 5)))
        source = chosen.choice(("%a", "%out"))
        body += f"  %v{number} = memref.load {source}[{index}] : {memory}\n"
        body += f"  %t{number} = {add} {total}, %v{number} : {type_}\n"
        total = f"%t{number}"
        if chosen.random() < 0.4:
            index = at(f"%s{number}", chosen.choice((0, 0, 0, 1)))
            body += f"  memref.store {total}, %out[{index}] : {memory}\n"
    loop = (
        f"scf.for %k = %low to %high step %c1 iter_args(%t = %init) -> ({type_}) {{\n"
    )
    loop += body + f"  scf.yield {total} : {type_}\n}}\n"
    code = f"%end = {loop}".replace("%init", "%start")
    if nested:
        index = "%far" if flat else "%row, %j"
        inner = loop.replace("%init", "%begin")
        code = (
            f"%end = scf.for %j = %c0 to %c5 step %c1 iter_args(%again = %start) -> "
            f"({type_}) {{\n%first = arith.muli %row, %room : index\n"
            f"%far = arith.addi %first, %j : index\n"
            f"%one = memref.load %a[{index}] : {memory}\n"
            f"%begin = {add} %again, %one : {type_}\n"
            f"%deep = {inner}scf.yield %deep : {type_}\n}}\n"
        )
    if masked:
        code = (
            f"%end = scf.if %some -> ({type_}) {{\n{code.replace('%end', '%taken')}"
            f"scf.yield %taken : {type_}\n}} else {{\nscf.yield %start : {type_}\n}}\n"
        )
    text += code + f"  memref.store %end, %sums[%y, %x] : memref<?x?x{type_}>\n"
    return text + "  spmd.return\n}\n// " + str(count)


def _arguments(kernel: str):
    flat = "%a: memref<?x?x" not in kernel
    type_ = kernel.split("%a: memref<")[1].split(">")[0].split("x")[-1]
    count = int(kernel.split("// ")[1])

    def make(maker: Maker):
        y, x = maker.size
        shape = (y * x * ROOM,) if flat else (y * x, ROOM)
        arrays = [maker.integers(type_, -3, 4, *shape) for _ in range(2)]
        return [*arrays, maker.integers(type_, -3, 4, y, x), count]

    return make


@pytest.mark.parametrize("seed", range(8))
def test_walks_in_every_step(seed: int):
    kernel = _kernel(seed)
    brush = SHAPES[seed % len(SHAPES)][::-1]
    steps = (SpmdToLoopsPass(), VectorizePass(brush=brush))
    check_passes(kernel, _arguments(kernel), LAUNCHES[1:2], *steps)


@pytest.mark.parametrize("seed", range(100, 124))
def test_walks_in_native_code(seed: int):
    kernel = _kernel(seed)
    for launch in LAUNCHES:
        shape = SHAPES[seed % len(SHAPES)]
        check_native(kernel, _arguments(kernel), launch, shape=shape)


def test_rows_of_an_array_with_negative_strides():
    """They lie before its first element, in memory and in the interpreter."""
    kernel = """
spmd.kernel @sums(%a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %sums: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %sum = scf.for %k = %c0 to %c20 step %c1 iter_args(%t = %zero) -> (f32) {
    %v = memref.load %a[%i, %k] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    %u = arith.addf %t, %v : f32
    scf.yield %u : f32
  }
  memref.store %sum, %sums[%i] : memref<?xf32>
  spmd.return
}"""

    def arguments(make: Maker):
        return [make.random("f32", 2 * make.n, 24)[::-2], make.zeros("f32", make.n)]

    passes = SpmdToLoopsPass(), VectorizePass(width=8)
    module = check_passes(kernel, arguments, [Launch((19,), (16,))], *passes)
    assert '"transposed"' in str(module)
    check_native(kernel, arguments, Launch((19,), (16,)), width=8)
