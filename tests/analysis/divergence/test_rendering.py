"""IR in colours, for a terminal and for a browser."""

from __future__ import annotations

import re
from io import StringIO

from xdsl.printer import Printer

from spmd.analysis.divergence.rendering import (
    Kind,
    Piece,
    render,
    to_html,
    to_terminal,
    why,
)
from tests.analysis.programs import parse

TEXT = """
spmd.kernel @k(%n: index, %x: memref<?xf32>) {
  %gid = spmd.global_id x
  %low = arith.cmpi slt, %gid, %n : index
  scf.if %low {
    %v = memref.load %x[%gid] : memref<?xf32>
  }
  %same = arith.cmpi slt, %n, %n : index
  scf.if %same {
    %w = memref.load %x[%n] : memref<?xf32>
  }
  spmd.return
}
func.func @host(%a: index) {
  func.return
}
"""


def pieces() -> list[Piece]:
    return render(parse(TEXT))


def kinds(text: str) -> set[Kind]:
    return {piece.kind for piece in pieces() if piece.text == text}


def test_the_text_is_that_of_the_printer():
    stream = StringIO()
    Printer(stream).print_op(parse(TEXT))
    text = "".join(piece.text for piece in pieces())
    assert text == stream.getvalue() + "\n"


def test_without_colours_comments_say_the_kind():
    commented = to_terminal(pieces(), colours=False)
    assert "  // " in commented
    assert re.sub("  // .*", "", commented) == "".join(p.text for p in pieces())
    assert "%low = arith.cmpi slt, %gid, %n : index  // %low: varying\n" in commented
    assert "    scf.if %low {  // divergent\n" in commented


def test_every_value_has_its_kind():
    assert kinds("%n") == kinds("%x") == kinds("%same") == kinds("%w") == {Kind.UNIFORM}
    assert kinds("%gid") == {Kind.STRIDED}
    assert kinds("%low") == kinds("%v") == {Kind.VARYING}
    assert kinds("%a") == {Kind.PLAIN}, "what is not analysed has no colour"


def test_divergent_branches_stand_out():
    branches = [p for p in pieces() if p.kind is Kind.DIVERGENT]
    assert [p.text for p in branches] == ["scf.if"]
    assert branches[0].remark.startswith("scf.if is divergent: it depends on %low")


def test_terminal():
    text = to_terminal(pieces())
    assert "\x1b[36m%gid\x1b[0m = spmd.global_id x" in text
    assert "\x1b[1;7;33mscf.if\x1b[0m \x1b[31m%low\x1b[0m {" in text


def test_html():
    page = to_html(pieces(), "a < b")
    assert "<title>a &lt; b</title>" in page
    assert (
        '<span class="strided" title="x: contiguous, y: uniform, z: uniform">%gid</span>'
        in page
    )
    assert "memref&lt;?xf32&gt;" in page
    assert "%v is varying: memref.load of %gid" in page
    assert "\x01" not in page


def test_why():
    module = parse(TEXT)
    (chain,) = why(module, "v")
    assert chain.splitlines() == [
        "%v is varying: memref.load of %gid",
        "%gid is varying: spmd.global_id differs between work-items",
    ]
    assert why(module, "%v") == [chain]
    assert why(module, "a") == []


def test_what_has_become_of_a_work_item_loop():
    module = parse("""
    func.func @k(%n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %ly = %c0 to %n step %c1 {
        spmd.sub_group (%lx) shape [8] at (%c0) {
          %a = arith.addi %lx, %ly : index
        }
      } {spmd.work_items = array<i64: 1>}
      func.return
    }
    """)
    found = {piece.text: piece.kind for piece in render(module)}
    assert found["%lx"] is Kind.STRIDED
    assert found["%ly"] is Kind.PLAIN, "the loop is one of sub-groups"
