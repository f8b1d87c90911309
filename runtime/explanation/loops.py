"""Work-item loops: which became lanes, and what stands in the way of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, Region, SSAValue

from spmd.analysis.divergence.analyze import analyze_sub_group
from spmd.analysis.divergence.explanation import decisions_of
from spmd.dialects.diagnostics import SourceLocation, source_location
from spmd.dialects.rewriting import constant_index, has_no_effect
from spmd.dialects.spmd import KernelOp, SubGroupOp
from spmd.dialects.work_groups import CONTEXT, work_item_dimension
from spmd.passes.sub_groups.form_sub_groups import (
    NOT_VECTORIZED,
    innermost_work_item_loops,
    sub_group_size,
)
from spmd.passes.sub_groups.vector_width import Width, why_width
from spmd.runtime.explanation.accesses import accesses_of, math_calls
from spmd.runtime.explanation.facts import Accesses, Divergence, Loop, Place

CODE_IS_SCALAR = "vectorize is off"


@dataclass
class FoundLoop:
    """A loop that `form-sub-groups` has left or has made lanes of."""

    op: scf.ForOp | SubGroupOp
    lines: tuple[int, int] | None
    lanes: int
    why_lanes: str
    clipped: bool
    divergent: tuple[Divergence, ...]
    code: tuple[Operation, ...] = ()
    """The vector code, when there is some."""

    def finished(self) -> Loop:
        """What there is to say when all passes have run."""
        accesses, costly = Accesses(), ()
        math = ()
        if self.lanes > 1:
            # A pass may have erased what nobody used.
            code = [op for each in self.code if each.parent for op in each.walk()]
            accesses, costly = accesses_of(code)
            math = math_calls(code)
        return Loop(
            self.lines,
            self.lanes,
            self.why_lanes,
            self.clipped,
            self.divergent,
            accesses,
            costly,
            math,
        )


def find_loops(
    function: func.FuncOp,
    width: Width | None,
    sub_groups: str | None,
    clipped: Iterable[SSAValue],
    extent: Extent | None,
) -> list[FoundLoop]:
    """
    The loops of a work-group function behind `form-sub-groups`.

    `width` is what was asked for, `None` if nothing is vectorized; `sub_groups` says
    why sub-groups have the size they have, if the kernel sees it; `clipped` are the bounds
    that were made of conditions; `extent` is where the kernel stands.
    """
    ends = set(clipped)
    found: list[FoundLoop] = []
    scalar = {
        loop
        for loop in innermost_work_item_loops(function)
        if not any(isinstance(op, SubGroupOp) for op in loop.walk())
    }
    for op in function.walk():
        if isinstance(op, SubGroupOp) and not _is_rest(op):
            lines = _lines(op.body, extent)
            found.append(_lanes(op, lines, width, sub_groups, ends))
        elif op in scalar:
            assert isinstance(op, scf.ForOp)
            reason = op.attributes.get(NOT_VECTORIZED)
            why = reason.data if isinstance(reason, StringAttr) else CODE_IS_SCALAR
            loop = FoundLoop(op, _lines(op.body, extent), 1, why, op.ub in ends, ())
            found.append(loop)
    return found


def _lanes(
    group: SubGroupOp,
    lines: tuple[int, int] | None,
    width: Width | None,
    sub_groups: str | None,
    ends: set[SSAValue],
) -> FoundLoop:
    lanes, why = group.width, sub_groups
    reason = group.attributes.get(NOT_VECTORIZED)
    if isinstance(reason, StringAttr):
        lanes, why = 1, reason.data
    elif width is None:
        lanes, why = 1, CODE_IS_SCALAR
    elif why is None:
        why = why_width(group.body, width, lanes)
    divergent = tuple(_divergent(group)) if lanes > 1 else ()
    clipped = any(value in ends for value in _bounds(group))
    return FoundLoop(group, lines, lanes, why, clipped, divergent)


def _is_rest(group: SubGroupOp) -> bool:
    """Whether a sub-group runs what full ones in front of it have left."""
    if _strip_loop(group) is not None:
        return False
    return constant_index(group.bases[0]) != 0


def _strip_loop(group: SubGroupOp) -> scf.ForOp | None:
    """The loop over full sub-groups, if there are several."""
    parent = group.parent_op()
    if isinstance(parent, scf.ForOp) and group.bases[0] is parent.body.block.args[0]:
        return parent
    return None


def _bounds(group: SubGroupOp) -> Iterator[SSAValue]:
    """What the end of the loop was computed from."""
    strip = _strip_loop(group)
    values = [strip.ub] if strip is not None else list(group.counts)
    while values:
        value = values.pop()
        yield value
        if isinstance(value.owner, arith.AndIOp | arith.MaxSIOp | arith.SubiOp):
            values.append(value.owner.lhs)


def _divergent(group: SubGroupOp) -> Iterator[Divergence]:
    divergence = analyze_sub_group(group)
    for op in group.body.walk():
        if decisions_of(op) and divergence.is_divergent(op):
            first, *chain = divergence.why_divergent(op).split("\n")
            reason = first.partition("is divergent: ")[2] or first
            if chain:
                reason += f"; {chain[-1]}"
            yield Divergence(op.name, reason, Place.of(source_location(op)))


def _lines(body: Region, extent: Extent | None) -> tuple[int, int] | None:
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


def work_item_bounds(function: func.FuncOp) -> dict[scf.ForOp, SSAValue]:
    """The ends of the work-item loops."""
    return {
        op: op.ub
        for op in function.walk()
        if isinstance(op, scf.ForOp) and work_item_dimension(op) is not None
    }


def watch(group: SubGroupOp, rewrite: Callable[[], object]) -> tuple[Operation, ...]:
    """What `rewrite` puts in the place of `group`."""
    block, before, behind = group.parent, group.prev_op, group.next_op
    assert block is not None, "a sub-group stands in a block"
    rewrite()
    made: list[Operation] = []
    op = block.first_op if before is None else before.next_op
    while op is not None and op is not behind:
        made.append(op)
        op = op.next_op
    return tuple(made)


def why_sub_groups(function: func.FuncOp, own: bool) -> str | None:
    """Why sub-groups have the size that the kernel sees; `None` if it sees none."""
    if sub_group_size(function) is None:
        return None
    return (
        "the sub_group_size of the kernel"
        if own
        else "the default of kernels with sub-group operations"
    )
