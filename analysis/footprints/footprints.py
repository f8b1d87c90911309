"""
What a box of work-groups of a launch reads and writes.

`footprints_of` looks at a kernel once; `Footprints.in_launch` puts in the numbers of a
launch, after which the bounds for a box take well below a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from spmd.analysis.footprints.box_bounds import Box, BoxBounds
from spmd.analysis.footprints.cases import cause_of, is_exact
from spmd.analysis.footprints.expressions import Guard, Requirements
from spmd.analysis.footprints.relations import (
    AccessKind,
    Relation,
    Relations,
    relations_of,
)
from spmd.analysis.footprints.words import Anything, footprint_words
from spmd.analysis.memory.polynomials import Atom, Parameter
from spmd.dialects.interfaces.cached import cached_property
from spmd.dialects.spmd import AtomicKind, KernelOp

Triple = tuple[int, int, int]
Region = tuple[range, ...]
"""Elements of an array: a range in each dimension."""


@dataclass(frozen=True)
class Elements:
    """Bounds of the elements that a box accesses."""

    region: Region | None
    """`None`: it accesses none."""
    unknown: Anything | None = None
    """The first access that may be to any element; the region is all of the array then."""


class LaunchFootprints:
    """The footprints of a kernel in one launch."""

    def __init__(
        self,
        relations: Relations,
        global_size: Triple,
        group_size: Triple,
        numbers: Mapping[int, int],
        shapes: Mapping[int, Sequence[int]],
    ):
        self.global_size, self.group_size = global_size, group_size
        self.groups: Triple = (
            -(-global_size[0] // group_size[0]),
            -(-global_size[1] // group_size[1]),
            -(-global_size[2] // group_size[2]),
        )
        self._relations = relations.all
        self._numbers, self._shapes = numbers, shapes
        self._bounds: dict[Relation, BoxBounds | Anything] = {}
        self._known: dict[tuple[int, AccessKind, Box], Elements] = {}

    @property
    def whole(self) -> Box:
        """All groups."""
        x, y, z = self.groups
        return range(x), range(y), range(z)

    def _value(self, atom: Atom) -> int | None:
        if not isinstance(atom, Parameter):
            return None
        match atom.kind:
            case "scalar":
                return self._numbers.get(atom.position)
            case "extent":
                return self._shapes[atom.position][atom.axis]
            case "global_size":
                return self.global_size[atom.axis]
            case _:
                return self.group_size[atom.axis]

    def elements(self, argument: int, kind: AccessKind, box: Box) -> Elements:
        """What the work-groups of `box` (ranges of group ids, x first) access."""
        key = argument, kind, box
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._elements(argument, kind, box)
        return found

    def _elements(self, argument: int, kind: AccessKind, box: Box) -> Elements:
        shape = self._shapes[argument]
        whole = tuple(map(range, shape))
        region: Region | None = None
        if not all(box):
            return Elements(None)
        for relation in self._of(argument, kind):
            bounds = self._of_relation(relation)
            if isinstance(bounds, Anything):
                return Elements(whole, bounds)
            here = bounds.of(box, shape)
            for axis, found in enumerate(here or ()):
                if found == whole[axis] and bounds.causes[axis] and len(found) > 1:
                    unknown = Anything(relation.words, bounds.causes[axis] or "")
                    return Elements(whole, unknown)
            if here is not None:
                region = here if region is None else _hull(region, here)
        return Elements(region)

    def is_exact(self, argument: int, kind: AccessKind, box: Box) -> bool:
        """
        Whether each bound of `elements` is known to be the index of an access.

        Else the region may be too large.
        """
        relations = tuple(self._of(argument, kind))
        found = [self._of_relation(relation) for relation in relations]
        region = self.elements(argument, kind, box).region
        known = [bounds for bounds in found if isinstance(bounds, BoxBounds)]
        if len(known) < len(found) or not self._exact.issuperset(relations):
            return False
        return region is None or all(
            any(bounds.reaches(box, axis, end) for bounds in known)
            for axis, at in enumerate(region)
            for end in (at.start, at.stop - 1)
        )

    def overwritten(self, argument: int, box: Box) -> Region | None:
        """A region of which the groups are sure to write all elements; the largest known."""
        if not all(box):
            return None
        shape = self._shapes[argument]
        found = [
            region
            for relation in self._of(argument, AccessKind.WRITE)
            if relation in self._exact
            and isinstance(bounds := self._of_relation(relation), BoxBounds)
            and bounds.is_dense()
            and (region := bounds.of(box, shape)) is not None
        ]
        return max(found, key=lambda region: prod(map(len, region)), default=None)

    @cached_property
    def _exact(self) -> frozenset[Relation]:
        """The accesses that the launch alone decides about."""
        return frozenset(filter(is_exact, self._relations))

    def _of(self, argument: int, kind: AccessKind) -> Iterator[Relation]:
        for relation in self._relations:
            if relation.argument == argument and relation.kind is kind:
                yield relation

    def _of_relation(self, relation: Relation) -> BoxBounds | Anything:
        found = self._bounds.get(relation)
        if found is None:
            found = self._bounds[relation] = self._prepared(relation)
        return found

    def _prepared(self, relation: Relation) -> BoxBounds | Anything:
        if relation.indices is None:
            return Anything(relation.words, relation.cause)
        for position in reversed(range(len(relation.guards))):
            outer = relation.guards[position + 1 :]
            if not self._hold(relation.guards[position].requires, outer):
                return _wraps(relation, relation.guards[position].requires)
        if not self._hold(relation.requires, relation.guards):
            return _wraps(relation, relation.requires)
        return BoxBounds(
            relation.indices,
            relation.guards,
            self._value,
            (self.global_size, self.group_size),
            causes=tuple(map(cause_of, relation.indices)),
        )

    def _hold(self, requires: Requirements, guards: Sequence[Guard]) -> bool:
        """Whether all that is required is true in the whole launch."""
        sizes = self.global_size, self.group_size
        for each in requires:
            bounds = BoxBounds((each.value,), guards, self._value, sizes)
            if not bounds.are_within(self.whole, each.low, each.high):
                return False
        return True


def _wraps(relation: Relation, requires: Requirements) -> Anything:
    cause = cause_of(*(each.value for each in requires))
    return Anything(relation.words, cause or "numbers that may wrap")


def _hull(a: Region, b: Region) -> Region:
    return tuple(
        range(min(x.start, y.start), max(x.stop, y.stop))
        for x, y in zip(a, b, strict=True)
    )


class Footprints:
    """The elements that a kernel accesses, whatever the launch."""

    def __init__(self, kernel: KernelOp):
        self.kernel = kernel
        self.relations = relations_of(kernel)

    def in_launch(
        self,
        global_size: Triple,
        group_size: Triple,
        numbers: Mapping[int, int],
        shapes: Mapping[int, Sequence[int]],
    ) -> LaunchFootprints:
        """
        The footprints in one launch.

        `numbers` and `shapes` are those of arguments, by position: whole numbers, also
        those of flags, and the sizes of arrays.
        """
        return LaunchFootprints(
            self.relations, global_size, group_size, numbers, shapes
        )

    def __str__(self) -> str:
        lines: list[str] = []
        for argument in self.kernel.body.blocks[0].args:
            for kind in AccessKind:
                words = footprint_words(tuple(self.of(argument.index, kind)))
                if words is not None:
                    name = argument.name_hint or argument.index
                    lines.append(f"{kind.value}s %{name} {words}")
        return "\n".join(lines)

    def of(self, argument: int, kind: AccessKind) -> Iterator[Relation]:
        """The accesses of a kind to an argument."""
        for relation in self.relations.all:
            if relation.argument == argument and relation.kind is kind:
                yield relation

    def reduction(self, argument: int) -> AtomicKind | None:
        """
        How the groups combine what they do to an array, if that is all they do to it.

        Subtractions are additions of what is negated.
        """
        kinds = {
            AtomicKind.ADD if each.reduction is AtomicKind.SUB else each.reduction
            for each in self.relations.all
            if each.argument == argument
        }
        return kinds.pop() if len(kinds) == 1 else None
