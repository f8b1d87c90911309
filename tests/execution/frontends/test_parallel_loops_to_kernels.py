"""Parallel loops mean the same as kernels and launches, and as native code."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf

import spmd
from spmd.passes.frontends.parallel_loops_to_kernels import ParallelLoopsToKernelsPass
from spmd.reference import run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

REGIONS = {
    "add": "%s = arith.addi %l, %r : i32",
    "xor": "%s = arith.xori %r, %l : i32",
    "max": "%s = arith.maxsi %l, %r : i32",
    # The product of 1 + l and 1 + r, less 1: no kind of the dialect.
    "other": """%p = arith.muli %l, %r : i32
      %q = arith.addi %l, %r : i32
      %s = arith.addi %p, %q : i32""",
    "outside": """%p = arith.addi %l, %t : i32
      %q = arith.addi %r, %t : i32
      %m = arith.minsi %p, %q : i32
      %s = arith.subi %m, %t : i32""",
}


class Writer:
    """A random function with parallel loops, which stores each iteration's number."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.numbers = 0

    def fresh(self) -> str:
        self.numbers += 1
        return f"%v{self.numbers}"

    def bounds(self) -> tuple[str, str, str]:
        """Lower bound, upper bound and step: constants or arguments."""
        choose = self.random.choice
        return (
            choose(["%c0", "%c1", "%c3", "%cm2", "%a"]),
            choose(["%c3", "%c5", "%n", "%n", "%cm2"]),
            choose(["%c1", "%c1", "%c2", "%a"]),
        )

    def loop(self, around: list[str], depth: int) -> Iterator[str]:
        """The lines of one loop, in loops of these counters."""
        dimensions = self.random.randint(1, 5 if depth == 0 else 2)
        counters = [self.fresh() for _ in range(dimensions)]
        low, high, step = zip(*(self.bounds() for _ in counters), strict=True)
        kinds = self.random.sample(sorted(REGIONS), self.random.choice([0, 0, 1, 2]))
        results = [self.fresh() for _ in kinds]
        if not kinds and self.random.random() < 0.3:
            yield from self.forall(counters, low, high, step)
            yield from self.body([*around, *counters], "%t")
            yield "}"
            return
        head = f"{', '.join(results)} = " if results else ""
        types = ", ".join("i32" for _ in kinds)
        yield (
            f"{head}scf.parallel ({', '.join(counters)}) = ({', '.join(low)}) "
            f"to ({', '.join(high)}) step ({', '.join(step)})"
            + (
                f" init ({', '.join('%t' for _ in kinds)}) -> ({types})"
                if kinds
                else ""
            )
            + " {"
        )
        inner = [*around, *counters]
        value = "%t"
        if depth < 2 and self.random.random() < 0.5:
            lines = list(self.loop(inner, depth + 1))
            yield from lines
            if lines[0].startswith("%v"):
                value = lines[0].split(" ")[0].rstrip(",")
        yield from self.body(inner, value)
        if kinds:
            operands = ", ".join("%old" for _ in kinds)
            yield f"scf.reduce({operands} : {types}) {{"
            for number, kind in enumerate(kinds):
                yield "}, {" if number else ""
                yield "^bb0(%l: i32, %r: i32):"
                yield REGIONS[kind]
                yield "scf.reduce.return %s : i32"
            yield "}"
        else:
            yield "scf.reduce"
        yield "}"
        for result in results:
            at = f"%out[%c{self.random.choice([0, 1, 3])}] : memref<8xi32>"
            if around:  # Other iterations may come first.
                yield f"{self.fresh()} = spmd.atomic_rmw add {result}, {at}"
            else:
                yield f"memref.store {result}, {at}"

    def forall(
        self,
        counters: Sequence[str],
        low: Sequence[str],
        high: Sequence[str],
        step: Sequence[str],
    ) -> Iterator[str]:
        """The head of the same loop in other words, in which bounds may be numbers."""

        def mixed(bounds: Sequence[str]) -> str:
            numbers = {f"%c{n}": str(n) for n in (0, 1, 2, 3, 5)} | {"%cm2": "-2"}
            as_number = self.random.choice([True, False])
            return ", ".join(numbers.get(b, b) if as_number else b for b in bounds)

        yield (
            f"scf.forall ({', '.join(counters)}) = ({mixed(low)}) to ({mixed(high)}) "
            f"step ({mixed(step)}) {{"
        )

    def body(self, counters: list[str], value: str) -> Iterator[str]:
        """A store to the element of these counters, and one more thing to reduce."""
        place = "%c7"
        for counter in counters:
            product, total = self.fresh(), self.fresh()
            yield f"{product} = arith.muli {place}, %c13 : index"
            yield f"{total} = arith.addi {product}, {counter} : index"
            place = total
        slot, bits = self.fresh(), self.fresh()
        yield f"{slot} = arith.remui {place}, %c4099 : index"
        yield f"{bits} = arith.index_cast {slot} : index to i32"
        yield f"%old = arith.addi {bits}, {value} : i32"
        # Two iterations may come to one slot; then both add, in any order.
        yield f"%was = spmd.atomic_rmw add %old, %x[{slot}] : memref<4099xi32>"

    def text(self) -> str:
        constants = {"c0": 0, "c1": 1, "c2": 2, "c3": 3, "c5": 5, "c7": 7, "c13": 13}
        lines = [
            f"%{name} = arith.constant {value} : index"
            for name, value in (constants | {"cm2": -2, "c4099": 4099}).items()
        ]
        for _ in range(self.random.randint(1, 2)):
            lines += self.loop([], 0)
        body = "\n  ".join(lines)
        return f"""
func.func @f(%x: memref<4099xi32>, %out: memref<8xi32>, %n: index, %a: index, %t: i32) {{
  {body}
  func.return
}}
"""


def arguments(seed: int) -> list[Any]:
    numbers = random.Random(seed)
    x, out = np.zeros(4099, np.int32), np.zeros(8, np.int32)
    return [x, out, numbers.choice([0, 2, 4, 7]), numbers.choice([1, 2, 3]), 5]


@pytest.mark.parametrize("seed", range(40))
def test_random_loops(seed: int):
    module = parse(SourceText("loops.mlir", Writer(seed).text()))
    want, after, native = (arguments(seed) for _ in range(3))
    run_function(module, "f", want)
    program = spmd.compile(module)
    ParallelLoopsToKernelsPass().apply(make_context(), module)
    module.verify()
    assert not any(isinstance(op, scf.ParallelOp) for op in module.walk())
    run_function(module, "f", after)
    program["f"](*native)
    for got in (after, native):
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_array_equal(got[1], want[1])
