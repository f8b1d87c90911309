"""What is known of values that loops carry, and that random loops keep to it."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.loop_ranges import LONGEST_ROUND
from spmd.analysis.ranges.ranges import IntegerRanges
from tests.analysis.programs import parse
from tests.analysis.work import calls_of

INDEX = (-(1 << 63), (1 << 63) - 1)


def named(module: ModuleOp, name: str) -> SSAValue:
    """The value of this name; of several, the first."""
    for op in module.walk():
        arguments = [a for r in op.regions for b in r.blocks for a in b.args]
        for value in (*op.results, *arguments):
            if value.name_hint == name:
                return value
    raise KeyError(name)


def ranges_in(body: str, *names: str) -> dict[str, tuple[int, int]]:
    """Bounds of the values of these names."""
    module = parse(f"""
spmd.kernel @k(%n: index, %m: i32) attributes {{work_group_size = array<i64: 64>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %c128 = arith.constant 128 : index
  %l = spmd.local_id x
{body}
  spmd.return
}}""")
    ranges = IntegerRanges()
    found: dict[str, tuple[int, int]] = {}
    for name in names:
        known = ranges.of(named(module, name))
        found[name] = known.low, known.high
    return found


def while_loop(start: str, condition: str, step: str) -> str:
    return f"""
  %r = scf.while (%a = {start}) : (index) -> index {{
    {condition}
    scf.condition(%more) %a : index
  }} do {{
  ^bb0(%b: index):
    {step}
    scf.yield %next : index
  }}"""


WHILES = {
    "halved": (
        while_loop(
            "%c128",
            "%more = arith.cmpi ugt, %a, %c0 : index",
            "%next = arith.shrui %b, %c1 : index",
        ),
        {"a": (0, 128), "b": (1, 128), "next": (0, 64), "r": (0, 0)},
    ),
    "counted up to a bound": (
        while_loop(
            "%c0",
            "%more = arith.cmpi ult, %a, %l : index",
            "%next = arith.addi %b, %c1 : index",
        ),
        {"a": (0, 63), "b": (0, 62), "next": (1, 63), "r": (0, 63)},
    ),
    "counted up, the bound on the left": (
        while_loop(
            "%c0",
            "%more = arith.cmpi sgt, %c10, %a : index",
            "%next = arith.addi %b, %c2 : index",
        ),
        {"a": (0, 11), "b": (0, 9), "next": (2, 11), "r": (10, 11)},
    ),
    "counted down": (
        while_loop(
            "%c10",
            "%more = arith.cmpi ne, %a, %c0 : index",
            "%next = arith.subi %b, %c1 : index",
        ),
        # That it does not go on from zero keeps it from passing zero.
        {"a": (0, 10), "b": (1, 10), "next": (0, 9), "r": (0, 0)},
    ),
    "counted down while positive": (
        while_loop(
            "%c10",
            "%more = arith.cmpi sgt, %a, %c0 : index",
            "%next = arith.subi %b, %c1 : index",
        ),
        {"a": (0, 10), "b": (1, 10), "next": (0, 9), "r": (0, 0)},
    ),
    "one of two bounds": (
        while_loop(
            "%c0",
            """%other = arith.cmpi slt, %n, %c10 : index
    %low = arith.cmpi sle, %a, %c10 : index
    %more = arith.andi %other, %low : i1""",
            "%next = arith.addi %b, %c1 : index",
        ),
        # Why it ended is not known.
        {"a": (0, 11), "b": (0, 10), "r": (0, 11)},
    ),
    "either of two bounds": (
        while_loop(
            "%c0",
            """%other = arith.cmpi slt, %n, %c10 : index
    %low = arith.cmpi slt, %a, %c10 : index
    %more = arith.ori %other, %low : i1""",
            "%next = arith.addi %b, %c1 : index",
        ),
        {"a": INDEX, "b": INDEX, "r": (10, INDEX[1])},
    ),
    "doubled": (
        while_loop(
            "%c1",
            "%more = arith.cmpi slt, %a, %c128 : index",
            "%next = arith.muli %b, %c2 : index",
        ),
        {"a": (1, 254), "b": (1, 127), "next": (2, 254), "r": (128, 254)},
    ),
    "doubled without end": (
        while_loop(
            "%c1",
            "%more = arith.cmpi slt, %n, %c128 : index",
            "%next = arith.shli %b, %c1 : index",
        ),
        {"a": INDEX, "b": INDEX, "r": INDEX},
    ),
    "under a condition of its own": (
        while_loop(
            "%c128",
            "%more = arith.cmpi ugt, %a, %c0 : index",
            """%even = arith.cmpi eq, %n, %c0 : index
    %next = scf.if %even -> (index) {
      %half = arith.divui %b, %c2 : index
      scf.yield %half : index
    } else {
      scf.yield %b : index
    }""",
        ),
        {"a": (0, 128), "b": (1, 128), "next": (0, 128), "r": (0, 0)},
    ),
}


@pytest.mark.parametrize("what", WHILES)
def test_while(what: str):
    body, expected = WHILES[what]
    assert ranges_in(body, *expected) == expected


FORS = {
    "sum of a step": (
        """
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %c2) -> (index) {
    %next = arith.addi %c2, %a : index
    scf.yield %next : index
  }""",
        {"a": (2, 22), "next": (4, 24), "r": (2, 22)},
    ),
    "sum of a varying step": (
        """
  %r = scf.for %i = %c0 to %l step %c2 iter_args(%a = %c0) -> (index) {
    %next = arith.addi %a, %l : index
    scf.yield %next : index
  }""",
        {"a": (0, 63 * 32), "r": (0, 63 * 32)},
    ),
    "sum of what an iteration makes": (
        """
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%a = %c1) -> (index) {
    %twice = arith.addi %a, %a : index
    %next = arith.addi %a, %twice : index
    scf.yield %next : index
  }""",
        {"a": INDEX, "r": INDEX},
    ),
    "smallest": (
        """
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c10) -> (index) {
    %next = arith.minsi %a, %l : index
    scf.yield %next : index
  }""",
        {"a": (0, 10), "r": (0, 10)},
    ),
    "two that change places": (
        """
  %r, %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c10, %b = %c2) -> (index, index) {
    scf.yield %b, %a : index, index
  }""",
        # They depend on each other: of the one that is asked first nothing is said.
        {"a": INDEX, "r": INDEX},
    ),
    "halved by an inner loop": (
        """
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c128) -> (index) {
    %next = scf.for %j = %c0 to %n step %c1 iter_args(%b = %c10) -> (index) {
      %half = arith.shrui %b, %c1 : index
      scf.yield %half : index
    }
    scf.yield %next : index
  }""",
        {"a": (0, 128), "b": (0, 10), "next": (0, 10), "r": (0, 128)},
    ),
}


@pytest.mark.parametrize("what", FORS)
def test_for(what: str):
    body, expected = FORS[what]
    assert ranges_in(body, *expected) == expected


@pytest.mark.parametrize(
    ("low", "high", "step", "bounds"),
    [
        ("%c0", "%c10", "%c2", (0, 8)),
        ("%c1", "%c10", "%c2", (1, 9)),
        ("%c0", "%c128", "%c10", (0, 120)),
        ("%l", "%c10", "%c2", (0, 9)),
        ("%c0", "%c10", "%n", (0, 9)),
    ],
)
def test_counter(low: str, high: str, step: str, bounds: tuple[int, int]):
    body = f"  scf.for %i = {low} to {high} step {step} {{\n  }}"
    assert ranges_in(body, "i")["i"] == bounds


def test_narrow_integers_wrap_around():
    body = """
  %one = arith.constant 1 : i32
  %r = scf.while (%a = %one) : (i32) -> i32 {
    %more = arith.cmpi ne, %a, %m : i32
    scf.condition(%more) %a : i32
  } do {
  ^bb0(%b: i32):
    %next = arith.addi %b, %one : i32
    scf.yield %next : i32
  }"""
    whole = -(1 << 31), (1 << 31) - 1
    assert ranges_in(body, "a", "b") == {"a": whole, "b": whole}


def test_divisors_of_carried_values():
    module = parse("""
