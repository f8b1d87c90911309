"""`lanes-to-loops` keeps what control flow of a sub-group computes."""

import pytest

from spmd.passes.lane_loops.lanes_to_loops import LanesToLoopsPass
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.cases import CASES, Case
from tests.execution.harness import check_passes

NAMES = (
    "bubble_sort",
    "do_while",
    "escape_time",
    "for_divergent",
    "if_nested",
    "index_switch",
    "loops_divergent_nested",
    "private_in_loop",
    "sparse_rows",
)


@pytest.mark.parametrize("case", [c for c in CASES if c.name in NAMES], ids=str)
def test_it_keeps_the_meaning(case: Case):
    """Also of kernels that have no sub-group operation."""
    check_passes(
        case.source,
        case.arguments,
        (case.launches[-1],),
        SpmdToLoopsPass(),
        FormSubGroupsPass(width=8),
        MaskDivergencePass(),
        LanesToLoopsPass(),
        tolerance=case.tolerance,
    )
