"""
Every example over random chunks, on threads and on processes of which one is killed.

    python -m tests.runtime.distribution.chunkings 50

Prints how many chunkings of each gave, bit for bit, what a single launch gives.
"""

# pyright: basic

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from tests.examples.test_examples import EXAMPLES, load

LARGER = load(EXAMPLES / "11_larger.py").EXAMPLES


def cut(length: int, choose: random.Random) -> tuple[int, ...]:
    """Sizes of up to four chunks."""
    edges = sorted(
        {choose.randrange(1, length + 1) for _ in range(choose.randrange(4))}
    )
    ends = [0, *(edge for edge in edges if edge < length), length]
    return tuple(b - a for a, b in pairwise(ends))


def in_chunks(value: Any, choose: random.Random) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    sizes = tuple(cut(length, choose) for length in value.shape)
    return import_module("dask.array").from_array(value, chunks=sizes)


def check(name: str, count: int, client: Any = None) -> None:
    """So many chunkings of an example; on the workers of a client, one is killed meanwhile."""
    choose = random.Random(name)
    example = LARGER[name]
    arrays = example.make(41)
    expected = example.alone(arrays)
    for number in range(count):
        chunked = {key: in_chunks(value, choose) for key, value in arrays.items()}
        launched = example.in_chunks(arrays, chunked)
        if client is None:
            result = launched.compute(scheduler="threads")
        else:
            future = client.compute(launched)
            if number == count // 2:
                pids: list[int] = list(client.run(os.getpid).values())
                os.kill(pids[0], signal.SIGKILL)
            result = future.result(timeout=60)
        np.testing.assert_array_equal(result, expected, err_msg=name)


@contextmanager
def cluster(folder: str) -> Iterator[Any]:
    """A client of four processes."""
    distributed: Any = import_module("distributed")
    import_module("dask").config.set({"distributed.worker.use-file-locking": False})
    with (
        distributed.LocalCluster(
            n_workers=4,
            threads_per_worker=1,
            dashboard_address=None,
            local_directory=folder,
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def main(count: int) -> None:
    for name in LARGER:
        check(name, count)
        print(f"{name}: {count} chunkings on threads", flush=True)
    with tempfile.TemporaryDirectory() as folder, cluster(folder) as client:
        for name in LARGER:
            check(name, count, client)
            print(f"{name}: {count} chunkings on processes, one killed", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