spmd.kernel @k(%n: index) {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %c8 = arith.constant 8 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c12) -> (index) {
    %next = arith.addi %a, %c8 overflow<nsw> : index
    scf.yield %next : index
  }
  spmd.return
}""")
    known = IntegerRanges().of(named(module, "a"))
    assert known == IntegerRange(12, INDEX[1], 4)


def test_conditions_of_lanes_that_may_be_off_say_nothing():
    """An inactive lane goes around the loop too, and what it has is no longer bounded."""
    module = parse("""
func.func @f(%base: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  spmd.sub_group (%l) shape [8] at (%base) {
    %r = scf.while (%a = %c0) : (index) -> index {
      %more = arith.cmpi slt, %a, %c10 : index
      scf.condition(%more) %a : index
    } do {
    ^bb0(%b: index):
      %next = arith.addi %b, %c1 : index
      scf.yield %next : index
    }
  }
  func.return
}""")
    known = IntegerRanges().of(named(module, "b"))
    assert (known.low, known.high) == INDEX


# --- how much work it is --------------------------------------------------------------


def test_of_a_long_iteration_nothing_is_said():
    steps = "\n".join(
        f"    %s{n + 1} = arith.minsi %s{n}, %l : index"
        for n in range(LONGEST_ROUND + 1)
    )
    body = f"""
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s0 = %c10) -> (index) {{
{steps}
    scf.yield %s{LONGEST_ROUND + 1} : index
  }}"""
    assert ranges_in(body, "s0") == {"s0": INDEX}


def nested(depth: int) -> str:
    """Loops in loops, each of which carries a value through all those inside."""
    heads = "\n".join(
        f"  %r{n} = scf.for %i{n} = %c0 to %n step %c1 iter_args(%a{n} = "
        f"{f'%a{n - 1}' if n else '%c10'}) -> (index) {{"
        for n in range(depth)
    )
    tails = "\n".join(
        f"  %x{n} = arith.minsi %a{n}, {f'%r{n + 1}' if n + 1 < depth else '%c2'} : index\n"
        f"  scf.yield %x{n} : index\n  }}"
        for n in reversed(range(depth))
    )
    return heads + "\n" + tails


def test_nested_loops_take_linear_time():
    few, many = (
        calls_of(lambda depth=depth: ranges_in(nested(depth), "r0")) / depth
        for depth in (8, 64)
    )
    assert many < 2 * few, (few, many)


@pytest.mark.parametrize(
    ("lower", "upper", "far"),
    [(-(1 << 63), 5, True), (1 << 62, (1 << 62) + 5, False), (-1, (1 << 63) - 1, True)],
)
def test_bounds_may_be_farther_apart_than_their_type_counts(
    lower: int, upper: int, far: bool
):
    module = parse(f"""
func.func @bounds() {{
  %lower = arith.constant {lower} : index
  %upper = arith.constant {upper} : index
  func.return
}}""")
    bounds = named(module, "lower"), named(module, "upper")
    assert IntegerRanges().may_be_far_apart(*bounds) == far
