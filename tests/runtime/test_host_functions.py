"""Host functions from Python: called like kernels, without sizes."""

from __future__ import annotations

import re
import sys
import threading
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.tools.spmd_run import main

SOURCE = """
spmd.kernel @add(%a: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %w = arith.addi %v, %a : i32
  memref.store %w, %y[%i] : memref<?xi32>
  spmd.return
}
spmd.kernel @rows(%x: memref<?xi32> {spmd.noalias}, %y: memref<?xi32>,
    %tile: memref<?xi32, #spmd.memory<local>>) attributes {work_group_size = array<i64: 4, 2>} {
  %c7 = arith.constant 7 : i32
  %i = spmd.global_id x
  memref.store %c7, %y[%i] : memref<?xi32>
  spmd.return
}
func.func @twice(%a: i32, %x: memref<?xi32>, %y: memref<?xi32>, %n: index, %e: index) {
  spmd.launch @add global(%n) of(%e) (%a, %x, %y) : i32, memref<?xi32>, memref<?xi32>
  spmd.launch @add global(%n) of(%e) (%a, %y, %y) : i32, memref<?xi32>, memref<?xi32>
  func.return
}
func.func @all_rows(%x: memref<?xi32>, %y: memref<?xi32>, %g: index, %e: index, %l: index) -> i32 {
  %c0 = arith.constant 0 : index
  spmd.launch @rows groups(%g) of(%e, %e) (%x, %y, local(%l))
    : memref<?xi32>, memref<?xi32>, memref<?xi32, #spmd.memory<local>>
  %v = memref.load %y[%c0] : memref<?xi32>
  func.return %v : i32
}
func.func @checked(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %some = arith.cmpi sgt, %n, %c0 : index
  cf.assert %some, "expected something to do"
  spmd.launch @add global(%n) of(%n) (%c1, %x, %x) : i32, memref<?xi32>, memref<?xi32>
  func.return
}
func.func private @hidden(%n: index, %x: memref<?xi32>) {
  %c1 = arith.constant 1 : i32
  spmd.launch @add global(%n) of(%n) (%c1, %x, %x) : i32, memref<?xi32>, memref<?xi32>
  func.return
}
func.func @last(%n: index, %x: memref<?xi32>) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  spmd.launch @add global(%n) of(%n) (%c0, %x, %x) : i32, memref<?xi32>, memref<?xi32>
  %end = arith.subi %n, %c1 : index
  %v = memref.load %x[%end] : memref<?xi32>
  func.return %v : i32
}
func.func @plain(%n: index) {
  func.return
}
"""


@pytest.fixture(scope="module")
def program() -> spmd.Program:
    return spmd.compile(SOURCE)


