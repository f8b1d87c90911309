"""The checker finds what is wrong, and only that."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.reference.check import check_kernel
from spmd.reference.checking.findings import Report
from tests.execution.cases import Case
from tests.execution.harness import Launch, expected, kernel_name, make, parsed
from tests.execution.harness.comparing import EXACT, assert_same
from tests.reference.barrier_faults import BARRIERS
from tests.reference.faults import (
    CORRECT,
    OUT_OF_BOUNDS,
    RACES,
    Fault,
)

SCHEDULES = ("in-order", "reversed", "random")


def run(source: str, case: Case, launch: Launch, schedule: str) -> Report:
    module = parsed(source)
    return check_kernel(
        module,
        kernel_name(module),
        make(case.arguments, launch),
        global_size=launch.global_size,
        group_size=launch.group_size,
        schedule=schedule,
    )


@pytest.mark.parametrize("case", CORRECT.values(), ids=str)
def test_correct_kernels_give_no_report(case: Case):
    for number, launch in enumerate(case.launches):
        report = run(case.source, case, launch, SCHEDULES[number % 3])
        assert report, str(report)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("fault", [*RACES, *BARRIERS, *OUT_OF_BOUNDS], ids=str)
def test_faults_are_found(fault: Fault, schedule: str):
    case = CORRECT[fault.case]
    report = run(fault.source, case, fault.where(), schedule)
    found = [finding for finding in report.errors if finding.kind == fault.kind]
    assert found, str(report)
    assert any(fault.at in str(finding) for finding in found), str(report)
    # Every finding names its op with line and column, and who was there.
    for finding in report.findings:
        assert "kernel.mlir:" in str(finding)
        assert "work-item " in str(finding)


@pytest.mark.parametrize("case", list(CORRECT.values())[::7], ids=str)
def test_a_checked_run_computes_the_same(case: Case):
    launch = case.launches[-1]
    args = make(case.arguments, launch)
    spmd.check(
        case.source,
        *args,
        global_size=launch.global_size,
        group_size=launch.group_size,
    )
    assert_same(args, expected(case.source, case.arguments, launch), EXACT, case.name)


def test_the_report_reads_like_one_of_a_sanitizer():
    kernel = """
spmd.kernel @shift(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %next = arith.addi %i, %c1 : index
  %v = memref.load %x[%next] : memref<?xf32>
  memref.store %v, %x[%i] : memref<?xf32>
  spmd.return
}
"""
    report = spmd.check(kernel, np.arange(5, dtype=np.float32), global_size=4)
    assert not report
    assert (
        str(report)
        == """\
error: data race within a work-group: [1] of global memory %x, no barrier in between
  <string>:7:3: work-item 1 (local 1 of work-group 0) writes it
      memref.store %v, %x[%i] : memref<?xf32>
  <string>:6:8: work-item 0 (local 0 of work-group 0) read it
      %v = memref.load %x[%next] : memref<?xf32>
  ... and 2 more like this

@shift: 1 fault found"""
    )
