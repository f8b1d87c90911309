"""`make bench`: this project and its peers on the whole suite, side by side."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.measuring.limits import machine_limits
from benchmarks.measuring.turns import ROUNDS, measure
from benchmarks.probes.__main__ import main as ask_probes
from benchmarks.reporting.plot import draw
from benchmarks.reporting.results import OURS, Results, Work
from benchmarks.reporting.table import on_page, report
from benchmarks.suite.case import Benchmark, benchmarks
from benchmarks.systems import PEERS, SYSTEMS, WITHOUT
from benchmarks.systems.system import Missing

SETS = {"all": PEERS, "none": (), "ablation": WITHOUT}
"""What a word in PEERS stands for."""


def chosen(patterns: str) -> dict[str, Benchmark]:
    """The benchmarks whose name, or whose group, is one of `patterns`."""
    everything = benchmarks()
    found = {
        name: benchmark
        for name, benchmark in everything.items()
        for pattern in patterns.split(",")
        if pattern == "all" or fnmatch(name, pattern) or benchmark.group == pattern
    }
    if not found:
        groups = sorted({benchmark.group for benchmark in everything.values()})
        raise SystemExit(
            f"expected ONLY= with names, patterns or groups of benchmarks, got "
            f"'{patterns}'; groups: {', '.join(groups)}; names: {', '.join(everything)}"
        )
    return found


def systems(words: str) -> list[str]:
    """Ours, and the systems that `words` names."""
    found = [OURS]
    for word in words.split(","):
        if word not in SETS and word not in SYSTEMS:
            raise SystemExit(
                f"expected PEERS= with some of {', '.join([*SETS, *SYSTEMS])}, got "
                f"'{word}'"
            )
        found += SETS.get(word, (word,))
    return list(dict.fromkeys(found))


@contextmanager
def progress(steps: int) -> Generator[Callable[[str], None]]:
    """What is told of each step, and shows how much is done; plain text without rich."""
    if find_spec("rich") is None or not sys.stderr.isatty():
        seen = set[str]()

        def say(step: str) -> None:
            case = step.partition(":")[0]
            if case not in seen:
                seen.add(case)
                print(case, file=sys.stderr, flush=True)

        yield say
        return
    rich: Any = import_module("rich.progress")
    console: Any = import_module("rich.console").Console(stderr=True)
    columns = (
        rich.BarColumn(),
        rich.TaskProgressColumn(),
        rich.TimeRemainingColumn(),
        rich.TextColumn("{task.description}"),
    )
    with rich.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=steps)
        yield lambda step: bar.update(task, advance=1, description=step)


def run(
    selected: Mapping[str, Benchmark], names: list[str], threads: int, path: Path
) -> Results:
    """Measures all `selected` on all systems; what is there is saved after each case."""
    results = Results(threads)
    try:
        results.limits = machine_limits(threads)
    except Missing as reason:
        print(f"no limits of the machine: {reason}", file=sys.stderr)
    with progress(len(selected) * len(names) * (ROUNDS + 1)) as advance:
        for name, benchmark in selected.items():
            results.records += measure(name, names, threads, advance)
            results.work[name] = Work.of(benchmark.case())
            results.save(path)
    return results


def main() -> int:
    """The exit status: 1 if a result of ours was wrong; what peers fail at is listed."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", default="all", help="names, patterns, or groups")
    parser.add_argument("--peers", default="all", help="systems beside this project")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/bench"))
    parser.add_argument("--report", type=Path, help="JSON of a run to report again")
    parser.add_argument("--page", type=Path, help="a document that gets the tables")
    options = parser.parse_args()
    if options.only == "probes":
        return ask_probes([])
    if options.report is not None:
        results = Results.load(options.report)
    else:
        selected, names = chosen(options.only), systems(options.peers)
        options.out.mkdir(parents=True, exist_ok=True)
        path = options.out / "results.json"
        results = run(selected, names, options.threads, path)
    text = report(results)
    print(text)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "report.md").write_text(f"{text}\n")
    if options.page is not None:
        options.page.write_text(on_page(options.page.read_text(), text))
    try:
        draw(results, options.out / "report.png")
    except Missing as reason:
        print(f"no picture: {reason}", file=sys.stderr)
    return int(any(r.failed for r in results.records if r.system not in PEERS))


if __name__ == "__main__":
    sys.exit(main())
