"""Host functions are checked with all their launches, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd

KERNELS = """
spmd.kernel @shift(%by: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %j = arith.addi %i, %by : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %y[%j] : memref<?xi32>
  spmd.return
}
spmd.kernel @everybody(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %v = arith.index_cast %i : index to i32
  memref.store %v, %x[%c0] : memref<?xi32>
  spmd.return
}
"""
TYPES = "index, memref<?xi32>, memref<?xi32>"


def checked(body: str, *args: Any, **options: Any) -> spmd.Report:
    """The report on a host function of `%x` and `%n`."""
    source = f"""{KERNELS}
func.func @host(%x: memref<?xi32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  {body}
  func.return
}}"""
    return spmd.check(source, *args, kernel="host", **options)


def numbers(n: int = 8) -> np.ndarray:
    return np.arange(n, dtype=np.int32)


SCRATCH = f"""
  %own = memref.alloc(%n) : memref<?xi32>
  spmd.launch @shift global(%n) of(%c2) (%c0, %x, %own) : {TYPES}
  spmd.launch @shift global(%n) of(%c2) (%c0, %own, %x) : {TYPES}
  %v = memref.load %x[%c1] : memref<?xi32>
  memref.store %v, %own[%c0] : memref<?xi32>
  memref.store %v, %x[%c0] : memref<?xi32>
  memref.dealloc %own : memref<?xi32>
"""


@pytest.mark.parametrize("schedule", ["in-order", "reversed", "random"])
def test_a_launch_comes_after_the_one_before_and_what_the_host_does(schedule: str):
    """One writes what the next reads, and the host reads and writes it too."""
    x = numbers()
    report = checked(SCRATCH, x, 8, schedule=schedule)
    assert not report.findings, str(report)
    assert x.tolist() == [1, 1, 2, 3, 4, 5, 6, 7]


def test_memory_of_the_host_has_no_contents_until_somebody_writes_them():
    launches = f"""
  %own = memref.alloc(%n) : memref<?xi32>
  spmd.launch @shift global(%c2) of(%c2) (%c0, %x, %own) : {TYPES}
  spmd.launch @shift global(%n) of(%c2) (%c0, %own, %x) : {TYPES}
"""
    report = checked(launches, numbers(3), 3)
    assert report.kinds() == {"never written"}, str(report)
    (finding,) = report.findings
    assert "[2] of global memory %own" in str(finding)
    assert (
        "launch 2 of host function @host runs @shift on 3 work-items in groups of 2"
        in str(finding)
    )


def test_a_race_in_a_launch_names_the_launch():
    launches = """
  spmd.launch @everybody global(%c1) of(%c1) (%x) : memref<?xi32>
  spmd.launch @everybody groups(%c2) of(%c1) (%x) : memref<?xi32>
"""
    report = checked(launches, numbers(), 8)
    assert report.kinds() == {"race between groups"}, str(report)
    assert "launch 2 of host function @host" in str(report)
    assert "@host: 1 fault found" in str(report)


def test_arrays_of_the_caller_may_overlap_within_the_rules():
    """Two launches that write one array under two names; and one that races with itself."""
    source = f"""{KERNELS}
func.func @host(%x: memref<?xi32>, %y: memref<?xi32>, %n: index, %by: index) {{
  spmd.launch @shift global(%n) of(%n) (%by, %x, %y) : {TYPES}
  spmd.launch @shift global(%n) of(%n) (%by, %y, %x) : {TYPES}
  func.return
}}"""
    program = spmd.compile(source)
    x = numbers(5)
    assert program["host"].check(x, x, 4, 0)
    report = program["host"].check(x[:4], x, 3, 1)
    assert report.kinds() == {"race"}, str(report)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            "spmd.launch @everybody global(%n) of(%c0) (%x) : memref<?xi32>",
            "undefined behavior",
            "expected groups of at least one work-item, got (0, 1, 1)",
        ),
        (
            "%s = arith.subi %c0, %n : index\n"
            "spmd.launch @everybody global(%s) of(%c1) (%x) : memref<?xi32>",
            "undefined behavior",
            "negative size in the launch of @everybody",
        ),
        (
            "%s = arith.constant 16385 : index\n"
            "spmd.launch @everybody global(%n) of(%s) (%x) : memref<?xi32>",
            "undefined behavior",
            "expected groups of at most 16384 work-items, got 16385",
        ),
        (
            "%s = arith.constant 281474976710656 : index\n"
            "spmd.launch @everybody groups(%s) of(%c2) (%x) : memref<?xi32>",
            "undefined behavior",
            "expected at most 16777216 work-items, got 562949953421312",
        ),
        (
            "spmd.launch @everybody global(%c1) of(%c1) (%x) : memref<?xi32>\n"
            "%v = memref.load %x[%n] : memref<?xi32>",
            "out of bounds",
            "[8] of global memory %x of 8 elements",
        ),
        (
            "%v = arith.divui %n, %c0 : index\n"
            "spmd.launch @everybody global(%c1) of(%c1) (%x) : memref<?xi32>",
            "undefined behavior",
            "division by zero",
        ),
    ],
)
def test_faults_of_the_host(body: str, kind: str, words: str):
    report = checked(body, numbers(), 8)
    assert report.kinds() == {kind}, str(report)
    assert words in str(report)
    assert "host function @host is here" in str(report)
    assert ": launch" not in str(report)


def test_sizes_are_the_business_of_the_function():
    for size in ("global_size", "group_size"):
        with pytest.raises(
            spmd.LaunchError, match=f"^host: expected no {size}, because"
        ):
            checked(SCRATCH, numbers(), 8, **{size: 4})


def test_arguments_and_options_are_checked():
    launch = "spmd.launch @everybody global(%n) of(%n) (%x) : memref<?xi32>"
    with pytest.raises(spmd.LaunchError, match="expected 2 arguments"):
        checked(launch, numbers())
    with pytest.raises(
        spmd.LaunchError, match=r"^host: expected a schedule of in-order"
    ):
        checked(launch, numbers(), 8, schedule="sideways")
    program = spmd.compile(KERNELS + "func.func @host() {\n  func.return\n}")
    with pytest.raises(
        spmd.CompileError, match="with one of shift, everybody, host, got none"
    ):
        spmd.check(program)
    with pytest.raises(KeyError, match="nope"):
        spmd.check(program, kernel="nope")
