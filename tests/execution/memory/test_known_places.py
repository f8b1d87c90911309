"""Accesses to permuted neighbours: whole vectors and shuffles mean what gathers do."""

from __future__ import annotations

import random
from typing import Any

import pytest
from xdsl.context import Context

from spmd.passes.kernels.spmd_annotate_shapes import WHY
from spmd.passes.pipelines.pipeline import flatten
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import (
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

ITEMS = 96
"""As many as there are in any launch, at most."""

LAUNCHES = [Launch((number,), (32,)) for number in (32, 64, 77, 24)]

OPS = (
    "xori",
    "ori",
    "andi",
    "addi",
    "subi",
    "muli",
    "divui",
    "remui",
    "floordivsi",
    "shli",
    "shrui",
    "shrsi",
)


def _result(name: str, a: int, b: int) -> int:
    """What an operation gives for whole numbers, as long as they are not negative."""
    match name:
        case "xori":
            return a ^ b
        case "ori":
            return a | b
        case "andi":
            return a & b
        case "addi":
            return a + b
        case "subi":
            return a - b
        case "muli":
            return a * b
        case "divui" | "floordivsi":
            return a // b
        case "remui":
            return a % b
        case "shli":
            return a << b
        case "shrui" | "shrsi":
            return a >> b
        case _:
            raise AssertionError(name)


def _step(chosen: random.Random) -> tuple[str, int]:
    """An operation, and the constant that it is with."""
    name = chosen.choice(OPS)
    match name:
        case "andi":
            return name, chosen.choice((1, 3, 7, 15, -2, -4, -8, -16, 5))
        case "divui" | "remui" | "floordivsi":
            return name, chosen.choice((2, 4, 8, 16, 3))
        case "shli" | "shrui" | "shrsi":
            return name, chosen.choice((1, 2, 3))
        case "muli":
            return name, chosen.choice((1, 2, 3, -1))
        case _:
            return name, chosen.randrange(18)


def _numbers(steps: list[tuple[str, int]]) -> list[list[int]]:
    """What each step makes of all ids."""
    found = [[*range(ITEMS)]]
    for name, number in steps:
        found.append([_result(name, each, number) for each in found[-1]])
    return found


def _index(chosen: random.Random, name: str) -> tuple[str, int, int]:
    """IR that computes an index `%name` of `%i`, and how low and how high it gets."""
    while True:
        steps = [_step(chosen) for _ in range(chosen.randrange(1, 5))]
        numbers = _numbers(steps)
        # Quotients and shifts of negative numbers differ in how they are rounded.
        if all(min(each) >= 0 and max(each) < 4096 for each in numbers):
            break
    second = chosen.random() < 0.5
    type_, flags = chosen.choice(
        (("index", ""), ("i32", ""), ("i32", " overflow<nsw>"))
    )
    value = "%i" if type_ == "index" else "%i32"
    text = ""
    for place, (op, number) in enumerate(steps):
        flag = flags if op in ("addi", "subi", "muli") else ""
        to = f"%{name}_{place}"
        text += f"    {to}_n = arith.constant {number} : {type_}\n"
        text += f"    {to} = arith.{op} {value}, {to}_n{flag} : {type_}\n"
        value = to
    if type_ == "i32":
        text += f"    %{name}_x = arith.index_cast {value} : i32 to index\n"
        value = f"%{name}_x"
    low, high = min(numbers[-1]), max(numbers[-1])
    if second:
        # What is left of the same number beside it: swaps within blocks.
        text += f"    %{name}_c = arith.constant 7 : index\n"
        text += f"    %{name}_r = arith.remui %i, %c8 : index\n"
        text += f"    %{name}_s = arith.subi %{name}_c, %{name}_r : index\n"
        text += f"    %{name}_t = arith.addi {value}, %{name}_s : index\n"
        value, high = f"%{name}_t", high + 7
    text += f"    %{name} = arith.addi {value}, %c0 : index\n"
    return text, low, high


def _kernel(seed: int) -> tuple[str, int]:
    """Loads from one array and stores to another; how many elements these have."""
    chosen = random.Random(seed)
    type_ = chosen.choice(("i8", "f16", "f32", "i64"))
    memref = f"memref<?x{type_}>"
    text, most = "", ITEMS
    for number in range(3):
        index, _, high = _index(chosen, f"at{number}")
        most = max(most, high)
        text += index
        text += f"    %v{number} = memref.load %x[%at{number}] : {memref}\n"
        text += (
            f"    memref.store %v{number}, %y[%i, %c{number}] : memref<?x4x{type_}>\n"
        )
    # A permutation, so that no two work-items store to one element.
    bits = chosen.randrange(16)
    text += f"    %bits = arith.constant {bits} : index\n"
    text += "    %to = arith.xori %i, %bits : index\n"
    text += f"    memref.store %v0, %z[%to] : {memref}\n"
    mask = chosen.choice(("%true", "%some", "%few"))
    return (
        f"""
spmd.kernel @places(%x: {memref}, %y: memref<?x4x{type_}>, %z: {memref}, %m: memref<?xi1>)
    attributes {{work_group_size = array<i64: 32>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %true = arith.constant true
  %few_items = arith.constant 13 : index
  %i = spmd.global_id x
  %i32 = arith.index_cast %i : index to i32
  %some = memref.load %m[%i] : memref<?xi1>
  %few = arith.cmpi ult, %i, %few_items : index
  scf.if {mask} {{
{text}  }}
  spmd.return
}}
""",
        most + 1,
    )


def _arguments(kernel: str, elements: int):
    type_ = kernel.split("%x: memref<?x")[1].split(">")[0]

    def make_all(make: Maker) -> list[Any]:
        assert make.n <= ITEMS
        stored = make.zeros(type_, 4 * make.n).reshape(-1, 4)
        return [
            make.random(type_, elements),
            stored,
            make.zeros(type_, max(elements, 2 * ITEMS)),
            make.random("i1", make.n),
        ]

    return make_all


@pytest.mark.parametrize("seed", range(24))
def test_permuted_neighbours_in_every_step(seed: int):
    kernel, elements = _kernel(seed)
    steps = (SpmdToLoopsPass(), VectorizePass(width=(4, 8, 16, 32)[seed % 4]))
    check_passes(kernel, _arguments(kernel, elements), LAUNCHES[1:3], *steps)


@pytest.mark.parametrize("seed", range(100, 160))
def test_permuted_neighbours_in_native_code(seed: int):
    kernel, elements = _kernel(seed)
    width = (8, 16, 32, 64)[seed % 4]
    for launch in LAUNCHES:
        check_native(kernel, _arguments(kernel, elements), launch, width=width)


def test_permuted_neighbours_are_whole_vectors():
    """The kernels above are about something: many of their accesses are no gathers."""
    whole = 0
    for seed in range(20):
        kernel = parsed(_kernel(seed)[0])
        steps = (SpmdToLoopsPass(), VectorizePass(width=8))
        for step in flatten(steps):
            step.apply(Context(), kernel)
        reasons = (op.attributes.get(WHY) for op in kernel.walk())
        whole += sum("in another order" in str(why) for why in reasons)
    assert whole > 20
