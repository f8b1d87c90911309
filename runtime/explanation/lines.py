"""Which lines of a kernel the code of a loop is from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.ir import Operation, Region

from spmd.dialects.diagnostics import SourceLocation, source_location
from spmd.dialects.rewriting import has_no_effect
from spmd.dialects.spmd import KernelOp
from spmd.dialects.work_groups import CONTEXT


@dataclass(frozen=True)
class Extent:
    """The lines of a kernel in the source."""

    file: str
    first: int
    last: int

    @classmethod
    def of(cls, kernel: Operation) -> Extent | None:
        """The lines of a kernel that no pass has changed."""
        begin = source_location(kernel)
        if begin is None:
            return None
        file = begin[0]
        lines = [place[1] for place in _places(kernel.walk()) if place[0] == file]
        return cls(file, begin[1], max(lines, default=begin[1]))

    def has(self, place: SourceLocation) -> bool:
        """Whether `place` is in the kernel."""
        file, line, _ = place
        return file == self.file and self.first <= line <= self.last


def lines_of(body: Region, extent: Extent | None) -> tuple[int, int] | None:
    """
    The lines of the kernel that `body` has its code from.

    What is computed once more and what is taken from contexts stands elsewhere, and so do
    functions that were called; where there is nothing else, the code is there.
    """
    own = list(_places(op for op in body.walk() if _is_own(op)))
    inside = [place for place in own if extent is not None and extent.has(place)]
    places = inside or own or list(_places(body.walk()))
    if not places:
        return None
    file = places[0][0]
    lines = [line for name, line, _ in places if name == file]
    return min(lines), max(lines)


def _places(ops: Iterable[Operation]) -> Iterator[SourceLocation]:
    for op in ops:
        place = source_location(op)
        if place is not None and place != _place_of_kernel(op):
            yield place


def _place_of_kernel(op: Operation) -> SourceLocation | None:
    """What is needed to run a kernel, but is no part of it, stands where it stands."""
    at: Operation | None = op
    while at is not None and not isinstance(at, func.FuncOp | KernelOp):
        at = at.parent_op()
    return None if at is None else source_location(at)


def _is_own(op: Operation) -> bool:
    if isinstance(op, memref.LoadOp | memref.StoreOp):
        owner = op.memref.owner
        return not isinstance(owner, Operation) or CONTEXT not in owner.attributes
    return not has_no_effect(op) or bool(op.regions)
