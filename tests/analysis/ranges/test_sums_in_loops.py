"""How far sums go in loops of a known number of rounds."""

from __future__ import annotations

from tests.analysis.ranges.test_loop_ranges import ranges_in


def test_sums_of_what_a_round_computes():
    found = ranges_in(
        """
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %k = %c0 to %c10 step %c2 iter_args(%s = %zero) -> (i32) {
    %bit = arith.andi %k, %c1 : index
    %low = arith.index_cast %bit : index to i32
    %next = arith.addi %s, %low : i32
    scf.yield %next : i32
  }
  %unknown = scf.for %k = %c0 to %n step %c1 iter_args(%u = %one) -> (i32) {
    %byte = arith.trunci %u : i32 to i8
    %low = arith.extui %byte : i8 to i32
    %next_u = arith.addi %u, %low : i32
    scf.yield %next_u : i32
  }
  %squares = scf.for %k = %c0 to %c10 step %c1 iter_args(%v = %one) -> (i32) {
    %byte = arith.trunci %v : i32 to i8
    %low = arith.extui %byte : i8 to i32
    %next_v = arith.addi %v, %low : i32
    scf.yield %next_v : i32
  }""",
        *("sum", "unknown", "squares"),
    )
    assert found["sum"] == (0, 5)
    assert found["unknown"] == (-(1 << 31), (1 << 31) - 1)
    assert found["squares"] == (1, 2551)


def test_sums_in_nested_loops():
    def body(most: str) -> str:
        return f"""
  %five = arith.constant 5 : i32
  %sum = scf.for %j = %c0 to %c2 step %c1 iter_args(%s = %five) -> (i32) {{
    %row = scf.for %k = %c0 to {most} step %c2 iter_args(%t = %s) -> (i32) {{
      %plane = scf.for %p = %c1 to %c10 step %c1 iter_args(%u = %t) -> (i32) {{
        %bit = arith.andi %p, %c1 : index
        %low = arith.index_cast %bit : index to i32
        %next = arith.addi %u, %low : i32
        scf.yield %next : i32
      }}
      scf.yield %plane : i32
    }}
    scf.yield %row : i32
  }}"""

    names = "sum", "row", "plane", "s", "t", "u"
    found = ranges_in(body("%c128"), *names)
    a_plane, a_row, all_rows = 9, 9 * 64, 9 * 64 * 2
    assert found["sum"] == found["s"] == (5, 5 + all_rows)
    assert found["row"] == found["t"] == (5, 5 + all_rows + a_row)
    assert found["plane"] == found["u"] == (5, 5 + all_rows + a_row + a_plane)
    assert ranges_in(body("%n"), "sum")["sum"] == (-(1 << 31), (1 << 31) - 1)
