"""Launches over chunks on several processes, one of which is killed."""

# pyright: basic

from __future__ import annotations

import os
import random
import signal
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tests.examples.test_examples import EXAMPLES, load

pytest.importorskip("distributed", reason="clusters need xdsl-spmd[dask]")

LARGER = load(EXAMPLES / "11_larger.py").EXAMPLES
CHUNKINGS = 3


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_results_survive_a_worker(tmp_path: Any):
    distributed: Any = import_module("distributed")
    da: Any = import_module("dask.array")
    settings = {"distributed.worker.use-file-locking": False}
    import_module("dask").config.set(settings)
    choose = random.Random(0)
    with (
        distributed.LocalCluster(
            n_workers=4,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=str(tmp_path),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids: list[int] = list(client.run(os.getpid).values())
        for name, example in LARGER.items():
            arrays = example.make(60)
            expected = example.alone(arrays)
            for number in range(CHUNKINGS):
                chunked = {
                    key: da.from_array(
                        value,
                        chunks=tuple(choose.randrange(8, n + 1) for n in value.shape),
                    )
                    if isinstance(value, np.ndarray)
                    else value
                    for key, value in arrays.items()
                }
                future = client.compute(example.in_chunks(arrays, chunked))
                if name == "heat" and number == 1:
                    os.kill(pids[0], signal.SIGKILL)
                result = future.result(timeout=60)
                np.testing.assert_array_equal(result, expected, err_msg=name)
