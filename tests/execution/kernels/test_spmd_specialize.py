"""A kernel with a fixed work-group size computes what it computes without."""

import numpy as np
import pytest

from spmd.dialects.diagnostics import KernelError
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.harness import LINES, PLANES, Launch, check_passes
from tests.execution.kernels.test_hoist_ids import arguments, kernel

ONE = "spmd.kernel @one() attributes {work_group_size = array<i64: 8>} { spmd.return }"
ANY = "spmd.kernel @any() { spmd.return }"


@pytest.mark.parametrize("launch", [*LINES, *PLANES], ids=str)
def test_any_group(launch: Launch):
    specialize = SpmdSpecializePass(work_group_size=launch.group_size)
    check_passes(
        kernel(),
        arguments,
        (launch,),
        specialize,
        SpmdToLoopsPass(),
        skip=("split-at-barriers",),
    )


def test_full_groups():
    launch = Launch((64, 6), (16, 2))
    specialize = SpmdSpecializePass(work_group_size=(16, 2), full_groups=True)
    check_passes(
        kernel(),
        arguments,
        (launch,),
        specialize,
        SpmdToLoopsPass(),
        skip=("split-at-barriers",),
    )


@pytest.mark.parametrize(
    ("source", "pass_", "message"),
    [
        (ONE, SpmdSpecializePass((4,)), "expected the work-group size 8 x 1 x 1 that"),
        (ANY, SpmdSpecializePass((4, 0)), "one to three positive sizes, got 4,0"),
        (ANY, SpmdSpecializePass((1, 1, 1, 1)), "one to three positive sizes"),
        (
            ANY,
            SpmdSpecializePass(full_groups=True),
            "expected the option work-group-size",
        ),
        (
            ANY,
            SpmdSpecializePass((4,), kernel="no"),
            r"a kernel of the module \(@any\)",
        ),
    ],
)
def test_contradictions(source: str, pass_: SpmdSpecializePass, message: str):
    module = parse(SourceText("kernel.mlir", source))
    with pytest.raises(KernelError, match=message):
        pass_.apply(make_context(), module)


NUMBERS = """
spmd.kernel @numbers(%n: index, %a: f32, %0: i1, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %start = memref.load %x[%i] : memref<?xf32>
  %sum = scf.for %t = %c0 to %n step %c1 iter_args(%s = %start) -> (f32) {
    %next = arith.addf %s, %a : f32
    scf.yield %next : f32
  }
  %either = arith.select %0, %sum, %start : f32
  memref.store %either, %x[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.mark.parametrize("size", [(), (8,)], ids=["any-size", "fixed-size"])
def test_constants(size: tuple[int, ...]):
    check_passes(
        NUMBERS,
        lambda make: [5, np.float32(-0.3), True, make.random("f32", make.n)],
        (Launch((21,), (8,)),),
        SpmdSpecializePass(size, constants=("n=5", f"a={np.float32(-0.3)}", "2=1")),
        SpmdToLoopsPass(),
    )


@pytest.mark.parametrize(
    ("constant", "message"),
    [
        ("x=1", r"scalar arguments of @numbers \(n, a, 2\), got x"),
        ("3=1", r"scalar arguments of @numbers \(n, a, 2\), got 3"),
        ("n=2.5", "a number of type index for the argument n .* got 2.5"),
        ("2=2", "a number of type i1 for the argument 2 .* got 2"),
        ("n", "a number of type index for the argument n .* got none"),
    ],
)
def test_constants_that_are_none(constant: str, message: str):
    module = parse(SourceText("kernel.mlir", NUMBERS))
    with pytest.raises(KernelError, match=message):
        SpmdSpecializePass(constants=(constant,)).apply(make_context(), module)
