"""The results of a run: kept as JSON, and looked up by case and system."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measuring.limits import bandwidth, peak
from benchmarks.measuring.record import Record
from benchmarks.suite.case import Case

OURS = "spmd"


class Work(NamedTuple):
    """What one run of a case does at least."""

    bytes: float
    flops: float
    double: bool

    @classmethod
    def of(cls, case: Case) -> Work:
        """The work of `case`; `double` if its floats are in double precision."""
        double = any(array.dtype == np.float64 for array in case.arrays.values())
        return cls(case.bytes, case.flops, double)


@dataclass
class Results:
    """Everything that one run of the benchmarks found out."""

    threads: int
    limits: dict[str, tuple[float, str]] = field(
        default_factory=dict[str, "tuple[float, str]"]
    )
    work: dict[str, Work] = field(default_factory=dict[str, Work])
    records: list[Record] = field(default_factory=list[Record])

    def cases(self) -> list[str]:
        """The cases in the order in which they were measured."""
        return list(dict.fromkeys(record.case for record in self.records))

    def systems(self) -> list[str]:
        """The systems that measured something, ours first."""
        measured = [r.system for r in self.records if r.seconds is not None]
        return sorted(dict.fromkeys(measured), key=lambda name: name != OURS)

    def find(self, case: str, system: str) -> Record | None:
        """The record of a system on a case."""
        for record in self.records:
            if (record.case, record.system) == (case, system):
                return record
        return None

    def seconds(self, case: str, system: str) -> float | None:
        """The time of a system on a case."""
        record = self.find(case, system)
        return None if record is None else record.seconds

    def ratios(self, system: str) -> dict[str, float]:
        """Our time by the time of `system`, for each case that both measured."""
        found: dict[str, float] = {}
        for case in self.cases():
            ours, theirs = self.seconds(case, OURS), self.seconds(case, system)
            if ours and theirs:
                found[case] = ours / theirs
        return found

    def ratios_to_best(self, systems: Sequence[str]) -> dict[str, float]:
        """Our time by the least time of `systems`, for each case."""
        columns = [self.ratios(system) for system in systems]
        return {
            case: max(column[case] for column in columns if case in column)
            for case in self.cases()
            if any(case in column for column in columns)
        }

    def limit(self, case: str) -> tuple[float, str] | None:
        """
        The least seconds that the machine allows a run of `case`, and what limits it.

        None where the work of a run is not counted or the machine was not measured: the
        larger of its bytes by the bandwidth and its operations by the peak.
        """
        work = self.work.get(case)
        rates = bandwidth(self.limits), None
        if work is None or rates[0] is None:
            return None
        arithmetic = peak(self.limits, double=work.double)
        assert arithmetic is not None, "measured with the bandwidth"
        found = max(
            (work.bytes / rates[0], "memory"), (work.flops / arithmetic, "arithmetic")
        )
        return found if found[0] > 0 else None

    def compile_medians(self, system: str) -> tuple[float, float] | None:
        """Median seconds to the first result, cold and warm, over the cases."""
        pairs = [
            (record.cold, record.warm)
            for record in self.records
            if record.system == system
            and record.cold is not None
            and record.warm is not None
        ]
        if not pairs:
            return None
        return median(c for c, _ in pairs), median(w for _, w in pairs)

    def save(self, path: Path) -> None:
        """Writes everything as JSON."""
        numbers: dict[str, Any] = {
            "threads": self.threads,
            "limits": self.limits,
            "work": {name: work._asdict() for name, work in self.work.items()},
            "records": [record.as_json() for record in self.records],
        }
        path.write_text(json.dumps(numbers, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Results:
        """What `save` wrote."""
        numbers = json.loads(path.read_text())
        return cls(
            numbers["threads"],
            {name: (rate, unit) for name, (rate, unit) in numbers["limits"].items()},
            {name: Work(**work) for name, work in numbers["work"].items()},
            [Record.from_json(record) for record in numbers["records"]],
        )


def mean(ratios: Mapping[str, float]) -> float:
    """The geometric mean."""
    return geometric_mean(ratios.values())
