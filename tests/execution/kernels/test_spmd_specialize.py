"""A kernel with a fixed work-group size computes what it computes without."""

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
