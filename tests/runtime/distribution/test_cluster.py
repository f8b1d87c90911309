"""Launches over chunks on several processes, one of which is killed."""

# pyright: basic

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.runtime.distribution.chunkings import LARGER, check, cluster

pytest.importorskip("distributed", reason="clusters need xdsl-spmd[dask]")

CHUNKINGS = 3


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_results_survive_a_worker(tmp_path: Any):
    with cluster(str(tmp_path)) as client:
        for name in LARGER:
            check(name, CHUNKINGS, client)
