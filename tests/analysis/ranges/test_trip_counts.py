"""How often loops run at most, and always, exactly where their counters are known."""

from __future__ import annotations

from math import inf

import pytest
from xdsl.dialects import scf

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.ranges.trip_counts import most_iterations, only_trip_count
from tests.analysis.programs import parse
from tests.analysis.ranges.test_loop_ranges import while_loop


def loop_of(body: str) -> scf.ForOp | scf.WhileOp:
    constants = "\n".join(
        f"  %c{n} = arith.constant {n} : index" for n in (0, 1, 2, 3, 10, 64)
    )
    module = parse(
        f"spmd.kernel @k(%n: index, %m: i1) {{\n{constants}\n{body}\n  spmd.return\n}}"
    )
    loops = (op for op in module.walk() if isinstance(op, scf.ForOp | scf.WhileOp))
    return next(loops)


def most(body: str) -> float:
    return most_iterations(loop_of(body), IntegerRanges())


def most_of_while(start: str, more: str, end: str, step: str) -> float:
    condition = f"%more = arith.cmpi {more}, %a, {end} : index"
    return most(while_loop(start, condition, step))


@pytest.mark.parametrize(
    ("low", "high", "step", "expected"),
    [
        ("%c0", "%c10", "%c1", 10),
        ("%c0", "%c10", "%c3", 4),
        ("%c1", "%c10", "%c3", 3),
        ("%c10", "%c1", "%c1", 0),
        ("%c0", "%c10", "%n", inf),
    ],
)
def test_for(low: str, high: str, step: str, expected: float):
    body = f"  scf.for %i = {low} to {high} step {step} {{\n  }}"
    assert most(body) == expected


@pytest.mark.parametrize(
    ("begin", "end", "step", "expected"),
    [
        ("%c0", "%c10", "%c3", 4),
        ("%c10", "%c1", "%c3", 0),
        ("%few", "%c64", "%c3", None),  # 22 from 0, 21 from 3
        ("%few", "%c64", "%c10", 7),
        ("%few", "%c10", "%c10", 1),
        ("%few", "%c3", "%c10", None),  # none from 3
        ("%few", "%c0", "%c10", 0),
        ("%c0", "%n", "%c1", None),
        ("%c0", "%c10", "%n", None),
        ("%c0", "%c10", "%few", None),
    ],
)
def test_the_only_trip_count(begin: str, end: str, step: str, expected: int | None):
    body = f"""
  %few = arith.andi %n, %c3 : index
  scf.for %i = {begin} to {end} step {step} {{
  }}"""
    loop = loop_of(body)
    assert isinstance(loop, scf.ForOp)
    assert only_trip_count(loop, IntegerRanges()) == expected


@pytest.mark.parametrize(
    ("end", "step", "expected"),
    [
        ("%c10", "%next = arith.addi %b, %c1 : index", 10),
        ("%c10", "%next = arith.addi %c1, %b : index", 10),
        ("%c10", "%next = arith.addi %b, %c3 : index", 4),
        ("%c64", "%next = arith.addi %b, %c3 : index", 22),
        ("%c10", "%next = arith.addi %b, %c0 : index", inf),
        ("%c10", "%next = arith.addi %n, %c1 : index", inf),
        ("%c10", "%next = arith.subi %b, %c1 : index", inf),
        ("%n", "%next = arith.addi %b, %c1 : index", 1 << 62),
    ],
)
def test_a_counter_that_grows(end: str, step: str, expected: float):
    assert most_of_while("%c0", "slt", end, step) == expected


@pytest.mark.parametrize(
    ("start", "more", "step", "expected"),
    [
        ("%c64", "sgt", "%next = arith.shrui %b, %c1 : index", 7),
        ("%c10", "sgt", "%next = arith.shrui %b, %c2 : index", 4),
        ("%c10", "sgt", "%next = arith.shrui %b, %c0 : index", inf),
        ("%c10", "sge", "%next = arith.shrui %b, %c1 : index", inf),
        ("%n", "ne", "%next = arith.shrui %b, %c1 : index", inf),
    ],
)
def test_a_number_that_is_halved(start: str, more: str, step: str, expected: float):
    assert most_of_while(start, more, "%c0", step) == expected


@pytest.mark.parametrize(
    ("more", "end", "less", "step", "expected"),
    [
        ("ne", "%c0", "%b, %c1", "%b, %less", 64),
        ("ne", "%c0", "%b, %c1", "%less, %b", 64),
        ("ne", "%c1", "%b, %c1", "%b, %less", inf),
        ("ugt", "%c0", "%b, %c1", "%b, %less", inf),
        ("ne", "%c0", "%b, %c2", "%b, %less", inf),
        ("ne", "%c0", "%c1, %b", "%b, %less", inf),
        ("ne", "%c0", "%b, %c1", "%b, %b", inf),
    ],
)
def test_a_number_that_loses_its_lowest_bit(
    more: str, end: str, less: str, step: str, expected: float
):
    minus = f"%less = arith.subi {less} : index"
    rest = f"{minus}\n    %next = arith.andi {step} : index"
    assert most_of_while("%n", more, end, rest) == expected


def test_what_is_carried_may_change_places():
    """What counts becomes the second result, not the first."""
    assert (
        most("""
  %r:2 = scf.while (%a = %c0, %f = %m) : (index, i1) -> (i1, index) {
    %more = arith.cmpi slt, %a, %c10 : index
    scf.condition(%more) %f, %a : i1, index
  } do {
  ^bb0(%g: i1, %b: index):
    %next = arith.addi %b, %c2 : index
    scf.yield %next, %g : index, i1
  }""")
        == 5
    )
