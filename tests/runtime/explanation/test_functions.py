"""What is told of the parallel loops of host functions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import spmd
from spmd.tools.spmd_run import main

SOURCE = """
func.func @f(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloc() : memref<4xf32>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %t[%c0] : memref<4xf32>
    memref.dealloc %t : memref<4xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %x[%i] : memref<?xf32>
    scf.reduce
  }
  func.return
}
func.func @g(%x: memref<?xf32>, %n: index) {
  func.call @f(%x, %n) : (memref<?xf32>, index) -> ()
  func.return
}
"""


@pytest.mark.parametrize("of_program", [True, False])
def test_loops_of_its_own(of_program: bool):
    program = spmd.compile(SOURCE)
    explanation = (program if of_program else program["f"]).explain()
    assert [kernel.name for kernel in explanation.kernels] == ["f_loop"]
    (function,) = explanation.functions
    assert function.name == "f"
    assert function.launches == ("f_loop",)
    (short,) = function.loops
    assert (short.lines, short.lanes, short.is_good) == ((14, 15), 8, True)
    (serial,) = function.serial
    assert serial.place is not None
    assert serial.place.line == 6
    assert serial.reason.startswith("it is not launched: it has memref.alloc")
    assert "one by one     6:3  it is not launched" in str(explanation)
    assert "launches       @f_loop" in str(explanation)


def test_scalar_code():
    (function,) = spmd.compile(SOURCE, vectorize=False).explain().functions
    assert [loop.why_lanes for loop in function.loops] == ["vectorize is off"]
    assert len(function.serial) == 1


def test_a_function_that_only_launches_has_nothing_to_tell():
    assert not spmd.compile(SOURCE)["g"].explain().functions


def test_the_tool_tells_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "host.mlir"
    file.write_text(SOURCE)
    main([str(file), "--explain=json"])
    found = json.loads(capsys.readouterr().out)
    assert [function["name"] for function in found["functions"]] == ["f"]
    main([str(file), "--explain", "--kernel", "f"])
    assert "one by one" in capsys.readouterr().out
