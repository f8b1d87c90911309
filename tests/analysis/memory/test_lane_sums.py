"""What lanes share, and what each adds to it."""

from __future__ import annotations

import pytest
from xdsl.dialects import func

from spmd.analysis.memory.lane_sums import LaneSum, LaneSums
from tests.execution.harness import parsed

LANES = 4


def _sum(text: str, type_: str = "i32") -> LaneSum | None:
    """Of `%x`, with `%lane` 0 to 3 and `%sum` that and eight times what all lanes share."""
    module = parsed(
        f"""
func.func @f(%n: TYPE) -> vector<{LANES}xindex> {{
  %step = vector.step : vector<{LANES}xindex>
  %lane = arith.index_cast %step : vector<{LANES}xindex> to TYPES
  %any = vector.broadcast %n : TYPE to TYPES
  %c8 = arith.constant dense<8> : TYPES
  %eight = arith.muli %any, %c8 : TYPES
  %sum = arith.addi %eight, %lane : TYPES
{text}
  func.return %x : vector<{LANES}xindex>
}}
""".replace("TYPES", f"vector<{LANES}x{type_}>").replace("TYPE", type_)
    )
    (end,) = (op for op in module.walk() if isinstance(op, func.ReturnOp))
    return LaneSums().of(end.arguments[0])


EXTENDED = "  %x = arith.index_cast %y : TYPES to vector<4xindex>"


def _with(op: str, number: int, flags: str = "", value: str = "%sum") -> str:
    return (
        f"  %c = arith.constant dense<{number}> : TYPES\n"
        f"  %y = arith.{op} {value}, %c{flags} : TYPES\n{EXTENDED}"
    )


@pytest.mark.parametrize(
    ("text", "ahead"),
    [
        (_with("addi", 3), (3, 4, 5, 6)),
        (_with("xori", 1), (1, 0, 3, 2)),
        (_with("xori", 7), (7, 6, 5, 4)),
        (_with("ori", 2), (2, 3, 2, 3)),
        (_with("andi", -3), (0, 1, 0, 1)),
        (_with("divui", 2), (0, 0, 1, 1)),
        (_with("floordivsi", 2), (0, 0, 1, 1)),
        (_with("shrsi", 1), (0, 0, 1, 1)),
        (_with("muli", 2), (0, 2, 4, 6)),
        (_with("shli", 1), (0, 2, 4, 6)),
    ],
)
def test_lanes_add_what_is_known(text: str, ahead: tuple[int, ...]):
    found = _sum(text)
    assert found is not None
    assert found.ahead == ahead
    assert found.terms


@pytest.mark.parametrize(
    ("text", "ahead"),
    [
        (_with("andi", 3), (0, 1, 2, 3)),
        (_with("remui", 2), (0, 1, 0, 1)),
        (_with("muli", 5, value="%lane"), (0, 5, 10, 15)),
    ],
)
def test_digits_of_lanes_are_numbers(text: str, ahead: tuple[int, ...]):
    found = _sum(text)
    assert found == LaneSum(ahead)


@pytest.mark.parametrize(
    "text",
    [
        # The sum may be the largest number in one lane, and the smallest in the next.
        _with("addi", 5),
        _with("subi", 1),
        # Bits of what lanes share, which nobody knows.
        _with("xori", 8),
        _with("ori", 9),
        _with("andi", 15),
        _with("divui", 16),
        _with("divui", 3),
        _with("remui", 16),
        _with("shrui", 4),
        # What is below zero is not rounded like that, or is a large number.
        f"  %c1 = arith.constant dense<1> : TYPES\n  %z = arith.subi %sum, %c1 : TYPES\n"
        f"  %c2 = arith.constant dense<2> : TYPES\n  %y = arith.divui %z, %c2 : TYPES\n{EXTENDED}",
    ],
)
def test_nothing_is_known(text: str):
    assert _sum(text) is None


def test_what_wraps_around_is_not_known():
    """In 8 bits, 3 * 50 is -106."""
    wraps = _with("muli", 50, value="%lane")
    assert _sum(wraps, "i8") is None
    assert _sum(wraps.replace("lane, %c", "lane, %c overflow<nsw>"), "i8") == LaneSum(
        (0, 50, 100, 150)
    )
    assert _sum(wraps, "i16") == LaneSum((0, 50, 100, 150))


def test_numbers_that_are_cut_off_are_not_known():
    """The lowest eight bits of 200 are -56."""
    cut = (
        "  %k = arith.constant dense<200> : vector<4xindex>\n"
        f"  %y = arith.index_cast %k : vector<4xindex> to TYPES\n{EXTENDED}"
    )
    assert _sum(cut, "i8") is None
    assert _sum(cut, "i16") == LaneSum((200,))


CHOICE = """
  %c1 = arith.constant dense<1> : TYPES
  %low = arith.andi %sum, %c1 : TYPES
  %c0 = arith.constant dense<0> : TYPES
  %even = arith.cmpi eq, %low, %c0 : TYPES
  %back = arith.subi %sum, %c1 : TYPES
  %on = arith.addi %sum, %c1 : TYPES
"""


def test_choices_that_are_known():
    """Neighbours trade places, in other words; which of two other numbers is not known."""
    text = (
        CHOICE
        + f"  %y = arith.select %even, %on, %back : vector<4xi1>, TYPES\n{EXTENDED}"
    )
    found = _sum(text)
    assert found is not None
    assert found.ahead == (1, 0, 3, 2)
    assert _sum(text.replace("%even, %on", "%even, %any")) is None
    odd = text.replace("cmpi eq", "cmpi ne").replace("%even, %on", "%even, %back")
    odd = odd.replace("%back, %back", "%back, %on")
    other = _sum(odd)
    assert other is not None
    assert other.ahead == found.ahead


@pytest.mark.parametrize(
    ("relation", "ahead"),
    [
        ("slt", (1, 1, 0, 0)),
        ("sle", (1, 1, 1, 0)),
        ("ugt", (0, 0, 0, 1)),
        ("uge", (0, 0, 1, 1)),
    ],
)
def test_comparisons_of_numbers(relation: str, ahead: tuple[int, ...]):
    text = (
        "  %c2 = arith.constant dense<2> : TYPES\n"
        f"  %is = arith.cmpi {relation}, %lane, %c2 : TYPES\n"
        "  %w = arith.extui %is : vector<4xi1> to vector<4xi64>\n"
        "  %x = arith.index_cast %w : vector<4xi64> to vector<4xindex>"
    )
    assert _sum(text) == LaneSum(ahead)


def test_comparisons_of_what_may_be_negative():
    text = (
        "  %c2 = arith.constant dense<2> : TYPES\n"
        "  %less = arith.subi %lane, %c2 overflow<nsw> : TYPES\n"
        "  %is = arith.cmpi RELATION, %less, %c2 : TYPES\n"
        "  %y = arith.select %is, %lane, %c2 : vector<4xi1>, TYPES\n" + EXTENDED
    )
    assert _sum(text.replace("RELATION", "slt")) == LaneSum((0, 1, 2, 3))
    assert _sum(text.replace("RELATION", "ult")) is None


def test_floats_are_no_sums():
    """Not even a choice between constants."""
    module = parsed("""
func.func @f(%n: f32, %is: i1) -> f32 {
  %inf = arith.constant 0x7F800000 : f32
  %x = arith.select %is, %inf, %inf : f32
  func.return %x : f32
}
""")
    (end,) = (op for op in module.walk() if isinstance(op, func.ReturnOp))
    assert LaneSums().of(end.arguments[0]) is None
