"""
One thread, medians of one run: `vectorize`, `spmd-to-loops` alone, and NumPy.

Run as a process with an example's name; prints seconds as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from common import load_example, medians

LOOPS = {"vectorize": False}


def measure(name: str, *, budget: float = 1.0) -> dict[str, float]:
    """Seconds of the three forms of an example on its real size."""
    example = load_example(name)
    launch = example.launch()
    expected = example.expected(launch)
    bound: dict[str, Callable[[], object]] = {}
    # All forms work on the same arrays: the memory is the same for all.
    arguments = launch.copy()
    for form, options in (("vectorize", {}), ("loops", LOOPS)):
        kernel = example.compile(**options)
        size = launch.global_size
        mine = launch.copy()
        kernel(*mine, global_size=size, threads=1)
        example.check(launch, mine, expected)
        bound[form] = kernel.bind(*arguments, global_size=size, threads=1)
    bound["numpy"] = lambda: example.with_numpy(*arguments)
    return medians(bound, budget=budget)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
