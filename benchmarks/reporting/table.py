"""Results as tables in Markdown, which a terminal shows well enough."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.measuring.record import Record
from benchmarks.reporting.results import OURS, Results, mean
from benchmarks.systems import PEERS

TITLES = {
    "spmd": "spmd",
    "intel": "Intel",
    "pocl": "PoCL",
    "c": "C",
    "numba": "Numba",
    "numpy": "NumPy",
}

COMPILERS = ("intel", "pocl", "numba")
"""The peers that take a kernel or loops and compile them when the program runs."""

CACHED = 1.1
"""Part of the memory's bandwidth from which a case must have been in the cache."""

SLOWER = 1.05
"""Our time by another's from which a case is listed as slower."""


def in_words(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with columns of equal width, the first to the left."""
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]

    def written(line: Sequence[str]) -> str:
        entries = [line[0].ljust(widths[0])]
        entries += [c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)]
        return f"| {' | '.join(entries)} |"

    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]
    return "\n".join([written(lines[0]), written(rule), *map(written, lines[1:])])


def times(results: Results) -> str:
    """Our time and spread, others' times and ours by theirs, and the machine's limit."""
    systems = results.systems()
    others = [system for system in systems if system != OURS]

    def entry(case: str, system: str) -> str:
        record, ours = results.find(case, system), results.seconds(case, OURS)
        if record is None or record.seconds is None:
            return "-" if record is None or record.skipped else "failed"
        if system == OURS:
            return f"{in_words(record.seconds)} ±{100 * (record.spread or 0) / 2:.0f}%"
        ratio = "" if ours is None else f" ({ours / record.seconds:.2f})"
        return in_words(record.seconds) + ratio

    def limit(case: str) -> str:
        found, ours = results.limit(case), results.seconds(case, OURS)
        if found is None or ours is None:
            return "-"
        part = found[0] / ours
        return f"{100 * part:.0f}% of {found[1]}" if part < CACHED else "in the cache"

    header = ["benchmark", *(TITLES.get(s, s) for s in [OURS, *others]), "limit"]
    rows = (
        [case, *(entry(case, system) for system in [OURS, *others]), limit(case)]
        for case in results.cases()
    )
    return markdown(header, rows)


def summary(results: Results) -> str:
    """Geometric means of our time by others', and the time to the first result."""
    systems = [system for system in results.systems() if system != OURS]
    groups = {system: results.ratios(system) for system in systems}
    for name, members in (("best compiler", COMPILERS), ("best of all", PEERS)):
        found = [system for system in members if system in systems]
        if len(found) > 1:
            groups[name] = results.ratios_to_best(found)

    def rows() -> Iterator[list[str]]:
        for name, ratios in groups.items():
            if ratios:
                worst = max(ratios, key=lambda case: ratios[case])
                slower = sum(ratio > SLOWER for ratio in ratios.values())
                yield [
                    TITLES.get(name, name),
                    f"{mean(ratios):.2f}",
                    f"{slower} of {len(ratios)}",
                    f"{ratios[worst]:.2f} {worst}",
                ]

    return markdown(("spmd /", "geometric mean", "slower", "worst"), rows())


def compile_times(results: Results) -> str:
    """From source to the first result: medians over the cases."""

    def rows() -> Iterator[list[str]]:
        for system in results.systems():
            found = results.compile_medians(system)
            if found is not None and max(found) > 0.01:
                yield [TITLES.get(system, system), *map(in_words, found)]

    return markdown(("first result", "cold", "warm"), rows())


def limits(results: Results) -> str:
    """What the machine can do."""
    rows = ([n, f"{rate:.1f} {unit}"] for n, (rate, unit) in results.limits.items())
    return markdown(("limit", "rate"), rows)


def problems(records: Iterable[Record]) -> list[str]:
    """What was not measured and why: reasons that many cases share are said once."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if record.problem:
            reasons.setdefault((record.system, record.problem), []).append(record.case)
    return [
        f"{system}: {reason} ({', '.join(cases) if len(cases) < 4 else len(cases)})"
        for (system, reason), cases in reasons.items()
    ]


PLACE = re.compile(r"(<!-- bench -->\n).*?(<!-- end of bench -->)", re.DOTALL)


def on_page(page: str, text: str) -> str:
    """`page` with `text` at the place for it; raises `ValueError` if there is none."""
    if not PLACE.search(page):
        raise ValueError(
            "expected a page with <!-- bench --> and <!-- end of bench -->"
        )
    return PLACE.sub(lambda place: f"{place[1]}\n{text}\n\n{place[2]}", page)


def report(results: Results) -> str:
    """All tables."""
    found = problems(results.records)
    parts = [times(results), summary(results), compile_times(results)]
    if results.limits:
        parts.append(limits(results))
    if found:
        parts.append("\n".join(["Not measured:", *(f"- {line}" for line in found)]))
    return "\n\n".join(parts)
