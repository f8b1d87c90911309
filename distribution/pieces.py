"""What a task does: some work-groups of a launch, on pieces of its arrays."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, cast

import numpy as np

from spmd.dialects.spmd import AtomicKind
from spmd.runtime.arguments.pieces import Array, Piece
from spmd.runtime.kernel import Kernel


@lru_cache(maxsize=64)
def _unpickled(data: bytes) -> Kernel:
    """A kernel, which each process compiles once."""
    return pickle.loads(data)


@dataclass(frozen=True)
class PieceLaunch:
    """A launch whose tasks get pieces of the arrays; it travels to where they run."""

    kernel: bytes
    """Pickled: source and options."""
    numbers: tuple[Any, ...]
    """The arguments; `None` for arrays."""
    shapes: tuple[tuple[int, ...] | None, ...]
    global_size: tuple[int, int, int]
    group_size: tuple[int, int, int]
    threads: int

    def __call__(
        self,
        runs: Sequence[tuple[int, int]],
        starts: Sequence[tuple[int, ...] | None],
        written: Sequence[int],
        pieces: Sequence[Any],
    ) -> list[Array]:
        """
        Runs some groups; returns the pieces of the arguments `written`, which are new.

        `pieces` are the elements of each array from `starts` on, as one array each, as
        parts with the place of each, or as the kind of a reduction, which starts anew.
        """
        args = list(self.numbers)
        results: dict[int, Array] = {}
        for position, (start, given) in enumerate(zip(starts, pieces, strict=True)):
            shape = self.shapes[position]
            if start is None or shape is None:
                continue
            array = assembled(given)
            if position in written:
                results[position] = array = np.array(array, order="C")
            # What came over the network lies anywhere.
            args[position] = Piece(np.require(array, None, ["C", "A"]), start, shape)
        if runs:
            kernel = _unpickled(self.kernel)
            launch = kernel.bind(
                *args,
                global_size=self.global_size,
                group_size=self.group_size,
                threads=self.threads,
            )
            launch.only(runs)()
        return [results[position] for position in written]


@dataclass(frozen=True)
class Parts:
    """A piece of an array that lies in several chunks: where each part goes."""

    shape: tuple[int, ...]
    places: tuple[tuple[slice, ...], ...]


def assembled(given: Any) -> Array:
    """One array of a piece that may come in parts."""
    if isinstance(given, Neutral):
        return given.array()
    if not isinstance(given, list):
        return np.asarray(given)
    how, *parts = cast("list[Any]", given)
    assert isinstance(how, Parts)
    whole = cast(Array, np.empty(how.shape, parts[0].dtype))
    for place, part in zip(how.places, parts, strict=True):
        whole[place] = part
    return whole


# --- reductions -------------------------------------------------------------------------


@dataclass(frozen=True)
class Neutral:
    """An array that changes nothing when it is combined with another."""

    kind: AtomicKind
    shape: tuple[int, ...]
    dtype: Any

    def array(self) -> Array:
        """The array."""
        return np.full(
            self.shape, _neutral(self.kind, np.dtype(self.dtype)), self.dtype
        )


def _neutral(kind: AtomicKind, dtype: np.dtype[Any]) -> Any:
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
    return 0


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


def combined(kind: AtomicKind, arrays: Sequence[Any]) -> Array:
    """What groups did to an array in different tasks, together."""
    function, sign = _COMBINED[kind]
    first = np.asarray(arrays[0])
    seen = first.dtype
    if sign and seen.kind in "iu":
        seen = np.dtype(f"{sign}{seen.itemsize}")
    views = [np.asarray(each).view(seen) for each in arrays]
    with np.errstate(all="ignore"):
        return reduce(function, views).view(first.dtype)
