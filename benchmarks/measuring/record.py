"""What is known of one system on one case, and statistics of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median, quantiles
from typing import Any


@dataclass
class Record:
    """
    Measurements of one system on one case.

    `turns` holds the seconds of the runs of each turn: of the processor on one thread,
    where a process that was put aside does not count, and on the wall with more. `cold` and
    `warm` are seconds from source to the end of the first run less a run: in a fresh
    process, what the system imports included, and for a second source. `error` is how far
    the result was from right. `skipped` and `failed` say why there is no measurement.
    """

    case: str
    system: str
    threads: int
    turns: list[list[float]] = field(default_factory=list[list[float]])
    cold: float | None = None
    warm: float | None = None
    error: float | None = None
    skipped: str = ""
    failed: str = ""

    @property
    def problem(self) -> str:
        """Why there is no measurement, or nothing."""
        return self.skipped or self.failed

    @property
    def seconds(self) -> float | None:
        """The median of the medians of the turns, or None without a measurement."""
        if self.problem or not self.turns:
            return None
        return median(median(turn) for turn in self.turns)

    @property
    def best(self) -> float | None:
        """The least seconds of a run, or None without a measurement."""
        return None if self.seconds is None else min(min(turn) for turn in self.turns)

    @property
    def spread(self) -> float | None:
        """Half of the runs lie within this part of the median, or None."""
        runs = [seconds for turn in self.turns for seconds in turn]
        if self.seconds is None or len(runs) < 2:
            return None
        low, _, high = quantiles(runs, n=4)
        return (high - low) / self.seconds

    def compiled(
        self,
        cold: float | None = None,
        warm: float | None = None,
        error: float | None = None,
    ) -> None:
        """Takes what a worker says when it is ready."""
        self.cold, self.warm, self.error = cold, warm, error

    def add(
        self, wall: list[float] | None = None, processor: list[float] | None = None
    ) -> None:
        """Takes the seconds of a turn."""
        seconds = processor if self.threads == 1 else wall
        if seconds:
            self.turns.append(seconds)

    def as_json(self) -> dict[str, Any]:
        """All of it, and what is computed from it."""
        computed = {
            "seconds": self.seconds,
            "best": self.best,
            "spread": self.spread,
        }
        return {**asdict(self), **computed}

    @classmethod
    def from_json(cls, numbers: dict[str, Any]) -> Record:
        """The record that `as_json` wrote."""
        computed = ("seconds", "best", "spread")
        return cls(**{k: v for k, v in numbers.items() if k not in computed})
