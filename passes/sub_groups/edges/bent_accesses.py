"""Accesses by bent indices, and what they are in the interior of an array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from spmd.analysis.divergence.edges import bends
from spmd.analysis.divergence.interiors import Interiors, Number, Straight
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.memory import MemoryAccess

LARGEST = 500
"""Operations of which there are copies."""

BentAccesses = Mapping[Operation, Mapping[SSAValue, Straight]]
"""The bent values in the indices of each access."""


def bent_accesses(body: Operation, interiors: Interiors) -> BentAccesses:
    """
    The accesses in `body`, a sub-group or the innermost loop of a nest of work-items.

    None if much else is done there.
    """
    found: dict[Operation, Mapping[SSAValue, Straight]] = {}
    ops = tuple(body.walk())
    if len(ops) <= LARGEST and any(map(bends, ops)):
        for op in ops:
            if bent := interiors.bent_in(indices_of_shared(op, body)):
                found[op] = bent
    digits = _digits(found.values(), interiors)
    return {op: bent for op, bent in found.items() if digits.isdisjoint(bent)}


def _digits(
    found: Iterable[Mapping[SSAValue, Straight]], interiors: Interiors
) -> set[SSAValue]:
    """
    The remainders of numbers without neighbours, which those of a stencil have.

    In `b[i % n]` ids go through many periods, so that most are in no interior.
    """
    values = {value: each for bent in found for value, each in bent.items()}
    families: defaultdict[object, dict[int, None]] = defaultdict(dict)
    places: dict[SSAValue, object] = {}
    for value, straight in values.items():
        moves = any(map(interiors.is_counter, interiors.steps(straight.number)))
        if straight.period is not None and not moves:
            family, offset = interiors.family(straight.number)
            places[value] = key = (family, straight.period)
            families[key][offset] = None
    return {value for value, key in places.items() if [*families[key]] == [0]}


def indices_of_shared(op: Operation, body: Operation) -> Sequence[SSAValue]:
    """The indices of `op`, if it accesses memory outside of `body`, and is no atomic update."""
    access = MemoryAccess.of(op)
    if access is None or access.atomic:
        return ()
    memory = (*access.reads(op), *access.writes(op))
    return access.indices(op) or () if all(is_outside(m, body) for m in memory) else ()


def write_number(
    at: Builder, number: Number, copies: Mapping[SSAValue, SSAValue]
) -> SSAValue:
    """Code for `number`, of copies of what it is made of."""
    value = copies.get(number.value, number.value)
    if number.less is None:
        return value
    less = copies.get(number.less, number.less)
    return at.add(arith.SubiOp(value, less), value)


def straighten(
    bent: Mapping[SSAValue, Straight], copies: Mapping[SSAValue, SSAValue]
) -> None:
    """Let numbers stand for copies of bent values."""
    for value, straight in bent.items():
        number = write_number(Builder.after(copies[value]), straight.number, copies)
        copies[value].replace_all_uses_with(number)


@contextmanager
def interior_of(nest: Sequence[scf.ForOp]) -> Generator[Sequence[scf.ForOp]]:
    """What most sub-groups of a nest of work-items do, to look at: a copy if that is less."""
    lanes = [loop.body.block.args[0] for loop in reversed(nest)]
    accesses = bent_accesses(nest[-1], Interiors(nest[0], lanes))
    if not accesses:
        yield nest
        return
    copies: dict[SSAValue, SSAValue] = {}
    copy = nest[0].clone(copies)
    Builder.before(nest[0]).append(copy)
    copied = dict(zip(nest[0].walk(), copy.walk(), strict=True))
    for bent in accesses.values():
        straighten(bent, copies)
    loops = [copied[loop] for loop in nest]
    yield [loop for loop in loops if isinstance(loop, scf.ForOp)]
    copy.detach()
    copy.erase()
