"""
Accesses that go along memory in a loop: its iterations access one element after the other.

In `for k: sum += a[row, k]` each work-item walks along its own row. Lanes that are rows apart
gather then; but of several iterations together each lane accesses neighbours, as a vector. That
loads earlier and stores later than the program says, so nothing else in the loop may touch what a
walk does, and nothing may end the program in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.memory.accesses import NOTHING, Accesses, accesses_of, may_overlap
from spmd.analysis.memory.polynomials import Monomial, Polynomial
from spmd.analysis.memory.sums import Sums, ValueAtom
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import memref_layout, memref_type, size_in_bytes
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.memory import (
    MemoryAccess,
    loaded_memory,
    stored_memory,
)
from spmd.dialects.interfaces.speculation import is_speculatable_from
from spmd.dialects.limits import CACHE_LINE
from spmd.dialects.rewriting import constant_index, trip_count
from spmd.dialects.work_groups import is_work_item_loop

_Place: TypeAlias = tuple[SSAValue, tuple[Polynomial, ...]]
"""Memory, and where in it along each dimension."""

Stays: TypeAlias = Callable[[SSAValue], bool]
"""Whether a value is the same in all iterations of a loop."""

LONGEST, SHORTEST = 16, 4
"""Iterations that are worth doing together."""


@dataclass
class Walks:
    """All accesses of some code that go along memory in loops."""

    _known: dict[scf.ForOp, Sequence[Operation]] = field(
        default_factory=dict[scf.ForOp, "Sequence[Operation]"]
    )

    def __contains__(self, op: Operation) -> bool:
        loop = op.parent_op()
        if not isinstance(loop, scf.ForOp) or is_work_item_loop(loop):
            return False
        if loop not in self._known:
            self._known[loop] = walks_in(loop)
        return op in self._known[loop]


def walks_in(loop: scf.ForOp) -> Sequence[Operation]:
    """The accesses of every iteration of `loop` that may be done for several together."""
    body, sums = loop.body.block, Sums()
    if not _counts_one_by_one(loop):
        return ()
    places = {op: place for op in body.ops if (place := _place(op, sums)) is not None}

    def stays(value: SSAValue) -> bool:
        return is_outside(value, loop)

    walks = [op for op, place in places.items() if _walks(place, loop, stays)]
    if not walks:
        return ()
    touched = {op: found for op in body.ops if (found := accesses_of(op)) != NOTHING}
    if any(each.unknown for each in touched.values()):
        return ()
    writers = [op for op, each in touched.items() if each.writes]

    def disturbs(other: Operation, walk: Operation) -> bool:
        """Whether `other` has to stay where it is beside `walk`."""
        if other is walk:
            return False
        if other in places and _same(places[other], places[walk]):
            first, second = (op for op in places if op in (other, walk))
            if loaded_memory(first) and stored_memory(second):
                return False  # Each element is stored after it was loaded.
        return _conflict(touched[other], touched[walk])

    return [
        walk
        for walk in walks
        if not any(
            disturbs(other, walk)
            for other in (writers if loaded_memory(walk) else touched)
        )
    ]


def _counts_one_by_one(loop: scf.ForOp) -> bool:
    """Whether iterations of `loop` can be told apart before it runs, and are not too few."""
    if not isinstance(loop.lb.type, IndexType) or constant_index(loop.step) != 1:
        return False
    if (count := trip_count(loop)) is not None and count < SHORTEST:
        return False
    return not IntegerRanges().may_be_far_apart(loop.lb, loop.ub)


def iterations_together(loop: scf.ForOp, element_bytes: int) -> int:
    """How many iterations of `loop` access what lies in one cache line, or are known to be."""
    together = min(LONGEST, CACHE_LINE // element_bytes)
    count = trip_count(loop)
    while count is not None and together > count:
        together //= 2
    return together


def element_bytes(op: Operation) -> int:
    """The size of the elements that `op`, a load or store, accesses."""
    memory = loaded_memory(op) or stored_memory(op)
    assert memory is not None, "a walk accesses memory"
    return size_in_bytes(memref_type(memory).element_type)


def _place(op: Operation, sums: Sums) -> _Place | None:
    """What a load or store of elements accesses, and where along each dimension."""
    access, memory = MemoryAccess.of(op), loaded_memory(op) or stored_memory(op)
    if access is None or memory is None:
        return None
    if isinstance(op, GatherOp | ScatterOp):
        # Lanes may store to the one element of a memref without dimensions.
        if not op.offsets:
            return None
        *outer, last = map(sums.of, op.offsets)
        return memory, (*outer, last + sums.of(op.indices))
    indices = access.indices(op)
    return None if indices is None else (memory, tuple(map(sums.of, indices)))


def _same(a: _Place, b: _Place) -> bool:
    return a[0] is b[0] and all(
        x.terms == y.terms for x, y in zip(a[1], b[1], strict=True)
    )


def goes_along(op: Operation, loop: scf.ForOp, stays: Stays) -> bool:
    """Whether `op` accesses the next element of memory in the next iteration of `loop`."""
    place = _place(op, Sums())
    return place is not None and _walks(place, loop, stays)


def _walks(place: _Place, loop: scf.ForOp, stays: Stays) -> bool:
    """Whether the next iteration of `loop` accesses the next element of memory."""
    memory, indices = place
    if not indices or not is_outside(memory, loop):
        return False
    layout = memref_layout(memref_type(memory))
    if layout is None or layout.strides[-1] != 1:
        return False
    counter = loop.body.block.args[0]
    *outer, last = indices
    steps = [at for at in last.terms if _values(at) == [counter]]
    if sum(last.terms[at] for at in steps) != 1:
        return False
    rest = [at for at in last.terms if at not in steps]
    others = (*rest, *(at for each in outer for at in each.terms))
    values = (value for at in others for value in _values(at))
    return all(is_speculatable_from(value, stays) for value in values)


def _values(monomial: Monomial) -> Sequence[SSAValue]:
    return [atom.value for atom in monomial if isinstance(atom, ValueAtom)]


def _conflict(a: Accesses, b: Accesses) -> bool:
    """Whether one may write what the other touches."""
    return any(
        may_overlap(written, touched)
        for one, other in ((a, b), (b, a))
        for written in one.writes
        for touched in (*other.reads, *other.writes)
    )
