"""Dialects of other packages, found by their entry points, are as good as our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
spmd.kernel @k(%x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  shop.soon %x[%i] : memref<?xf32>
  %v = memref.load %x[%i] : memref<?xf32>
  %low = arith.cmpf olt, %v, %zero : f32
  %r = scf.if %low -> (f32) {
    %h = shop.half %v : f32 -> f32
    scf.yield %h : f32
  } else {
    %s = shop.square %v : f32 -> f32
    scf.yield %s : f32
  }
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
}
"""

CONTROL = """
spmd.kernel @k(%x: memref<?xf32>, %counts: memref<?xf32>)
    attributes {work_group_size = array<i64: 16>} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %low = arith.cmpf olt, %v, %zero : f32
  %r = shop.unless %low else %zero : f32 -> f32 {
    %n = arith.remui %l, %c3 : index
    %power = shop.repeat %n from %one : f32 -> f32 {
    ^bb0(%last: f32):
      %next = arith.mulf %last, %v : f32
      %was = shop.bump %counts[%i] by %one : memref<?xf32>
      shop.give %next : f32
    }
    shop.give %power : f32
  }
  %sum = spmd.reduce add %r across work_group : f32
  memref.store %sum, %x[%i] : memref<?xf32>
  spmd.return
}
"""

SECRET = """
spmd.kernel @k(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = shop.secret %v : f32 -> f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    """A folder as `pip install` leaves it, with a package that has an xDSL universe."""
    source = Path(__file__).with_name("shop.py").read_text()
    (tmp_path / "shop.py").write_text(source)
    metadata = tmp_path / "shop-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n"
    )
    entry_points = "[xdsl.universe]\nshop = shop:SHOP_UNIVERSE\n"
    (metadata / "entry_points.txt").write_text(entry_points)
    (tmp_path / "k.mlir").write_text(KERNEL)
    (tmp_path / "secret.mlir").write_text(SECRET)
    (tmp_path / "control.mlir").write_text(CONTROL)
    return tmp_path


def run(site: Path, *command: str) -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name(command[0])
    return subprocess.run(
        [tool, *command[1:]],
        cwd=site,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )


COMPILED = """
import itertools, numpy as np, spmd
def compiled(file):
    for width, vectorize in itertools.product((1, 4, 16), (False, True)):
        yield spmd.compile(file, width=width, vectorize=vectorize)["k"]
"""

RUN = """
x = np.array([-8, -1, 0, 1, 2, 3, 4, 5, 6], np.float32)
expected = np.where(x < 0, x / 2, x * x)
for kernel in compiled("k.mlir"):
    for run in (kernel, kernel.check):
        y = x.copy()
        found = run(y, global_size=x.size)
        assert not getattr(found, "errors", ()), found
        np.testing.assert_array_equal(y, expected)
"""

RUN_CONTROL = """
x = np.arange(40, dtype=np.float32) - 5
n = np.arange(40) % 16 % 3
powers = np.where(x < 0, 0, x ** n)
sums = np.concatenate([np.full(part.size, part.sum()) for part in np.split(powers, [16, 32])])
counts = np.where(x < 0, 0, n)
for kernel in compiled("control.mlir"):
    for run in (kernel, kernel.check):
        y, z = x.copy(), np.zeros(40, np.float32)
        found = run(y, z, global_size=x.size)
        assert not getattr(found, "errors", ()), found
        np.testing.assert_allclose(y, sums)
        np.testing.assert_array_equal(z, counts)
    report = kernel.check(x.copy(), np.zeros(30, np.float32), global_size=x.size)
    assert "control.mlir:16:14" in str(report), report
    assert "out of bounds" in str(report), report

from spmd.reference import UndefinedBehavior, run_kernel
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse

module = parse(SourceText("control.mlir", open("control.mlir").read()))
run_kernel(module, "k", [y := x.copy(), z := np.zeros(40, np.float32)], global_size=40)
np.testing.assert_allclose(y, sums)
np.testing.assert_array_equal(z, counts)
try:
    run_kernel(module, "k", [x.copy(), np.zeros(30, np.float32)], global_size=40)
except UndefinedBehavior as error:
    assert "out of bounds: [30]" in str(error), error
else:
    raise AssertionError("expected an access out of bounds to be an error")
"""


@pytest.mark.parametrize("code", [RUN, RUN_CONTROL], ids=["computes", "controls"])
def test_native_code_and_the_interpreter_agree(site: Path, code: str):
    done = run(site, "python", "-c", COMPILED + code)
    assert done.returncode == 0, done.stderr


def test_the_stock_tool_makes_lanes(site: Path):
    passes = "spmd-to-loops,vectorize{width=8}"
    done = run(site, "xdsl-opt", "-p", passes, "k.mlir")
    assert done.returncode == 0, done.stderr
    assert "shop.square %v : vector<8xf32> -> vector<8xf32>" in done.stdout
    assert "shop.half %v : vector<8xf32> -> vector<8xf32>" in done.stdout
    assert "shop.soon" in done.stdout
    llvm = run(site, "xdsl-opt", "-p", passes, "-t", "spmd-llvm", "k.mlir")
    assert llvm.returncode == 0, llvm.stderr
    assert "fmul <8 x float>" in llvm.stdout


def test_the_stock_tool_expands(site: Path):
    done = run(
        site, "xdsl-opt", "-p", "spmd-to-loops,vectorize{width=4}", "control.mlir"
    )
    assert done.returncode == 0, done.stderr
    assert "shop.unless" not in done.stdout
    assert "shop.bump has no vector form" in done.stdout


def test_our_tool_explains(site: Path):
    done = run(site, "spmd-run", "k.mlir", "--explain")
    assert done.returncode == 0, done.stderr
    assert " lanes: width=auto" in done.stdout
    control = run(site, "spmd-run", "control.mlir", "--explain", "--width", "16")
    assert control.returncode == 0, control.stderr
    assert "shop.bump" in control.stdout
    assert "11:8  scf.if runs under masks: it depends on %low" in control.stdout


def test_an_op_that_says_nothing_is_an_error(site: Path):
    done = run(site, "python", "-c", "import spmd; spmd.compile('secret.mlir')")
    assert "secret.mlir:5:8: shop.secret cannot be written as LLVM IR" in done.stderr
    assert "interface Emission" in done.stderr


def test_a_package_that_cannot_be_imported_is_named(site: Path):
    (site / "shop.py").write_text("import nothing_of_this_name")
    done = run(site, "python", "-c", "import spmd; spmd.compile('k.mlir')")
    assert "CompileError" in done.stderr
    assert "No module named 'nothing_of_this_name'" in done.stderr
