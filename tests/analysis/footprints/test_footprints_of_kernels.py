"""Every kernel of the tests and benchmarks: footprints are sound, and exact but for a few."""

from __future__ import annotations

import pytest

import spmd
from benchmarks.suite.case import benchmarks
from spmd.dialects.spmd import AtomicKind
from spmd.runtime.kernel import Kernel
from tests.analysis.footprints.traced import check_footprints, trace
from tests.execution.cases import CASES, Case
from tests.execution.harness import kernel_name, make, parsed
from tests.runtime.distribution.chunkings import LARGER

LOOSE = {
    # Data decides which elements, or whether they are accessed at all.
    "if_nested": "y",
    "do_while": "y",
    "loops_divergent_nested": "x",
    "index_switch": "y",
    "if_in_loop": "y",
    "blocks": "x",
    "uniform_private_under_mask": "x out",
    "uniform_by_ranges": "x",
    "last_group": "sums total",
    "butterflies": "x y",
    "columns": "y",
    "gather_scatter": "x y",
    "sparse_rows": "column value x",
    # Vectors of elements.
    "vector_values": "x",
    # Some ids are left out, which ones follows from a division.
    "loop_in_if": "x",
    "barriers_in_a_row": "y",
}
"""The arrays of which the bounds are not known to be exact."""


def names(kernel: Kernel, loose: set[tuple[int, str]]) -> set[str]:
    """The names of arguments."""
    return {kernel.parameters[argument].name or "" for argument, _ in loose}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_footprints_are_those_of_the_interpreter(case: Case):
    module = parsed(case.source)
    kernel = spmd.compile(case.source)[kernel_name(module)]
    assert isinstance(kernel, Kernel)
    loose: set[tuple[int, str]] = set()
    for launch in case.launches[-2:]:
        args = make(case.arguments, launch)
        sizes = launch.global_size, launch.group_size
        found = kernel.footprints_in(*args, global_size=sizes[0], group_size=sizes[1])
        loose |= check_footprints(found, trace(module, kernel.name, args, *sizes), args)
    assert names(kernel, loose) == set(LOOSE.get(case.name, "").split())


@pytest.mark.parametrize("used", [False, True])
def test_updates_with_results_that_are_used_combine_nothing(used: bool):
    kernel = spmd.compile(f"""
    spmd.kernel @tickets(%counter: memref<i32>, %ticket: memref<?xi32>) {{
      %one = arith.constant 1 : i32
      %i = spmd.global_id x
      %mine = spmd.atomic_rmw add %one, %counter[] : memref<i32>
      memref.store {"%mine" if used else "%one"}, %ticket[%i] : memref<?xi32>
      spmd.return
    }}
    """)["tickets"]
    assert isinstance(kernel, Kernel)
    assert kernel.footprints().reduction(0) is (None if used else AtomicKind.ADD)


SUITE_LOOSE = {
    "tree_cf": "left label right",
    "tree_scf": "left label right",
    "kdtree": "px py",
    "point_correlation": "px py",
    "xsbench": "mat_start mat_nuclide mat_density grid index xs nuclide_energy",
    "floyd_warshall": "distance path",
    # A distance that is halved from round to round.
    "bitonic_sort": "a",
    "bitonic_local": "a",
    "fast_walsh": "a",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", benchmarks())
def test_footprints_of_the_benchmarks(name: str):
    case = benchmarks()[name].case(small=True)
    text = case.mlir_text()
    module, program = parsed(text), spmd.compile(text)
    arrays = {name: array.copy() for name, array in case.arrays.items()}
    loose: set[str] = set()
    for launch in {each.kernel: each for each in case.launches}.values():
        kernel = program.kernels[launch.kernel]
        args = [
            arrays[given].reshape(-1) if isinstance(given, str) else given
            for given in launch.arguments
        ]
        sizes = launch.global_size, launch.group_size
        found = kernel.footprints_in(*args, global_size=sizes[0], group_size=sizes[1])
        traces = trace(module, kernel.name, args, *sizes)
        loose |= names(kernel, check_footprints(found, traces, args))
    assert loose == set(SUITE_LOOSE.get(name, "").split())


EXAMPLES_LOOSE = {"life": "board", "histogram": "counts"}


@pytest.mark.parametrize("name", LARGER)
def test_footprints_of_launches_over_chunks(name: str):
    example = LARGER[name]
    arrays = example.make(24)
    kernel, args = example.kernel.specialised(tuple(arrays.values()), {})
    (_, text), *_ = kernel.stages()
    sizes = example.size(arrays), example.groups
    found = kernel.footprints_in(*args, global_size=sizes[0], group_size=sizes[1])
    traces = trace(parsed(text), kernel.name, args, *sizes)
    loose = names(kernel, check_footprints(found, traces, args))
    assert loose == set(EXAMPLES_LOOSE.get(name, "").split())
