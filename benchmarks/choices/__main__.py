"""
What the compiler chose beside what it could have chosen, on every kernel of the benchmarks.

```sh
python -m benchmarks.choices                            # scalar code, lanes, and the choice
python -m benchmarks.choices --widths 'suite/*'         # each width, and the choice
python -m benchmarks.choices --target x86-64-v3         # as on a machine with AVX2
```

All run by turns in one process on the same arrays, on one thread; what is shown is the time of
the processor in the fastest run of the choice, and how many times that the others take. A choice
holds if it takes at most 1.05 times as long as scalar code, and 1.1 times as long as the best
width.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from time import perf_counter, process_time
from typing import Any

import spmd
from benchmarks.choices.work import Work, all_work
from benchmarks.measuring.machine import pin_to_idlest

Options = Mapping[str, Any]

FORMS: Mapping[str, Options] = {
    "scalar": {"vectorize": False},
    "lanes": {"without": ("form-sub-groups.by_cost",)},
}
WIDTHS: Mapping[str, Options] = {str(1 << k): {"width": 1 << k} for k in range(7)}

OF_SCALAR, OF_BEST_WIDTH = 1.05, 1.1
"""What is allowed of the time of scalar code, and of the best width."""

FEWEST, BUDGET, AGAIN = 7, 0.1, 3
"""Runs of each form, seconds of them; up to so many times while it falls short."""

LEAST = 1e-4
"""Seconds that are timed at once, unless a work has to be restored: a processor's clock is coarse."""


def measured(
    work: Work,
    forms: Mapping[str, Options],
    falls_short: Callable[..., bool],
    budget: float,
) -> dict[str, float]:
    """Seconds of the processor in the fastest run of each form."""
    runs = {name: work.bind(options) for name, options in forms.items()}
    best = dict.fromkeys(runs, float("inf"))
    times = 1 if work.restore is not None else _times(runs["chosen"])
    for _ in range(AGAIN):
        end, turn = perf_counter() + budget * len(runs), 0
        while turn < FEWEST or perf_counter() < end:
            for name, run in runs.items():
                if work.restore is not None:
                    work.restore()
                start = process_time()
                for _ in range(times):
                    run()
                best[name] = min(best[name], (process_time() - start) / times)
            turn += 1
        if not falls_short(best):
            break
    return best


def _times(run: Callable[[], object]) -> int:
    """How many runs take long enough to be timed."""
    run()
    start = perf_counter()
    run()
    return 1 + int(LEAST / max(perf_counter() - start, 1e-9))


def short_of_scalar(best: Mapping[str, float]) -> bool:
    """Whether the choice is slower than scalar code."""
    return best["chosen"] > OF_SCALAR * best["scalar"]


def short_of_widths(best: Mapping[str, float]) -> bool:
    """Whether another width is faster than the choice."""
    return best["chosen"] > OF_BEST_WIDTH * min(best.values())


def row(name: str, best: Mapping[str, float], short: bool) -> str:
    """One line: the time of the choice, and how many times that the others take."""
    chosen, *others = best.values()
    ratios = "".join(f"{other / chosen:8.2f}" for other in others)
    return f"{name:28}{chosen * 1e6:12.1f} us{ratios}{'  short' if short else ''}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 1 if a choice falls short."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choices")
    parser.add_argument("names", nargs="*", default=["*"], help="FOLDER/NAME, patterns")
    parser.add_argument("--widths", action="store_true", help="each width")
    parser.add_argument("--target", default="host", help="what code is made for")
    parser.add_argument(
        "--budget", type=float, default=BUDGET, help="seconds of a form"
    )
    options = parser.parse_args(arguments)
    forms: Mapping[str, Options] = WIDTHS if options.widths else FORMS
    falls_short = short_of_widths if options.widths else short_of_scalar
    target = {"target": options.target}
    asked = {"chosen": target, **{k: {**form, **target} for k, form in forms.items()}}
    pin_to_idlest()
    print(f"{'':28}{'chosen':>15}" + "".join(f"{name:>8}" for name in forms))
    found: list[bool] = []
    for name, make in all_work():
        if not any(fnmatch(name, pattern) for pattern in options.names):
            continue
        try:
            best = measured(make(), asked, falls_short, options.budget)
        except spmd.CompileError as error:
            print(f"{name:28}{str(error).splitlines()[0]}")
            continue
        found.append(falls_short(best))
        print(row(name, best, found[-1]), flush=True)
    print(f"{found.count(False)} hold, {found.count(True)} fall short")
    return int(any(found))


if __name__ == "__main__":
    sys.exit(main())
