"""Full groups and partial ones run different functions, with one result."""

from typing import Any

import pytest
from xdsl.dialects import func

from spmd.passes.kernels.version_full_groups import VersionFullGroupsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from tests.execution.harness import Launch, Maker, check_passes

KERNEL = """
spmd.kernel @sizes(%x: memref<?xindex>) attributes {work_group_size = array<i64: 16>} {
  %i = spmd.global_id x
  %size = spmd.local_size x
  memref.store %size, %x[%i] : memref<?xindex>
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.zeros("index", make.n)]


@pytest.mark.parametrize("size", [16, 64, 15, 17, 1])
def test_the_version_fits_the_group(size: int):
    launch = Launch((size,), (16,))
    module = check_passes(KERNEL, arguments, (launch,), VersionFullGroupsPass())
    assert len(module.ops) == 2
    module = check_passes(
        KERNEL, arguments, (launch,), SpmdToLoopsPass(), skip=("split-at-barriers",)
    )
    names = [op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)]
    assert names == ["sizes", "sizes.full"]
