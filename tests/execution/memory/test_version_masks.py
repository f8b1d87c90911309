"""Masked accesses: what they do does not depend on whether all lanes are active."""

from __future__ import annotations

import random

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import Launch, Maker, check_native, check_passes

TYPES = ("i8", "i16", "i32", "f32", "f64")
TARGETS = ("x86-64-v2", "x86-64-v3", "host")
LAUNCHES = (Launch((96, 3), (32, 3)), Launch((53, 2), (40, 1)))


def _kernel(seed: int) -> str:
    """Branches in each other, by ids and by data, with accesses before, in and after them."""
    chosen = random.Random(seed)
    type_ = chosen.choice(TYPES)
    memory = f"memref<?x{type_}>"
    add = "arith.addf" if type_[0] == "f" else "arith.addi"
    compare = "arith.cmpf ogt," if type_[0] == "f" else "arith.cmpi sgt,"
    lines: list[str] = []
    numbers = iter(range(1000))

    def statement(depth: int, value: str) -> str:
        """Append something; what is added to next."""
        n = next(numbers)
        kind = chosen.choice(
            ("load", "store", "if", "if") if depth else ("load", "store")
        )
        if kind == "load":
            lines.append(f"%v{n} = memref.load %x[%at] : {memory}")
            lines.append(f"%w{n} = {add} %v{n}, {value} : {type_}")
            return f"%w{n}"
        if kind == "store":
            lines.append(
                f"memref.store {value}, %{chosen.choice('xy')}[%at] : {memory}"
            )
            return value
        limit = chosen.choice(("%n", "%c9", "%c32"))
        if chosen.random() < 0.5:
            lines.append(f"%c{n}i = arith.cmpi ult, %i, {limit} : index")
        else:
            lines.append(f"%c{n}i = {compare} {value}, %first : {type_}")
        lines.append(f"%r{n} = scf.if %c{n}i -> ({type_}) {{")
        inner = value
        for _ in range(chosen.randrange(1, 4)):
            inner = statement(depth - 1, inner)
        lines.append(f"scf.yield {inner} : {type_}")
        lines.append("} else {")
        other = statement(0, value)
        lines.append(f"scf.yield {other} : {type_}")
        lines.append("}")
        return f"%r{n}"

    value = "%first"
    for _ in range(chosen.randrange(2, 5)):
        value = statement(2, value)
    body = "\n  ".join(lines)
    return f"""
spmd.kernel @masks(%x: {memory}, %y: {memory}, %n: index) {{
  %c9 = arith.constant 9 : index
  %c32 = arith.constant 32 : index
  %i = spmd.global_id x
  %j = spmd.global_id y
  %nx = spmd.global_size x
  %row = arith.muli %j, %nx : index
  %at = arith.addi %row, %i : index
  %first = memref.load %y[%at] : {memory}
  {body}
  memref.store {value}, %y[%at] : {memory}
  spmd.return
}}
"""


def _arguments(kernel: str):
    type_ = kernel.split("memref<?x")[1].split(">")[0]

    def make(maker: Maker):
        y, x = maker.size
        return [maker.random(type_, y * x), maker.random(type_, y * x), 45]

    return make


@pytest.mark.parametrize("seed", range(12))
def test_versions_of_masked_accesses_in_every_step(seed: int):
    kernel = _kernel(seed)
    vectorize = VectorizePass(width=(8, 16, 32)[seed % 3], target=TARGETS[seed % 2])
    check_passes(kernel, _arguments(kernel), LAUNCHES, SpmdToLoopsPass(), vectorize)


@pytest.mark.parametrize("seed", range(100, 130))
def test_versions_of_masked_accesses_in_native_code(seed: int):
    kernel = _kernel(seed)
    target, width = TARGETS[seed % 3], (8, 16, 32, 64)[seed % 4]
    for launch in LAUNCHES:
        check_native(kernel, _arguments(kernel), launch, target=target, width=width)
