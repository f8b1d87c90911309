"""What a checked run found, in words that a person can act on."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from linecache import getline
from typing import Literal

from xdsl.ir import Operation

from spmd.dialects.diagnostics import source_location
from spmd.reference.errors import Event
from spmd.reference.memory import MemRef, row_major

Kind = Literal[
    "race",
    "race between groups",
    "same value",
    "out of bounds",
    "never written",
    "barrier",
    "undefined value",
    "undefined behavior",
]

TITLES: dict[Kind, str] = {
    "race": "data race within a work-group",
    "race between groups": "data race between work-groups",
    "same value": "several work-items store the same value",
    "out of bounds": "access out of bounds",
    "never written": "read of memory that was never written",
    "barrier": "not all work-items of the group come together",
    "undefined value": "use of an undefined value",
    "undefined behavior": "undefined behavior",
}


def as_written(op: Operation) -> str:
    """The line of another language that `op` is made of, or the op without its regions."""
    if (location := source_location(op)) is not None:
        file, line, _ = location
        source = getline(file, line).strip()
        if source and op.name not in source:
            return source
    return str(op).strip().split("\n", 1)[0].rstrip(" {")


def lines_of(event: Event) -> list[str]:
    """What happened, with the location and the text of the op."""
    if event.op is None:
        return [f"  {event.who} {event.what}"]
    location = source_location(event.op)
    at = f"{location}: " if location is not None else ""
    return [f"  {at}{event.who} {event.what}", f"      {as_written(event.op)}"]


@dataclass(repr=False)
class Finding:
    """One fault, as it first showed; `count` tells how often it did."""

    kind: Kind
    message: str
    places: tuple[Event, ...]
    count: int = 1

    @property
    def op(self) -> Operation | None:
        return self.places[0].op if self.places else None

    @property
    def is_harmless(self) -> bool:
        """Whether the language allows it: a note, not a fault."""
        return self.kind == "same value"

    def __repr__(self) -> str:
        return f"<spmd finding: {self._summary()}>"

    def _summary(self) -> str:
        kind = f"{'note' if self.is_harmless else 'error'}: {TITLES[self.kind]}"
        return f"{kind}: {self.message}" if self.message else kind

    def __str__(self) -> str:
        lines = [self._summary()]
        for place in self.places:
            lines += lines_of(place)
        if self.count > 1:
            lines.append(f"  ... and {self.count - 1} more like this")
        return "\n".join(lines)


@dataclass
class Report:
    """Everything that a checked run found; true if the run is free of faults."""

    kernel: str
    """The kernel or host function that ran."""
    findings: list[Finding] = field(default_factory=list[Finding])

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if not finding.is_harmless]

    @property
    def notes(self) -> list[Finding]:
        """What looks like a fault, and is allowed."""
        return [finding for finding in self.findings if finding.is_harmless]

    def __bool__(self) -> bool:
        return not self.errors

    def kinds(self) -> set[Kind]:
        return {finding.kind for finding in self.findings}

    def __str__(self) -> str:
        parts = [str(finding) for finding in (*self.errors, *self.notes)]
        return "\n\n".join((*parts, self._summary()))

    def __repr__(self) -> str:
        return f"<spmd report: {self._summary()}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return f"<pre>{escape(str(self))}</pre>"

    def _summary(self) -> str:
        number = len(self.errors)
        faults = {0: "no fault", 1: "1 fault"}.get(number, f"{number} faults")
        return f"@{self.kernel}: {faults} found"


def element(memory: MemRef, position: int) -> str:
    """The element at a position, by its indices if that is simple, and its memory."""
    if memory.strides != row_major(memory.sizes):
        return f"element {position} of {describe(memory)}"
    rest = position - memory.offset
    indices: list[str] = []
    for stride in memory.strides:
        index, rest = divmod(rest, max(stride, 1))
        indices.append(str(index))
    return f"[{', '.join(indices)}] of {describe(memory)}"


def describe(memory: MemRef) -> str:
    """The memory in words: its space, and its name if it has one."""
    storage = memory.storage
    return f"{storage.space} memory{f' %{storage.name}' if storage.name else ''}"
