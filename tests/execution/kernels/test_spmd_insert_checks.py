"""Checked code says what the interpreter says, does nothing else, and checks no more."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.dialects.spmd import FailOp
from spmd.passes.kernels.spmd_insert_checks import SpmdInsertChecksPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.reference.errors import UndefinedBehavior
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    LINES,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
    run_module,
)
from tests.execution.kernels.faulty_kernels import FAULTS, GROUP, SIZE, WHO, Faulty
from tests.execution.kernels.faulty_views import VIEWS
from tests.execution.kernels.undefined_kernels import RULED_OUT, UNDEFINED

FORMS: tuple[dict[str, Any], ...] = (
    {"vectorize": False},
    {"vectorize": False, "specialize": False},
    {"strategy": "continuations", "width": 4},
    {"width": 1},
    {"width": 8},
    {"width": 64},
)

LAUNCH = Launch((SIZE,), (GROUP,))

TITLE = "access out of bounds"

ALL = FAULTS | VIEWS | UNDEFINED
EACH = pytest.mark.parametrize("faulty", ALL.values(), ids=list(ALL))


def said(faulty: Faulty) -> str:
    """The end of the message."""
    who = "" if " in work-item" in faulty.says else f" {WHO}"
    return f"kernel.mlir:{faulty.line}:{faulty.column}: {faulty.says}{who}"


@EACH
@pytest.mark.parametrize("options", FORMS, ids=str)
def test_native_code_says_what_is_wrong(faulty: Faulty, options: dict[str, Any]):
    kernel = spmd.compile(parsed(faulty.source), checked=True, **options)["k"]
    with pytest.raises(spmd.LaunchError) as error:
        kernel(*faulty.make(), global_size=SIZE, group_size=GROUP, threads=1)
    assert str(error.value).startswith(f"k: {said(faulty)}")


BY_ALL = {name: faulty for name, faulty in ALL.items() if "%at_fault" in faulty.body}


@pytest.mark.parametrize("faulty", BY_ALL.values(), ids=list(BY_ALL))
@pytest.mark.parametrize("options", FORMS[::4], ids=str)
def test_native_code_says_what_is_wrong_for_all(
    faulty: Faulty, options: dict[str, Any]
):
    """What is the same in all work-items may run once per group, but not before its check."""
    here = "arith.cmpi eq, %i, %last : index"
    source = faulty.source.replace(here, "arith.constant true")
    kernel = spmd.compile(source, checked=True, **options)["k"]
    with pytest.raises(spmd.LaunchError, match=rf":{faulty.line}:\d+: ") as error:
        kernel(*faulty.make(), global_size=SIZE, group_size=GROUP, timeout=20)
    kind, op = (
        re.split(r"[:\[]", faulty.says)[0],
        re.findall(r"\[\w+\.\w+\]", faulty.says),
    )
    assert kind.strip() in str(error.value)
    assert op[-1] in str(error.value)


@pytest.mark.parametrize("faulty", RULED_OUT.values(), ids=list(RULED_OUT))
def test_floats_that_flags_rule_out_are_computed(faulty: Faulty):
    strict = re.sub(r" fastmath<.*?>", "", faulty.source)
    results: list[np.ndarray] = []
    for source, checked in ((strict, False), (faulty.source, True)):
        (x,) = faulty.make()
        kernel = spmd.compile(parsed(source), checked=checked)["k"]
        kernel(x, global_size=SIZE, group_size=GROUP)
        results.append(x)
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize(
    "faulty", [*ALL.values(), *RULED_OUT.values()], ids=[*ALL, *RULED_OUT]
)
def test_the_checker_finds_the_same(faulty: Faulty):
    report = spmd.check(
        parsed(faulty.source), *faulty.make(), global_size=SIZE, group_size=GROUP
    )
    (finding,) = report.errors
    assert faulty.finding in str(finding)
    if faulty.finding == TITLE:
        assert faulty.says.startswith(f"{TITLE}: {finding.message} [")
    assert f":{faulty.line}:{faulty.column}" in str(finding)


@EACH
def test_every_level_fails_with_the_same_words(faulty: Faulty):
    module = parsed(faulty.source).clone()
    context = make_context()
    steps = (*SpmdToLoopsPass(checked=True).passes(), *VectorizePass(width=4).passes())
    names = [step.name for step in steps]
    # Under masks, lanes in lock step do what others must not have tried to.
    for step in steps[: names.index("mask-divergence")]:
        step.apply(context, module)
        if names.index(step.name) < names.index("spmd-insert-checks"):
            continue
        with pytest.raises(UndefinedBehavior) as error:
            run_module(module, "k", list(faulty.make()), LAUNCH)
        assert faulty.says in str(error.value), step.name


def test_who_speaks_does_not_depend_on_the_order_of_checks():
    """Threads: one failure is told, whoever comes first."""
    source = FAULTS["load"].source
    kernel = spmd.compile(source, checked=True)["k"]
    x = np.zeros(8, np.int32)
    for _ in range(20):
        with pytest.raises(spmd.LaunchError, match=r"access out of bounds: \[\d+\] of"):
            kernel(x, global_size=1 << 14, group_size=64, threads=2)


LEGAL = """
spmd.kernel @legal(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : i32
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi32>
  %in = arith.cmpi ult, %i, %n : index
  scf.if %in {
    %v = memref.load %x[%i] : memref<?xi32>
    %small = arith.cmpi ult, %v, %c32 : i32
    %shifted = arith.shli %v, %v : i32
    %kept = arith.select %small, %shifted, %zero : i32
    memref.store %kept, %x[%i] : memref<?xi32>
    scf.for %k = %c0 to %n step %c1 {
      %w = memref.load %x[%k] : memref<?xi32>
      memref.store %w, %y[%i] : memref<?xi32>
      memref.store %v, %y[%i] : memref<?xi32>
    }
  }
  spmd.return
}
"""


def test_nothing_is_checked_that_is_known():
    module = parsed(LEGAL).clone()
    SpmdInsertChecksPass().apply(make_context(), module)
    checks = [op for op in module.walk() if isinstance(op, FailOp)]
    # The shift, for the choice that takes it, and the first store to y of two.
    assert [op.message.data.partition("[")[0] for op in checks] == [
        "a shift of 32 bits by the width or more: by {} ",
        "access out of bounds: ",
    ]


def arguments(make: Maker) -> list[Any]:
    return [make.integers("i32", 0, 40, make.n), make.zeros("i32", make.n)]


def test_legal_kernels_do_the_same():
    to_loops = SpmdToLoopsPass(checked=True)
    check_passes(LEGAL, arguments, LINES[2:4], to_loops, VectorizePass(width=4))
    for launch in LINES:
        for options in FORMS:
            check_native(LEGAL, arguments, launch, checked=True, **options)


PLANE = """
spmd.kernel @plane(%x: memref<?x?xi32>, %t: memref<?xi32, #spmd.memory<local>>) {
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %j = spmd.global_id y
  %l = spmd.local_id x
  memref.store %one, %t[%l] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  memref.store %one, %x[%j, %i] : memref<?x?xi32>
  spmd.return
}
func.func @host(%x: memref<?x?xi32>, %rows: index, %items: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  spmd.launch @plane global(%n, %rows) of(%c8, %c1) (%x, local(%items))
      : memref<?x?xi32>, memref<?xi32, #spmd.memory<local>>
  %v = memref.load %x[%rows, %c0] : memref<?x?xi32>
  func.return %v : i32
}
"""


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_planes_local_arguments_and_host_functions(options: dict[str, Any]):
    program = spmd.compile(PLANE, checked=True, **options)
    x = np.zeros((3, 20), np.int32)
    with pytest.raises(spmd.LaunchError) as error:
        program["plane"](
            x, spmd.local(8), global_size=(20, 4), group_size=(8, 2), threads=1
        )
    assert str(error.value) == (
        "plane: <string>:9:3: access out of bounds: [3, 0] of global memory %x of 3x20 "
        "elements [memref.store] in work-item (0, 3) (local (0, 1) of work-group (0, 1)); "
        "what it stored to %x stays"
    )
    with pytest.raises(spmd.LaunchError) as error:
        program.host_functions["host"](x, 2, 5, threads=1)
    assert str(error.value) == (
        "host: the launch at <string>:17:3: plane: <string>:7:3: access out of bounds: [5] "
        "of local memory %t of 5 elements [memref.store] in work-item (5, 0) (local (5, 0) "
        "of work-group (0, 0)); what it stored to %x stays"
    )
    with pytest.raises(spmd.LaunchError) as error:
        program.host_functions["host"](x, 3, 8, threads=1)
    assert str(error.value) == (
        "host: <string>:19:8: access out of bounds: [3, 0] of global memory %x of 3x20 "
        "elements [memref.load] in function @host; what it stored to %x stays"
    )
    assert program.host_functions["host"](x, 2, 8, threads=1) == 1
    assert x.all()


ALIGNED = """
spmd.kernel @k(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %i = spmd.global_id x
  %some = arith.cmpi slt, %i, %n : index
  scf.if %some {
    %a = memref.assume_alignment %x, 64 : memref<?xf32>
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("options", FORMS, ids=str)
def test_alignment_is_held_against_the_address(options: dict[str, Any]):
    kernel = spmd.compile(parsed(ALIGNED), checked=True, **options)["k"]
    memory = np.arange(200, dtype=np.float32)
    first = -memory.ctypes.data % 64 // 4
    aligned, later = memory[first : first + 64], memory[first + 1 : first + 65]
    y = np.zeros(64, np.float32)
    kernel(aligned, y, 64, global_size=64)
    assert (y == aligned).all()
    kernel(later, y, 0, global_size=64)
    says = (
        "aligned to 64 bytes, got global memory %x of 64 elements that begins 4 bytes"
    )
    with pytest.raises(spmd.LaunchError, match=says):
        kernel(later, y, 64, global_size=64)
