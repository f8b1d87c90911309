"""Random loops keep to the ranges that are claimed of them."""

from __future__ import annotations

import random

import pytest

from tests.analysis.soundness import check_launch
from tests.execution.harness import Launch

STEPS = (
    "arith.addi {x}, {y} : {t}",
    "arith.addi {x}, {y} : {t}",
    "arith.subi {x}, {y} : {t}",
    "arith.muli {x}, {y} : {t}",
    "arith.shrui {x}, %one : {t}",
    "arith.shrsi {x}, %one : {t}",
    "arith.shli {x}, %one : {t}",
    "arith.divui {x}, %three : {t}",
    "arith.remui {x}, %three : {t}",
    "arith.andi {x}, {y} : {t}",
    "arith.minsi {x}, {y} : {t}",
    "arith.maxui {x}, {y} : {t}",
    "arith.select %flag, {x}, {y} : {t}",
)
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def random_loop(generator: random.Random, type_: str) -> str:
    """One loop with two carried values; a second counter ends it for sure."""
    pick = generator.choice
    numbers = [str(generator.choice([0, 1, 2, 5, 7, -1, -3, 100])) for _ in range(3)]
    values = ["%k0", "%k1", "%k2", "%given"]

    def steps(mine: list[str]) -> tuple[str, list[str]]:
        lines: list[str] = []
        names = [*mine, *values]
        for n in range(generator.randrange(1, 5)):
            text = pick(STEPS).format(x=pick(names), y=pick(names), t=type_)
            lines.append(f"%s{n} = {text}")
            names.append(f"%s{n}")
        return "\n      ".join(lines), [pick(names[-3:]), pick(names)]

    constants = "\n  ".join(
        f"%k{n} = arith.constant {number} : {type_}" for n, number in enumerate(numbers)
    )
    head = f"""
spmd.kernel @k(%given: {type_}, %flag: i1, %iterations: index) {{
  {constants}
  %one = arith.constant 1 : {type_}
  %three = arith.constant 3 : {type_}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index"""
    if generator.random() < 0.4:
        body, (x, y) = steps(["%a", "%b"])
        return f"""{head}
  %p, %q = scf.for %i = %c0 to %iterations step %c1 iter_args(%a = {pick(values)}, %b = {pick(values)}) -> ({type_}, {type_}) {{
      {body}
      scf.yield {x}, {y} : {type_}, {type_}
  }}
  spmd.return
}}"""
    body, (x, y) = steps(["%c", "%d"])
    tests = [
        f"%t{n} = arith.cmpi {pick(PREDICATES)}, {pick(['%a', '%b'])}, {pick(values)} : {type_}"
        for n in range(2)
    ]
    return f"""{head}
  %p, %q, %z = scf.while (%a = {pick(values)}, %b = {pick(values)}, %i = %c0) : ({type_}, {type_}, index) -> ({type_}, {type_}, index) {{
      {tests[0]}
      {tests[1]}
      %both = arith.{pick(["andi", "ori"])} %t0, %t1 : i1
      %in = arith.cmpi ult, %i, %iterations : index
      %more = arith.andi %in, %both : i1
      scf.condition(%more) {pick(["%a, %b", "%b, %a", "%a, %a"])}, %i : {type_}, {type_}, index
  }} do {{
    ^bb0(%c: {type_}, %d: {type_}, %j: index):
      {body}
      %next = arith.addi %j, %c1 : index
      scf.yield {x}, {y}, %next : {type_}, {type_}, index
  }}
  spmd.return
}}"""


@pytest.mark.parametrize("part", range(4))
def test_random_loops_keep_to_it(part: int):
    compared = 0
    for seed in range(75 * part, 75 * part + 75):
        generator = random.Random(seed)
        source = random_loop(generator, generator.choice(["i8", "i32", "index"]))
        for given in (generator.choice([0, 3, -2]), generator.choice([1, 100, -100])):
            arguments = [given, generator.random() < 0.5, generator.randrange(7)]
            compared += check_launch(source, arguments, Launch((2,), (2,)))
    assert compared > 3000
