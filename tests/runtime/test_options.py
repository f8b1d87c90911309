"""The options of `spmd.compile`."""

from typing import Any

import pytest

import spmd
from spmd.passes.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups_to_loops import SubGroupsToLoopsPass
from spmd.passes.vectorize import VectorizePass
from spmd.runtime.options import CompileOptions

KERNEL = "spmd.kernel @k() {\n  spmd.return\n}"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"width": 3}, r"'width': expected one of 'auto', 1, 2, 4, .* 64, got 3"),
        ({"width": 128}, "'width': expected one of .* got 128"),
        ({"width": True}, "'width': expected one of .* got True"),
        ({"width": 4.0}, "'width': expected one of .* got 4.0"),
        ({"strategy": "loops"}, "'strategy': expected one of 'auto', .* got 'loops'"),
        ({"strategy": None}, "'strategy': expected one of .* got None"),
        ({"target": "gpu"}, "'target': expected one of 'host', got 'gpu'"),
        ({"vectorize": 1}, "'vectorize': expected one of True, False, got 1"),
        ({"widht": 8}, "expected one of the options .*'widht'; did you mean 'width'"),
    ],
)
def test_wrong_option_lists_what_is_allowed(given: dict[str, Any], message: str):
    with pytest.raises(spmd.CompileError, match=message):
        spmd.compile(KERNEL, **given)


def test_options_choose_the_passes():
    assert CompileOptions(width=8).passes() == (
        SpmdToLoopsPass(),
        VectorizePass(width=8),
    )
    given = CompileOptions(
        vectorize=False, strategy="fission", divergent_barriers="allow"
    )
    assert given.passes() == (
        SpmdToLoopsPass(strategy="fission", divergent_barriers="allow"),
        SubGroupsToLoopsPass(),
    )