def some(n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(n, dtype=np.int32), np.zeros(n, np.int32)


def test_a_program_lists_what_can_be_called(program: spmd.Program):
    functions = ["twice", "all_rows", "checked", "last", "plain"]
    assert list(program) == ["add", "rows", *functions]
    assert list(program.kernels) == ["add", "rows"]
    assert list(program.host_functions) == functions
    assert program["twice"] is program.host_functions["twice"]
    assert "twice(%a: i32, %x: memref<?xi32>" in repr(program["twice"])
    assert program["plain"](3) is None
    with pytest.raises(spmd.CompileError, match=r"expected one of .*twice"):
        program["hidden"]


def test_launches_run_in_order(program: spmd.Program):
    x, y = some()
    program.host_functions["twice"](3, x, y, 20, 8)
    assert (y == x + 6).all()


def test_what_a_loop_launches_again_is_prepared_once(
    program: spmd.Program, monkeypatch: pytest.MonkeyPatch
):
    prepared: list[Any] = []
    prepare = spmd.Kernel.prepare

    def counted(*args: Any) -> Any:
        prepared.append(args)
        return prepare(*args)

    monkeypatch.setattr(spmd.Kernel, "prepare", counted)
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    call = program["twice"].bind(1, x, y, 8, 4)
    for step in range(5):
        x += 1
        call()
        np.testing.assert_array_equal(y, np.arange(8) + step + 3)
    assert len(prepared) == 2
    # Launches that are kept are forgotten some time; others are never taken for them.
    for a in range(100):
        program["twice"](a, x, y, 8, 4)
        np.testing.assert_array_equal(y, x + 2 * a)
    assert len(prepared) == 2 + 2 * 99


def test_a_bound_call_sees_new_contents(program: spmd.Program):
    x, y = some()
    call = program.host_functions["twice"].bind(3, x, y, 20, 8, threads=2)
    assert isinstance(call, spmd.HostCall)
    call()
    x[:] = 1
    call()
    assert (y == 7).all()


def test_sizes_of_zero_do_nothing(program: spmd.Program):
    x, y = some()
    program.host_functions["twice"](3, x, y, 0, 8)
    assert not y.any()


def test_a_read_only_array_is_fine_where_no_kernel_writes(program: spmd.Program):
    x, y = some()
    x.setflags(write=False)
    program.host_functions["twice"](3, x, y, 20, 8)
    with pytest.raises(spmd.LaunchError, match=r"argument 2 \(%y\): .*read-only"):
        program.host_functions["twice"](3, y, x, 20, 8)


WRONG_CALLS: list[tuple[dict[str, Any], str]] = [
    (
        {"n": -1},
        "add: expected global_size with one to three numbers of at least 0, got",
    ),
    ({"e": 0}, "add: expected group_size with one to three numbers of at least 1, got"),
    ({"e": 20000}, "add: expected a group_size of at most 16384 work-items, got 20000"),
    (
        {"n": 1 << 62},
        "add: expected a global_size of at most 281474976710656 work-items",
    ),
]


@pytest.mark.parametrize(("given", "message"), WRONG_CALLS)
def test_wrong_sizes_stop_the_function(
    program: spmd.Program, given: dict[str, int], message: str
):
    x, y = some()
    sizes = {"n": 20, "e": 8, **given}
    with pytest.raises(spmd.LaunchError) as caught:
        program.host_functions["twice"](3, x, y, sizes["n"], sizes["e"])
    start = re.escape("twice: the launch at <string>:17:3: " + message)
    assert re.match(start, str(caught.value))
    assert not y.any()


@pytest.mark.parametrize(
    ("g", "e", "length", "message"),
    [
        (-1, 4, 8, "rows: expected numbers of groups of at least 0, got (-1,)"),
        (1, 4, 8, "rows: expected the group_size (4, 2) that the kernel's work_group"),
        (1, 2, -8, "rows: argument 2 (%tile): expected sizes of at least 0 for local"),
        (1, 2, 1 << 20, "rows: expected at most 1048576 bytes of local memory in a"),
    ],
)
def test_wrong_groups_and_local_memory_stop_the_function(
    program: spmd.Program, g: int, e: int, length: int, message: str
):
    x, y = some()
    with pytest.raises(spmd.LaunchError) as caught:
        program.host_functions["all_rows"](x, y, g, e, length)
    assert message in str(caught.value)
    assert not y.any()


def test_arrays_of_a_launch_must_not_overlap_where_the_kernel_says_so():
    text = SOURCE.replace("of(%e, %e)", "")
    all_rows = spmd.compile(text).host_functions["all_rows"]
    x, y = some()
    assert all_rows(x, y, 2, 0, 8) == 7
    with pytest.raises(spmd.LaunchError, match=r"all_rows: .*rows: .*do not overlap"):
        all_rows(y[1:], y[:-1], 2, 0, 8)
    assert all_rows(y[10:], y[:10], 2, 0, 8) == 7


def test_an_assertion_of_the_function_is_an_error(program: spmd.Program):
    x, _ = some()
    program.host_functions["checked"](20, x)
    with pytest.raises(spmd.LaunchError, match=r"checked: .*expected something to do"):
        program.host_functions["checked"](0, x)
    assert (x == np.arange(20) + 1).all()


def test_wrong_arguments(program: spmd.Program):
    x, y = some()
    twice = program.host_functions["twice"]
    with pytest.raises(spmd.LaunchError, match="twice: expected 5 arguments"):
        twice(3, x, y)
    with pytest.raises(spmd.LaunchError, match=r"twice: argument 1 \(%x\): .*int32"):
        twice(3, x.astype(np.float32), y, 20, 8)
    with pytest.raises(
        spmd.LaunchError, match="twice: expected no global_size, because"
    ):
        twice(3, x, y, 20, 8, global_size=20)
    with pytest.raises(
        spmd.LaunchError, match="twice: expected no group_size, because"
    ):
        twice(3, x, y, 20, 8, group_size=20)
    with pytest.raises(spmd.LaunchError, match="twice: expected threads as a whole"):
        twice(3, x, y, 20, 8, threads=0)


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("(%v: vector<4xf32>)", "argument 0: expected index, i1, i8"),
        ("(%x: memref<?xf32, #spmd.memory<local>>)", "in global memory, got memref"),
    ],
)
def test_arguments_that_no_array_fits_are_errors(signature: str, message: str):
    source = f"""
spmd.kernel @k() attributes {{work_group_size = array<i64: 8>}} {{
  spmd.return
}}
func.func @host{signature} {{
  %c1 = arith.constant 1 : index
  spmd.launch @k groups(%c1) ()
  func.return
}}"""
    with pytest.raises(spmd.CompileError, match=re.escape(message)):
        spmd.compile(source)


