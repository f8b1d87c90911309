"""Random kernels written in the `gpu` dialect, which become kernels again."""

from __future__ import annotations

import re

from spmd.passes.frontends.convert_gpu_to_spmd import ConvertGpuToSpmdPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import check_native, expected, make, parsed, run_module
from tests.execution.harness.comparing import assert_same
from tests.fuzz.properties import may_be_refused
from tests.fuzz.writing.programs import Kernel

_WORDS = (
    (r"spmd\.local_id\b", "gpu.thread_id"),
    (r"spmd\.group_id\b", "gpu.block_id"),
    (r"spmd\.global_id\b", "gpu.global_id"),
    (r"spmd\.num_groups\b", "gpu.grid_dim"),
    (r"spmd\.enqueued_local_size\b", "gpu.block_dim"),
    (r"spmd\.lane_id\b", "gpu.lane_id"),
    (r"spmd\.(?:num_sub_groups)\b", "gpu.num_subgroups : index"),
    (r"spmd\.sub_group_size\b", "gpu.subgroup_size : index"),
    (r"spmd\.barrier$", "gpu.barrier"),
    (r"spmd\.return\b", "gpu.return"),
    (
        r"spmd\.reduce (\w+) (%\w+) across work_group : (\S+)",
        r"gpu.all_reduce \1 \2 {} : (\3) -> \3",
    ),
    (
        r"spmd\.reduce (\w+) (%\w+) across sub_group : (\S+)",
        r"gpu.subgroup_reduce \1 \2 : (\3) -> \3",
    ),
    (r"spmd\.ballot (%\w+) : i64", r"gpu.ballot \1 : i64"),
    (r"spmd\.local_alloc :", "memref.alloc() :"),
    (r"#spmd\.memory<local>", "#gpu.address_space<workgroup>"),
)
_HEAD = re.compile(r"spmd\.kernel @fuzz\((.*)\)(?: attributes \{(.*)\})? \{")


def written_for_gpus(source: str) -> str:
    """The kernel `@fuzz`, and what it calls, in a `gpu.module`; the rest stays as it is."""
    for old, new in _WORDS:
        source = re.sub(old, new, source, flags=re.MULTILINE)
    head = _HEAD.search(source)
    assert head is not None
    size = re.search(r"work_group_size = array<i64: ([\d, ]+)>", head[2] or "")
    fixed = ""
    if size is not None:
        x, y, z, *_ = (*map(int, size[1].split(",")), 1, 1)
        fixed = f" attributes {{gpu.known_block_size = array<i32: {x}, {y}, {z}>}}"
    new = f"gpu.func @fuzz({head[1]}) kernel{fixed} {{"
    return f"gpu.module @m {{\n{source.replace(head[0], new)}}}\n"


def check_as_gpu(kernel: Kernel, number: int) -> None:
    """What comes back does the same, in the interpreter or as native code."""
    lanes = re.search(r"sub_group_size = (\d+) : i64", kernel.source)
    module = parsed(written_for_gpus(kernel.source))
    pass_ = ConvertGpuToSpmdPass(sub_group_size=int(lanes[1]) if lanes else 32)
    pass_.apply(make_context(), module)
    if number % 3 == 0:
        wanted = expected(kernel.source, kernel.arguments, kernel.launch)
        got = make(kernel.arguments, kernel.launch)
        run_module(module, "fuzz", got, kernel.launch)
        assert_same(got, wanted, kernel.tolerance, "written for GPUs")
        return
    with may_be_refused(kernel):
        check_native(
            str(module), kernel.arguments, kernel.launch, tolerance=kernel.tolerance
        )
