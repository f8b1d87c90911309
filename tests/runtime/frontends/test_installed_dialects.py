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


RUN = """
import numpy as np, spmd
x = np.array([-8, -1, 0, 1, 2, 3, 4, 5, 6], np.float32)
expected = np.where(x < 0, x / 2, x * x)
kernel = spmd.compile("k.mlir", width={width}, vectorize={vectorize})["k"]
y = x.copy()
assert not kernel.check(y, global_size=x.size).errors
np.testing.assert_array_equal(y, expected)
kernel(x, global_size=x.size)
np.testing.assert_array_equal(x, expected)
"""


@pytest.mark.parametrize("width", [1, 4, 16])
@pytest.mark.parametrize("vectorize", [False, True])
def test_native_code_and_the_interpreter_agree(site: Path, width: int, vectorize: bool):
    code = RUN.format(width=width, vectorize=vectorize)
    done = run(site, "python", "-c", code)
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


def test_our_tool_explains(site: Path):
    done = run(site, "spmd-run", "k.mlir", "--explain")
    assert done.returncode == 0, done.stderr
    assert "64 lanes" in done.stdout


def test_an_op_that_says_nothing_is_an_error(site: Path):
    done = run(site, "python", "-c", "import spmd; spmd.compile('secret.mlir')")
    assert "secret.mlir:5:8: shop.secret cannot be written as LLVM IR" in done.stderr
    assert "interface Emission" in done.stderr


def test_a_package_that_cannot_be_imported_is_named(site: Path):
    (site / "shop.py").write_text("import nothing_of_this_name")
    done = run(site, "python", "-c", "import spmd; spmd.compile('k.mlir')")
    assert "CompileError" in done.stderr
    assert "No module named 'nothing_of_this_name'" in done.stderr
