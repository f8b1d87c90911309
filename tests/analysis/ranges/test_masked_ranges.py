"""What is known of integers that come out of a mask: all lanes must keep to it."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from spmd.analysis.divergence.analyze import analyze_sub_group
from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.spmd import SubGroupOp
from tests.analysis.programs import parse
from tests.analysis.ranges.test_loop_ranges import named

ANYTHING = IntegerRange.of_width(64)


def in_sub_group(body: str) -> ModuleOp:
    return parse(f"""
func.func @f(%m: index, %on: i1) {{
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c31 = arith.constant 31 : index
  %x = arith.andi %m, %c31 : index
  %y = arith.ori %x, %c8 : index
  %far = arith.ori %x, %c32 : index
  spmd.sub_group (%lx) shape [4] at (%c16) {{
{body}
  }}
  func.return
}}""")


def of_masked(op: str, otherwise: str = "") -> IntegerRange:
    """The range of the result of `op`, after a mask."""
    module = in_sub_group(f"""
    %r = spmd.masked %on -> (index) {{
      %v = {op} : index
      spmd.yield %v : index
    }} {otherwise}""")
    return IntegerRanges().of(named(module, "r"))


def test_the_range_comes_out_of_a_mask():
    assert of_masked("arith.addi %lx, %c8") == IntegerRange(24, 27)
    assert of_masked("arith.addi %m, %c8") == ANYTHING


def test_lanes_that_are_off_have_what_else_says():
    known = of_masked("arith.muli %lx, %c8", "else %c2 : index")
    assert known == IntegerRange(2, 19 * 8, 2)


def test_each_result_has_its_own_range():
    module = in_sub_group("""
    %a, %b = spmd.masked %on -> (index, index) {
      %v = arith.addi %lx, %c8 : index
      %w = arith.addi %x, %c8 : index
      spmd.yield %v, %w : index, index
    } else %c2, %c16 : index, index""")
    ranges = IntegerRanges()
    assert ranges.of(named(module, "a")) == IntegerRange(2, 27)
    assert ranges.of(named(module, "b")) == IntegerRange(8, 39)


def test_lanes_that_are_off_divide_by_one():
    assert of_masked("arith.divui %lx, %y").high == 19
    assert of_masked("arith.divui %lx, %c8") == IntegerRange(2, 2)
    # A remainder by at least 32 is the lane itself; by 1 it is 0.
    assert of_masked("arith.remui %lx, %far") == IntegerRange(0, 19)


def test_where_no_lane_is_off_none_divides_by_one():
    module = in_sub_group("""
    %quotient = arith.divui %lx, %y : index
    %rest = arith.remui %lx, %far : index""")
    ranges = IntegerRanges()
    assert ranges.of(named(module, "quotient")) == IntegerRange(0, 2)
    assert ranges.of(named(module, "rest")) == IntegerRange(16, 19)


def test_the_greatest_of_all_lanes_is_what_one_of_them_has():
    module = in_sub_group("""
    %seen = arith.muli %lx, %c8 : index
    %greatest = spmd.reduce maxui %seen across sub_group : index
    %least = spmd.reduce min %seen across sub_group : index
    %sum = spmd.reduce add %seen across sub_group : index""")
    ranges = IntegerRanges()
    # If no lane is active, it is the number that changes nothing.
    assert ranges.of(named(module, "greatest")) == IntegerRange(0, 19 * 8, 8)
    assert ranges.of(named(module, "least")) == IntegerRange(16 * 8, ANYTHING.high)
    assert ranges.of(named(module, "sum")) == ANYTHING
    group = next(op for op in module.walk() if isinstance(op, SubGroupOp))
    divergence = analyze_sub_group(group)
    assert str(divergence.shape(named(module, "greatest"))) == "uniform align 8"
    assert str(divergence.shape(named(module, "sum"))) == "uniform"


@pytest.mark.parametrize("type_", ["i8", "i32", "i64"])
@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        ("min", 1, None),
        ("max", None, 5),
        ("minui", -1, 5),
        ("maxui", 0, 5),
        ("and", None, None),
    ],
)
def test_what_is_picked_if_no_lane_is_on(
    kind: str, low: int | None, high: int | None, type_: str
):
    module = in_sub_group(f"""
    %one = arith.constant 1 : {type_}
    %five = arith.constant 5 : {type_}
    %seen = arith.select %on, %one, %five : {type_}
    %first_seen = spmd.reduce {kind} %seen across sub_group : {type_}""")
    known = IntegerRanges().of(named(module, "first_seen"))
    whole = IntegerRange.of_width(int(type_[1:]))
    assert known.low == (whole.low if low is None else low)
    assert known.high == (whole.high if high is None else high)


@pytest.mark.parametrize(("shape", "most"), [("4", 3), ("16, 16", 255)])
def test_the_number_of_a_lane_is_below_the_width_of_its_sub_group(
    shape: str, most: int
):
    """A tile of work-items has more lanes than a kernel can ask for."""
    bases = ", ".join("%c0" for _ in shape.split(","))
    lanes = ", ".join(f"%l{n}" for n, _ in enumerate(shape.split(",")))
    module = parse(f"""
func.func @f() {{
  %c0 = arith.constant 0 : index
  spmd.sub_group ({lanes}) shape [{shape}] at ({bases}) {{
    %lane = spmd.lane_id
  }}
  func.return
}}""")
    assert IntegerRanges().of(named(module, "lane")) == IntegerRange(0, most)
