"""
An explanation for people.

What is as good as it can be is not listed; one line says that it is.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from spmd.runtime.explanation.facts import (
    Accesses,
    Divergence,
    FunctionFacts,
    Kept,
    KernelFacts,
    Loop,
    Place,
)

_COLUMN = 15
_WIDTH = 80
"""Of what stands after the column; only tables may be wider."""

_DYNAMIC = " and arrays of dynamic size"

_PLACES = 4
"""Places that are listed for one reason."""


def text_of(explained: KernelFacts | FunctionFacts) -> str:
    """The lines about one kernel or host function."""
    if isinstance(explained, KernelFacts):
        return "\n".join(_KernelText(explained).lines())
    return "\n".join(_FunctionText(explained).lines())


class _Text:
    """What kernels and functions have in common."""

    def __init__(self, explained: KernelFacts | FunctionFacts):
        place = explained.place
        self._file = None if place is None else place.file
        at = "" if place is None else f" at {place.file}:{place.line}:{place.column}"
        self._title = f"@{explained.name}{at}"
        self._all_loops = explained.loops

    def _entries(self, head: str, texts: Iterable[str]) -> Iterator[str]:
        """Lines with `head` before the first."""
        for text in texts:
            yield f"  {head:<{_COLUMN}}{text}".rstrip()
            head = ""

    def _place(self, place: Place | None) -> str:
        if place is None:
            return ""
        short = f"{place.line}:{place.column}"
        return short if place.file == self._file else f"{place.file}:{short}"

    def _common_width(self) -> str | None:
        """The lanes of all vectorized loops, if they have the same."""
        found = {(p.lanes, p.why_lanes) for p in self._all_loops if p.lanes > 1}
        if len(found) != 1:
            return None
        ((lanes, why),) = found
        return f"{lanes} lanes: {why}"

    # Loops

    def _loops(self) -> Iterator[str]:
        loops = self._all_loops
        if not loops:
            yield "none: everything runs once per work-group"
            return
        all_of = "1" if len(loops) == 1 else f"{len(loops)}, all"
        common = self._common_width() is not None
        if common and all(loop.is_good for loop in loops):
            yield f"{all_of} in lanes, every access uniform or contiguous"
            return
        reasons = {loop.why_lanes if loop.lanes == 1 else None for loop in loops}
        if len(loops) > 1 and len(reasons) == 1 and (why := reasons.pop()) is not None:
            yield f"{all_of} scalar: {why}"
            return
        # What is good is only counted, unless its lanes are news.
        shown = [
            (number, loop)
            for number, loop in enumerate(loops, 1)
            if not (common and loop.is_good)
        ]
        for number, loop in shown:
            mark = f"{number}. " if len(loops) > 1 else ""
            lines = self._loop(loop, common)
            yield from _wrapped(f"{mark}{next(lines)}", indent=len(mark))
            for line in dict.fromkeys(lines):
                yield from (f"   {part}" for part in _wrapped(line, _WIDTH - 3))
        if rest := len(loops) - len(shown):
            others = "the other is" if rest == 1 else f"the other {rest} are"
            yield f"{others} in lanes, every access uniform or contiguous"

    def _loop(self, loop: Loop, common: bool) -> Iterator[str]:
        notes: list[str] = []
        if loop.lanes == 1:
            notes.append(f"scalar: {loop.why_lanes}")
        elif common:
            notes.append(f"{loop.lanes} lanes")
        else:
            notes.append(f"{loop.lanes} lanes ({loop.why_lanes})")
        if loop.is_good:
            notes.append("nothing to improve")
        elif accesses := _counts(loop.accesses):
            notes.append(accesses)
        if loop.clipped:
            notes.append("a condition ends it early")
        if around := self._place(loop.around):
            notes.append(
                f"all run an iteration of the loop at {around} before the next"
            )
        yield f"{_lines(loop)}{'; '.join(notes)}"
        # Of one source operation, passes may have made a branch in a loop.
        diverged = {
            each.place or number: each
            for number, each in reversed(tuple(enumerate(loop.divergent)))
        }
        for divergent in reversed(diverged.values()):
            place = self._places([divergent.place])
            yield f"{place}{self._consequence(divergent)}"
        reasons: dict[str, list[Place | None]] = {}
        for access in loop.costly:
            masked = " under a mask" if access.masked else ""
            text = f"{access.kind}{masked}: {access.reason}"
            reasons.setdefault(text, []).append(access.place)
        for text, places in reasons.items():
            yield f"{self._places(places)}{text}"
        becomes: dict[str, list[str]] = {}
        for call in loop.math:
            becomes.setdefault(call.becomes, []).append(call.op)
        for what, ops in becomes.items():
            yield f"{what} for {', '.join(ops)}"

    def _consequence(self, divergent: Divergence) -> str:
        if divergent.op in ("scf.for", "scf.while"):
            what = "runs until its last lane is done"
        else:
            what = "runs under masks"
        reason = divergent.reason
        if self._file is not None:
            reason = reason.replace(f" at {self._file}:", " at ")
        return f"{divergent.op} {what}: {reason}"

    def _places(self, places: Sequence[Place | None]) -> str:
        known = [self._place(place) for place in places if place is not None]
        if not known:
            return "" if len(places) == 1 else f"{len(places)} times "
        more = len(known) - _PLACES
        shown = ", ".join(known[:_PLACES])
        return f"{shown} and {more} more  " if more > 0 else f"{shown}  "


class _FunctionText(_Text):
    def __init__(self, function: FunctionFacts):
        super().__init__(function)
        self._function = function

    def lines(self) -> Iterator[str]:
        function = self._function
        yield f"function {self._title}"
        launched = ", ".join(f"@{name}" for name in function.launches)
        yield from self._entries("launches", [launched] if launched else [])
        if (width := self._common_width()) is not None:
            yield from self._entries("lanes", [width])
        yield from self._entries("loops", self._loops() if function.loops else [])
        yield from self._entries("one by one", self._serial())

    def _serial(self) -> Iterator[str]:
        for loop in self._function.serial:
            place = self._place(loop.place)
            yield from _wrapped(f"{place}  {loop.reason}" if place else loop.reason)


class _KernelText(_Text):
    def __init__(self, kernel: KernelFacts):
        super().__init__(kernel)
        self._kernel = kernel

    def lines(self) -> Iterator[str]:
        kernel = self._kernel
        yield f"kernel {self._title}"
        yield from self._entries("work-group", [self._group()])
        if (width := self._common_width()) is not None:
            yield from self._entries("sub-group", [width])
        yield from self._entries("barriers", self._barriers())
        yield from self._entries("checks", self._checks())
        yield from self._entries("kept", self._contexts())
        yield from self._entries("slots", _table(self._rows(kernel.slots)))
        yield from self._entries("local memory", self._local_memory())
        yield from self._entries("group memory", self._group_memory())
        yield from self._entries("updates", self._updates())
        yield from self._entries("stores", self._stores())
        yield from self._entries("loops", self._loops())
        yield from self._entries("partial groups", kernel.differences)
        yield from self._entries("footprints", self._footprints())

    # The group

    def _group(self) -> str:
        size = self._kernel.group_size
        if size is None:
            return "of a size that the launch gives"
        asked = self._kernel.asked_group_size
        instead = (
            f" instead of {_items(asked)}: lanes cost less, and no work-item can tell"
            if asked
            else ""
        )
        full = "; what follows is about full groups" if self._kernel.full_groups else ""
        return f"{_items(size)} work-items{instead}{full}"

    # Barriers

    def _barriers(self) -> Iterator[str]:
        kernel = self._kernel
        if kernel.strategy is not None:
            kept = "" if kernel.contexts else "; nothing is kept per work-item"
            yield f"{kernel.barriers}, split by {kernel.strategy}{kept}"
        if kernel.why_not_fission is not None:
            yield from _wrapped(f"not by fission: {kernel.why_not_fission}")
        for barrier in kernel.dropped_barriers:
            place = self._place(barrier.place)
            where = f"the one at {place}" if place else "one"
            yield from _wrapped(f"dropped {where}: {barrier.proof}")

        for loop in kernel.unrolled:
            place = self._place(loop.place)
            where = f"the loop at {place}" if place else "a loop"
            yield from _wrapped(
                f"{where} is written out: in each of its {loop.iterations} iterations the "
                "number of work-items is known"
            )

    def _updates(self) -> Iterator[str]:
        if copied := self._kernel.thread_copies:
            yield from _wrapped(
                f"where {' and '.join(copied)} is small, each thread updates a copy without "
                "atomic instructions, and then the array by what has changed"
            )

    def _stores(self) -> Iterator[str]:
        if streamed := self._kernel.streamed:
            yield from _wrapped(
                f"those to {' and '.join(streamed)} go around the caches, where it is more "
                "than they hold"
            )

    def _checks(self) -> Iterator[str]:
        if (checks := self._kernel.checks) is not None:
            yield (
                f"{checks.inserted}; {checks.proven} more are not needed: ranges, "
                "conditions or other checks prove them"
            )

    def _contexts(self) -> Iterator[str]:
        contexts = self._kernel.contexts
        if contexts:
            known = _bytes(sum(context.bytes or 0 for context in contexts))
            more = "" if self._kernel.context_bytes is not None else _DYNAMIC
            yield f"{known}{more} per work-item across barriers:"
            yield from _table(self._rows(contexts))

    def _rows(self, kept: Iterable[Kept]) -> Iterator[tuple[str, ...]]:
        for one in kept:
            name = f"%{one.name}" if one.name else "?"
            others = [f"%{value}" for value in one.values if value != one.name]
            shared = f" (also {', '.join(others)})" if others else ""
            yield (
                "?" if one.bytes is None else str(one.bytes),
                one.type,
                name,
                self._place(one.place),
                one.reason + shared,
            )

    def _footprints(self) -> Iterator[str]:
        for footprint in self._kernel.footprints:
            yield from _wrapped(footprint)

    # Memory

    def _local_memory(self) -> Iterator[str]:
        arrays = self._kernel.local_arrays
        if arrays:
            named = ", ".join(
                f"%{array.name} {array.type}" if array.name else array.type
                for array in arrays
            )
            yield f"{_bytes(self._kernel.local_bytes)} per work-group: {named}"

    def _group_memory(self) -> Iterator[str]:
        stack, scratch = self._kernel.stack_bytes, self._kernel.scratch_bytes
        if scratch != 0:
            buffer = (
                "a scratch buffer whose size depends on the launch"
                if scratch is None
                else f"{_bytes(scratch)} in a scratch buffer"
            )
            yield f"{_bytes(stack)} on the stack, {buffer}"


def _lines(loop: Loop) -> str:
    if loop.lines is None:
        return ""
    first, last = loop.lines
    return f"line {first}: " if first == last else f"lines {first}-{last}: "


def _counts(accesses: Accesses) -> str:
    kinds = (
        "uniform",
        "contiguous",
        "reversed",
        "strided",
        "transposed",
        "gather",
        "scatter",
        "lane by lane",
    )
    counts = [(getattr(accesses, kind.replace(" ", "_")), kind) for kind in kinds]
    text = ", ".join(f"{count} {kind}" for count, kind in counts if count)
    if accesses.masked:
        text += f" ({accesses.masked} masked)"
    return text


def _bytes(count: int | None) -> str:
    if count is None:
        return "as many bytes as the launch asks for"
    return "1 byte" if count == 1 else f"{count} bytes"


def _wrapped(text: str, width: int = _WIDTH, indent: int = 2) -> Sequence[str]:
    return textwrap.wrap(
        text,
        width,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns; the first, a number, to the right."""
    table = list(rows)
    if not table:
        return
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for first, *others in table:
        entries = [f"{first:>{widths[0]}}"]
        entries += [
            f"{entry:<{width}}" for entry, width in zip(others, widths[1:], strict=True)
        ]
        yield "  ".join(entries).rstrip()


def _items(size: tuple[int, int, int]) -> str:
    """A size without the dimensions at its end that are 1."""
    x, y, z = size
    shown = [x, y, z] if z > 1 else [x, y] if y > 1 else [x]
    return " x ".join(map(str, shown))
