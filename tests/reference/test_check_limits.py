"""A check that takes long: how far it is, and how it ends."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import spmd
from spmd.reference.interpreter import MAX_CHECKED

SOURCE = """
spmd.kernel @spin(%x: memref<?xi64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %one = arith.constant 1 : i64
  scf.for %j = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi64>
    %u = arith.muli %v, %v : i64
    %w = arith.addi %u, %one : i64
    memref.store %w, %x[%i] : memref<?xi64>
  }
  spmd.return
}
spmd.kernel @endless(%x: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  memref.store %one, %x[%c0] : memref<?xi64>
  cf.br ^again
^again:
  cf.br ^again
}
func.func @host(%x: memref<?xi64>, %n: index) {
  spmd.launch @spin global(%n) of(%n) (%x, %n) : memref<?xi64>, index
  spmd.launch @endless global(%n) of(%n) (%x) : memref<?xi64>
  func.return
}
"""
ARRAY = np.zeros(64, np.int64)


def test_an_endless_loop_ends_with_the_timeout():
    program = spmd.compile(SOURCE)
    start = time.monotonic()
    with pytest.raises(
        spmd.LaunchTimeout,
        match=r"^endless: expected the check to be done within the timeout of 0.3 s, "
        r"it was not: \d+ of 64 work-items were run; take a smaller size",
    ):
        spmd.check(program, ARRAY, kernel="endless", global_size=64, timeout=0.3)
    assert time.monotonic() - start < 3
    # Nothing is left of it.
    for _ in range(20):
        assert spmd.check(program, ARRAY, 2, kernel="spin", global_size=4, timeout=60)


FAULTY = SOURCE.replace("memref.store %w, %x[%i]", "memref.store %w, %x[%n]")


def test_what_was_found_until_then_is_told():
    program = spmd.compile(FAULTY)
    with pytest.raises(
        spmd.LaunchTimeout, match=r"^host: .* work-items were "
    ) as error:
        program["host"].check(ARRAY, 64, timeout=0.4)
    assert "error: access out of bounds: [64] of global memory %x" in str(error.value)


def test_in_other_threads_and_host_functions():
    program = spmd.compile(SOURCE)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            program["host"].check(ARRAY.copy(), 64, timeout=0.5)
        except spmd.LaunchTimeout as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ["of 128 work-items" in str(error) for error in errors] == [True] * 3


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), "soon"])
def test_timeouts_are_numbers_above_zero(timeout: object):
    with pytest.raises(spmd.LaunchError, match="timeout of more than 0 seconds"):
        spmd.check(SOURCE, ARRAY, 1, kernel="spin", global_size=1, timeout=timeout)  # pyright: ignore[reportArgumentType]


def test_there_are_limits():
    with pytest.raises(
        spmd.LaunchError, match=rf"at most {MAX_CHECKED} work-items for a check"
    ):
        spmd.check(SOURCE, ARRAY, 1, kernel="spin", global_size=(1 << 40, 2))
    huge = SOURCE.replace("global(%n) of(%n)", "global(%n) of(%c)").replace(
        "  spmd.launch @spin", "  %c = arith.constant 64 : index\n  spmd.launch @spin"
    )
    report = spmd.check(huge, ARRAY, 1 << 40, kernel="host")
    assert f"expected at most {MAX_CHECKED} work-items, got 1099511627776" in str(
        report
    )


def spmd_run(tmp_path: Path, *words: str) -> list[str]:
    (tmp_path / "k.mlir").write_text(SOURCE)
    head = [sys.executable, "-m", "spmd.tools.spmd_run", str(tmp_path / "k.mlir")]
    return [*head, "--kernel", *words]


def test_the_command_line_has_timeouts(tmp_path: Path):
    for check in ([], ["--check"]):
        words = ["spin", "--global-size", "64", "--arg", "zeros:i64[64]", *check]
        words += ["--arg", "1000000000000000"]
        ran = subprocess.run(
            spmd_run(tmp_path, *words, "--timeout", "0.4"),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ran.returncode == 1
        assert "within the timeout of 0.4 s" in ran.stderr
        assert "Traceback" not in ran.stderr


def test_a_terminal_shows_how_far_it_is_and_ctrl_c_ends_it(tmp_path: Path):
    words = ["spin", "--global-size", "64", "--group-size", "1", "--check"]
    leader, follower = pty.openpty()
    ran = subprocess.Popen(
        spmd_run(tmp_path, *words, "--arg", "zeros:i64[64]", "--arg", "20000"),
        stderr=follower,
        stdout=subprocess.DEVNULL,
    )
    os.close(follower)
    said = b""
    while b" s more" not in said:
        said += os.read(leader, 1000)
    ran.send_signal(signal.SIGINT)
    assert ran.wait(20) == 130
    os.close(leader)
    assert b"of 64 work-items checked, some " in said
