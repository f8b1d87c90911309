"""What a task does: some work-groups of a launch, on pieces of its arrays."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from spmd.analysis.footprints.box_bounds import Box, Triple
from spmd.analysis.footprints.footprints import Region
from spmd.dialects.interfaces.cached import cached_property
from spmd.dialects.spmd import AtomicKind
from spmd.runtime.arguments.pieces import Array, Piece
from spmd.runtime.errors import LaunchError
from spmd.runtime.kernel import Kernel

Slices = tuple[slice, ...]


def slices_of(region: Region) -> Slices:
    """What an array is indexed with for the elements of a region."""
    return tuple(slice(along.start, along.stop) for along in region)


@dataclass(frozen=True, eq=False)
class PieceLaunch:
    """A launch whose tasks get pieces of the arrays; it travels to where they run."""

    kernel: Kernel
    numbers: tuple[Any, ...]
    """The arguments; `None` for arrays."""
    shapes: tuple[tuple[int, ...] | None, ...]
    global_size: Triple
    group_size: Triple
    edges: Triple
    """Divide the numbers of work-items where boxes begin and end within the launch."""
    threads: int
    turns: tuple[int, ...]
    """For each argument: which one's array it gets between two steps."""

    @cached_property
    def _kernel(self) -> bytes:
        return pickle.dumps(self.kernel)

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (
            self._kernel,
            self.numbers,
            self.shapes,
            self.global_size,
            self.group_size,
            self.edges,
            self.threads,
            self.turns,
        )


@lru_cache(maxsize=64)
def _unpickled(data: bytes) -> Kernel:
    """A kernel, which each process compiles once."""
    return pickle.loads(data)


def _arrived(kernel: bytes, *others: Any) -> PieceLaunch:
    return PieceLaunch(_unpickled(kernel), *others)


@dataclass(frozen=True, eq=False)
class ArgumentPiece:
    """How a task makes its piece of an array from what it gets."""

    position: int
    start: tuple[int, ...]
    sizes: tuple[int, ...]
    dtype: Any
    writes: bool
    is_whole_rows: bool
    """Whether the rows of the piece have to lie in memory one after the other."""

    parts: tuple[tuple[Slices | None, Slices], ...] = ()
    """Of each part that the task gets: which elements are meant, and where they go."""

    neutral: AtomicKind | None = None
    """What the piece is filled with: what changes nothing in updates of this kind."""

    into: Array | None = None
    """Memory for it that outlives the task."""

    def array(self, chunks: Sequence[Any]) -> Array:
        """The piece; of one that is only read no copy is made if none is needed."""
        parts = [
            part_of(chunk, inside, place)
            for chunk, (inside, place) in zip(chunks, self.parts, strict=True)
        ]
        if parts and not self.writes:
            found = self.view(parts)
            if found is not None:
                return found
        made = self.into
        if made is None:
            made = np.empty(self.sizes, self.dtype)
        if self.neutral is not None:
            made[...] = neutral(self.neutral, np.dtype(self.dtype))
        for (_, place), part in zip(self.parts, parts, strict=True):
            there = made[place]
            if where(there) != where(part):
                there[...] = part
        return made

    def view(self, parts: Sequence[Array]) -> Array | None:
        """The parts as one array that is only read, if that is how they lie in memory."""
        pairs = zip(parts, self.parts, strict=True)
        if len({_origin(part, place) for part, (_, place) in pairs}) > 1:
            return None
        first = parts[0]
        first = as_strided(first, self.sizes, first.strides, writeable=False)
        flags, size = first.flags, first.itemsize
        fits = (
            flags.aligned
            and (flags.c_contiguous or not self.is_whole_rows)
            and all(step >= 0 and step % size == 0 for step in first.strides)
            and (not first.ndim or first.strides[-1] == size)
        )
        return first if fits else None


def part_of(chunk: Any, inside: Slices | None, place: Slices) -> Array:
    """The elements of a chunk that are meant, for this place of a piece."""
    part = np.asarray(chunk if inside is None else chunk[inside])
    sizes = tuple(along.stop - along.start for along in place)
    if part.shape != sizes:
        raise LaunchError(
            "expected chunks of the sizes that their array says, got one of "
            f"{np.shape(chunk)}, from which {sizes} elements are needed; give the function "
            "that makes them chunks= that it keeps"
        )
    return part


def where(array: Array) -> Any:
    """In which memory an array lies, and how."""
    return array.__array_interface__["data"][0], array.shape, array.strides


