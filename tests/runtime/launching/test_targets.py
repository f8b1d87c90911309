"""Code for other machines than this one: the option `target` of `spmd.compile`."""

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.passes import targets
from spmd.passes.targets import TARGETS, why_not_here

SCALE = """
spmd.kernel @scale(%a: f32, %x: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.mulf %a, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
"""

REGISTERS = {
    "x86-64": "%xmm",
    "x86-64-v2": "%xmm",
    "x86-64-v3": "%ymm",
    "x86-64-v4": "%zmm",
    "neoverse-n1": "fmul\tv",
    "neoverse-v1": "fmul",
    "neoverse-v2": "fmul",
    "rv64gcv": "vfmul",
}


@pytest.mark.parametrize("target", TARGETS)
def test_the_assembly_is_that_of_the_target(target: str):
    kernel = spmd.compile(SCALE, target=target)["scale"]
    lanes = 4 * TARGETS[target].register_bits // 32
    assert f"vector<{lanes}xf32>" in kernel.ir("vectorize")
    assembly = kernel.assembly()
    assert REGISTERS[target] in assembly
    for wider in ("%ymm", "%zmm"):
        if wider > REGISTERS[target]:
            assert wider not in assembly


@pytest.mark.parametrize("target", TARGETS)
def test_what_runs_here_is_right_and_all_else_is_an_error(target: str):
    kernel = spmd.compile(SCALE, target=target)["scale"]
    x = np.arange(100, dtype=np.float32)
    if why_not_here(target) is None:
        kernel(2.0, x, global_size=100)
        assert np.array_equal(x, 2 * np.arange(100))
    else:
        with pytest.raises(spmd.LaunchError, match=f"compiled for {target}"):
            kernel(2.0, x, global_size=100)


def test_features_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(targets, "_host_features", lambda: {"avx2": True})
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    why = "a machine with bmi, bmi2, f16c, fma, lzcnt, movbe"
    assert why_not_here("x86-64-v3") == why
    other = "a machine of type aarch64, this one is x86_64"
    assert why_not_here("neoverse-v1") == other
    assert why_not_here("host") is None


@pytest.mark.parametrize(
    ("features", "bits"),
    [
        ({"avx": True, "avx2": True, "avx512f": True}, 512),
        ({"avx": True, "avx2": True}, 256),
        ({"avx": True, "avx512f": False}, 256),
        ({"sse2": True}, 128),
    ],
)
def test_registers_of_this_machine(
    features: dict[str, bool], bits: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(targets, "_host_features", lambda: features)
    assert targets.target_named("host").register_bits == bits


@pytest.mark.parametrize("target", ["z80", "", 256, None, True, ["x86-64"]])
def test_a_target_that_nobody_knows(target: Any):
    with pytest.raises(
        spmd.CompileError, match="'target': expected one of 'host', 'x86"
    ):
        spmd.compile(SCALE, target=target)
