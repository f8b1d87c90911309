"""Writes into `docs/larger.md` which footprints data decides about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import spmd
from benchmarks.suite.case import benchmarks
from spmd.runtime.kernel import Kernel
from tests.examples.test_examples import WITH_KERNEL, load

PAGE = Path(__file__).resolve().parents[3] / "docs" / "larger.md"
FILLED = re.compile(r"^(<!-- footprints -->\n).*?^(?=## |\Z)", re.M | re.S)
WORDS = re.compile(r"(?P<does>\w+) %(?P<array>\w+) (?:anything: )?(?P<what>.*)")


def kernels() -> Iterator[tuple[str, Kernel]]:
    """The kernels of the examples and of the benchmarks, by name."""
    for script in WITH_KERNEL:
        yield script.stem, load(script).EXAMPLE.compile()
    for name, benchmark in benchmarks().items():
        program = spmd.compile(benchmark.case(small=True).mlir_text())
        for kernel in program.kernels.values():
            yield name, kernel


def table() -> str:
    """Of how many kernels the launch decides all, and what decides of the others."""
    count = 0
    loose: dict[str, list[str]] = {}
    for name, kernel in kernels():
        count += 1
        for line in str(kernel.footprints()).splitlines():
            found = WORDS.match(line)
            if found and re.search(r"\b(anything|within)\b", line):
                words = f"| {found['does']} | `{found['array']}` | {found['what']} |"
                loose.setdefault(f"{name} {words}", []).append(name)
    rows = "\n".join(f"| {row}" for row in loose)
    inexact = len({name for names in loose.values() for name in names})
    return (
        f"\nOf {count} kernels of the examples and of the benchmarks, the numbers of the "
        f"launch alone decide\nwhat {count - inexact} access. Of the others, data does:\n\n"
        f"| kernel | it | of | what is known |\n| --- | --- | --- | --- |\n{rows}\n\n"
    )


def filled(page: str) -> str:
    """The page with the footprints of today."""
    return FILLED.sub(lambda m: m[1] + table(), page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
