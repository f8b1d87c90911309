"""`make bench ONLY=probes`: which kernels are as fast as a better form of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import spmd
from benchmarks.measuring.machine import pin_to_idlest
from benchmarks.probes.probe import BUDGET, AnyProbe, probes
from benchmarks.systems.system import Missing

HEADER = ("probe", "ours", "better", "ratio", "limit", "", "better form")
ROW = "{:17} {:>12} {:>12} {:>6} {:>6}  {:12}  {}"


def asked(probe: AnyProbe, budget: float) -> dict[str, Any]:
    """What a probe shows, as JSON; one that is refused or wrong falls short."""
    found: dict[str, Any] = {
        "shows": probe.shows,
        "better form": probe.better_form,
        "limit": probe.limit,
        "ratio": None,
    }
    try:
        verdict = probe.measure(budget)
    except Missing as reason:
        return {**found, "verdict": "skipped", "why": f"needs {reason}"}
    except (spmd.CompileError, spmd.LaunchError, ArithmeticError) as error:
        why = str(error).splitlines()[0]
        return {**found, "verdict": "falls short", "why": why}
    holds = verdict.ratio <= probe.limit
    return {
        **found,
        **verdict._asdict(),
        "verdict": "holds" if holds else "falls short",
    }


def shown(name: str, found: Mapping[str, Any]) -> str:
    """One row of the table."""
    ratio = "-" if found["ratio"] is None else f"{found['ratio']:.2f}"
    times = (found.get("ours", ""), found.get("better", ""))
    last = found.get("why", found["better form"])
    return ROW.format(name, *times, ratio, found["limit"], found["verdict"], last)


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 1 if a probe falls short."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["*"], help="names or patterns")
    parser.add_argument("--json", type=Path, help="gets the numbers")
    parser.add_argument(
        "--budget", type=float, default=BUDGET, help="seconds of a probe"
    )
    options = parser.parse_args(arguments)
    pin_to_idlest()
    results: dict[str, dict[str, Any]] = {}
    print(ROW.format(*HEADER))
    for name, probe in probes().items():
        if any(fnmatch(name, pattern) for pattern in options.names):
            results[name] = asked(probe, options.budget)
            print(shown(name, results[name]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    verdicts = Counter(found["verdict"] for found in results.values())
    short = verdicts["falls short"]
    print(
        f"{verdicts['holds']} hold, {short} fall short, {verdicts['skipped']} skipped"
    )
    return int(short > 0)


if __name__ == "__main__":
    sys.exit(main())
