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
    for form, options in (("vectorize", {}), ("loops", LOOPS)):
        arguments = launch.copy()
        kernel = example.compile(**options)
        call = kernel.bind(*arguments, global_size=launch.global_size, threads=1)
        call()
        example.check(launch, arguments, expected)
        bound[form] = call
    mine = launch.copy()
    bound["numpy"] = lambda: example.with_numpy(*mine)
    return medians(bound, budget=budget)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