def _origin(part: Array, place: Slices) -> Any:
    """Where an array would start whose elements from `place` on are `part`."""
    address, _, strides = where(part)
    before = sum(s.start * step for s, step in zip(place, strides, strict=True))
    return address - before, strides


@dataclass(frozen=True, eq=False)
class BoxTask:
    """Runs some groups, in one or more steps; called with the parts of all pieces."""

    launch: PieceLaunch
    boxes: Sequence[Box]
    pieces: Sequence[ArgumentPiece]
    results: Sequence[tuple[int, Slices | None]]
    """The arguments whose pieces the task gives back, which are new, or what of these."""

    def __reduce__(self) -> tuple[Any, ...]:
        if any(piece.into is not None for piece in self.pieces):
            raise LaunchError(
                f"{self.launch.kernel.name}: expected tasks in the process that has the "
                "memory given with into=, got a scheduler of other processes; use "
                "scheduler='threads', or store what a launch without into= gives"
            )
        return BoxTask, (self.launch, self.boxes, self.pieces, self.results)

    def __call__(self, *parts: Any) -> Any:
        launch = self.launch
        args = list(launch.numbers)
        taken = 0
        for piece in self.pieces:
            count = len(piece.parts)
            array = piece.array(parts[taken : taken + count])
            taken += count
            shape = launch.shapes[piece.position]
            assert shape is not None, "a piece is one of an array"
            args[piece.position] = Piece(array, piece.start, shape)
        for step, box in enumerate(self.boxes):
            if step:
                args = [args[source] for source in launch.turns]
            if all(box):
                launch.kernel.bind_box(
                    box,
                    *args,
                    global_size=launch.global_size,
                    group_size=launch.group_size,
                    edges=launch.edges,
                    threads=launch.threads,
                )()
        found = [
            args[position].elements[() if inside is None else inside]
            for position, inside in self.results
        ]
        return found[0] if len(found) == 1 else found


# --- reductions -------------------------------------------------------------------------


def neutral(kind: AtomicKind, dtype: np.dtype[Any]) -> Any:
    """What changes nothing when it is combined with another element."""
    if kind in (AtomicKind.MIN, AtomicKind.MAX):
        if dtype.kind == "f":
            return np.inf if kind is AtomicKind.MIN else -np.inf
        limits = np.iinfo(f"i{dtype.itemsize}")
        bits = np.array(
            limits.max if kind is AtomicKind.MIN else limits.min, limits.dtype
        )
        return bits.view(dtype)
    if kind in (AtomicKind.AND, AtomicKind.MINUI):
        return np.array(-1, f"i{dtype.itemsize}").view(dtype)
    # Unlike 0.0, -0.0 does not change -0.0.
    return -0.0 if dtype.kind == "f" else 0


_COMBINED: dict[AtomicKind, tuple[Callable[..., Any], str]] = {
    AtomicKind.ADD: (np.add, ""),
    AtomicKind.MIN: (np.minimum, "i"),
    AtomicKind.MAX: (np.maximum, "i"),
    AtomicKind.MINUI: (np.minimum, "u"),
    AtomicKind.MAXUI: (np.maximum, "u"),
    AtomicKind.AND: (np.bitwise_and, ""),
    AtomicKind.OR: (np.bitwise_or, ""),
    AtomicKind.XOR: (np.bitwise_xor, ""),
}
"""What combines two arrays, and whether it takes integers for signed or unsigned."""


def _extreme(function: Callable[..., Any], a: Array, b: Array) -> Array:
    """
    The smaller or larger of floats: of zeros the one that IEEE 754's operations take.

    That is -0.0 for the minimum. NumPy takes either.
    """
    signs = np.bitwise_or if function is np.minimum else np.bitwise_and
    bits = f"i{a.dtype.itemsize}"
    return np.where(
        a == b, signs(a.view(bits), b.view(bits)).view(a.dtype), function(a, b)
    )


def combined(kind: AtomicKind, arrays: Sequence[Any]) -> Array:
    """What groups did to an array in different tasks, together."""
    function, sign = _COMBINED[kind]
    first = np.asarray(arrays[0])
    seen = first.dtype
    if sign and seen.kind in "iu":
        seen = np.dtype(f"{sign}{seen.itemsize}")
    elif sign and seen.kind == "f":
        function = partial(_extreme, function)
    views = [np.asarray(each).view(seen) for each in arrays]
    with np.errstate(all="ignore"):
        return reduce(function, views).view(first.dtype)
