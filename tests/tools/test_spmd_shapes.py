"""`spmd-shapes`: output, files, and errors without a traceback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from spmd.tools.spmd_shapes import main

KERNEL = """
spmd.kernel @double(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %y[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "double.mlir"
    path.write_text(KERNEL)
    return str(path)


def test_comments_unless_on_a_terminal(file: str, capsys: pytest.CaptureFixture[str]):
    assert main([file]) == 0
    out = capsys.readouterr().out
    assert (
        "(%x: memref<?xf32>, %y: memref<?xf32>) {  // %x: uniform, %y: uniform\n" in out
    )
    assert "%i = spmd.global_id x  // %i: strided\n" in out
    assert "%w = arith.addf %v, %v : f32  // %w: varying\n" in out
    assert "memref.store %w, %y[%i] : memref<?xf32>\n" in out
    assert "\x1b" not in out


def test_comments_name_divergent_branches(
    file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    text = KERNEL.replace(
        "memref.store %w, %y[%i] : memref<?xf32>",
        "%c = arith.cmpf olt, %v, %w : f32\n  scf.if %c {}",
    )
    Path(file).write_text(text)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main([file]) == 0
    assert "scf.if %c {  // divergent\n" in capsys.readouterr().out


def test_colours(file: str, capsys: pytest.CaptureFixture[str]):
    assert main([file, "--color", "always"]) == 0
    assert "\x1b[36m%i\x1b[0m = spmd.global_id x" in capsys.readouterr().out


def test_page(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    page = tmp_path / "page.html"
    assert main([file, "--html", str(page)]) == 0
    assert '<span class="varying"' in page.read_text()
    assert capsys.readouterr().out == ""


def test_why(file: str, capsys: pytest.CaptureFixture[str]):
    assert main([file, "--why", "w"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "%w is varying: arith.addf of %v",
        "%v is varying: memref.load of %i",
        "%i is varying: spmd.global_id differs between work-items",
    ]


def test_passes(file: str, capsys: pytest.CaptureFixture[str]):
    words = ["--passes", "spmd-to-loops,form-sub-groups{width=8}", "--color", "always"]
    assert main([file, *words]) == 0
    assert "spmd.sub_group (\x1b[36m%lx\x1b[0m) shape [8]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--why", "nope"], "--why: expected the name of a value in a kernel"),
        (
            ["--passes", "nope"],
            "--passes: expected names of passes that xdsl-opt knows",
        ),
        (["--passes", "spmd-to-loops{"], "got 'spmd-to-loops{': Error parsing"),
        (["--passes", "spmd-to-loops{nope=1}"], "arguments"),
        (["--html", "/nowhere/page.html"], "--html: "),
    ],
)
def test_wrong_options(
    file: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    assert main([file, *words]) == 1
    error = capsys.readouterr().err
    assert error.startswith("spmd-shapes: error: ")
    assert message in error
    assert len(error.splitlines()) == 1


def test_wrong_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(tmp_path / "nope.mlir")]) == 1
    bad = tmp_path / "bad.mlir"
    bad.write_text("spmd.kernel @k() { spmd.retur }")
    assert main([str(bad)]) == 1
    error = capsys.readouterr().err
    assert "nope.mlir" in error
    assert "bad.mlir" in error
    assert "Traceback" not in error
