"""Many processes on one cache, some of which die."""

import pytest

from tests.runtime.cache.stampede import run


@pytest.mark.slow
def test_processes_that_die_leave_a_whole_cache():
    assert run(processes=6, seed=1) >= 3
