"""The plugin: the stock `xdsl-opt` finds everything, and pays nothing for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.passes import PassPipeline
from xdsl.universe import XDSL_UNIVERSE, Universe

from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse
from spmd.universe import SPMD_UNIVERSE

LOAD = """
import sys
import xdsl.universe
before = set(sys.modules)
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
sys.setprofile(count)
import spmd.universe
sys.setprofile(None)
print(calls)
print(*sorted(set(sys.modules) - before))
"""


def load_plugin() -> tuple[int, list[str]]:
    """How many calls load the plugin after xDSL itself, and the modules it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD], capture_output=True, text=True, check=True
    )
    calls, modules = done.stdout.splitlines()
    return int(calls), modules.split()


def test_an_unrelated_call_of_xdsl_opt_pays_next_to_nothing():
    assert load_plugin()[0] < 2000


def test_the_plugin_imports_nothing_but_itself():
    _, modules = load_plugin()
    assert modules == ["spmd", "spmd.universe"]


REPAIRS = """
import sys
from xdsl.xdsl_opt_main import xDSLOptMain
xDSLOptMain(args=[sys.argv[1]]).run()
print(*sorted(m for m in sys.modules if m.startswith("spmd.dialects.compat.")))
"""


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ("func.func @f() { func.return }", ""),
        (
            "%0 = arith.constant 1 : i32",
            "spmd.dialects.compat.elementwise spmd.dialects.compat.missing_arith",
        ),
        (
            "func.func @f(%p: !llvm.ptr) { func.return }",
            "spmd.dialects.compat.atomics",
        ),
        ("%0 = vector.step : vector<4xindex>", "spmd.dialects.compat.memory"),
    ],
)
def test_a_repair_runs_only_when_its_dialect_is_used(
    text: str, repairs: str, tmp_path: Path
):
    source = tmp_path / "source.mlir"
    source.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", REPAIRS, str(source)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == repairs


def test_no_name_is_taken_twice():
    """A name that xDSL has too would stop every `xdsl-opt` call of the environment."""
    for ours, theirs in (
        (SPMD_UNIVERSE.all_dialects, XDSL_UNIVERSE.all_dialects),
        (SPMD_UNIVERSE.all_passes, XDSL_UNIVERSE.all_passes),
        (SPMD_UNIVERSE.all_targets, XDSL_UNIVERSE.all_targets),
    ):
        assert not ours.keys() & theirs.keys()
    everything = Universe.get_multiverse()
    assert SPMD_UNIVERSE.all_dialects.keys() <= everything.all_dialects.keys()
    assert SPMD_UNIVERSE.all_passes.keys() <= everything.all_passes.keys()


def test_everything_in_the_registry_can_be_loaded():
    for name, load in SPMD_UNIVERSE.all_dialects.items():
        assert load().name == name
    for name, load in SPMD_UNIVERSE.all_passes.items():
        assert load().name == name
    for name, load in SPMD_UNIVERSE.all_targets.items():
        assert load().name == name


HALF_A_GROUP = """
spmd.kernel @half(%x: memref<?xf32>) {
  %c8 = arith.constant 8 : index
  %lid = spmd.local_id x
  %low = arith.cmpi ult, %lid, %c8 : index
  scf.if %low {
    spmd.barrier
  }
  spmd.return
}
"""


@pytest.mark.parametrize("piped", [False, True])
def test_errors_of_the_stock_tool_say_where(tmp_path: Path, piped: bool):
    (tmp_path / "half.mlir").write_text(HALF_A_GROUP)
    tool = Path(sys.executable).with_name("xdsl-opt")
    done = subprocess.run(
        [tool, "-p", "spmd-to-loops", *(() if piped else ("half.mlir",))],
        cwd=tmp_path,
        input=HALF_A_GROUP if piped else None,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    file = "stdin" if piped else "half.mlir"
    *_, last = done.stderr.splitlines()
    assert f": {file}:7:5: @half: expected all work-items of the group" in last
    assert f"scf.if ({file}:6:3)" in last


def test_errors_of_the_stock_tool_count_lines_of_the_file(tmp_path: Path):
    (tmp_path / "two.mlir").write_text(
        f"func.func @f() {{ func.return }}\n// -----{HALF_A_GROUP}"
    )
    tool = Path(sys.executable).with_name("xdsl-opt")
    done = subprocess.run(
        [tool, "-p", "spmd-to-loops", "--split-input-file", "two.mlir"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    *_, last = done.stderr.splitlines()
    assert ": two.mlir:8:5: @half: expected all work-items of the group" in last


@pytest.mark.parametrize("target", ["spmd-llvm", "spmd-asm{cpu=x86-64-v3}"])
def test_errors_of_targets_alone_say_where(target: str, tmp_path: Path):
    (tmp_path / "half.mlir").write_text(HALF_A_GROUP)
    tool = Path(sys.executable).with_name("xdsl-opt")
    done = subprocess.run(
        [tool, "-t", target, "half.mlir"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    *_, last = done.stderr.splitlines()
    assert ": half.mlir:2:1: @half: spmd.kernel cannot be written as LLVM IR" in last


TRIAD = """
spmd.kernel @triad(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.mulf %v, %v : f32
  memref.store %w, %y[%i] : memref<?xf32>
  spmd.return
}
"""


def test_a_pipeline_of_a_frontend_needs_no_context():
    """Whoever builds ops in Python has registered no dialect."""
    passes = Universe.get_multiverse().all_passes
    pipeline = PassPipeline.parse_spec(passes, "spmd-to-loops,vectorize{width=8}")
    module = parse(SourceText("triad.mlir", TRIAD))
    pipeline.apply(Context(), module)
    module.verify()
    assert "arith.mulf" in str(module)
    assert "vector<8xf32>" in str(module)