def test_several_threads_may_call_at_once(program: spmd.Program):
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(20):
                x, y = some()
                program.host_functions["twice"](number, x, y, 20, 8)
                assert (y == x + 2 * number).all()
                with pytest.raises(spmd.LaunchError):
                    program.host_functions["twice"](number, x, y, -number - 1, 8)
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not errors


def test_several_threads_may_run_one_bound_call(program: spmd.Program):
    x, _ = some()
    last = program.host_functions["last"].bind(20, x)
    checked = program.host_functions["checked"].bind(-1, x)
    results: set[object] = set()

    def work() -> None:
        for _ in range(500):
            results.add(last())
            try:
                results.add(checked())
            except spmd.LaunchError as error:
                results.add("expected something to do" in str(error))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == {19, True}


def test_stages_of_a_host_function(program: spmd.Program):
    twice = program.host_functions["twice"]
    names = [name for name, _ in twice.stages()]
    assert names[0] == "launches-to-calls"
    assert names[-1] == "spmd-llvm"
    assert "spmd_launch" in twice.ir("launches-to-calls")
    assert "spmd_launch" in twice.assembly()


def test_spmd_run_of_a_host_function(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "host.mlir"
    file.write_text(SOURCE.replace("of(%e, %e)", ""))
    arrays = ["--arg", "range:i32[4]", "--arg", "zeros:i32[8]"]
    run = [str(file), "--kernel", "all_rows", *arrays]
    assert main([*run, "--arg", "2", "--arg", "0", "--arg", "8"]) == 0
    printed = capsys.readouterr().out
    assert "%y: i32[8]" in printed
    assert "result: 7" in printed
    monkeypatch.setattr(sys, "stdin", None)
    assert main([*run, "--arg", "2", "--arg", "0", "--arg", "8", "--check"]) == 0
    assert "@all_rows: no fault found" in capsys.readouterr().out
    assert main([*run, *arrays[:2], "--global-size", "4"]) == 1
    assert "expected no global_size" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([str(file), "--kernel", "add"])
    assert "expected --global-size" in capsys.readouterr().err
    assert main([str(file), "--kernel", "twice", "--print-after", "spmd-to-loops"]) == 0
    assert "func.call @spmd_launch" in capsys.readouterr().out
