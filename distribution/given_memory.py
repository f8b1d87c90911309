"""
Memory that is given for results, which other tasks must not read, or write, at the same time.

Tasks run in any order. So what one of them stores must not be what another one needs as it was:
elements of an array that lies in the same memory, as a memory map that is read, or one of its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import getclosurevars, isfunction
from itertools import combinations
from typing import Any

import numpy as np

from spmd.distribution.accesses import ArrayUse
from spmd.distribution.graph import local_workers, view_of
from spmd.distribution.pieces import BoxTask, where
from spmd.runtime.arguments.arrays import overlap
from spmd.runtime.arguments.mapped_files import mapped_twice
from spmd.runtime.arguments.pieces import Array
from spmd.runtime.errors import LaunchError


def check_given_memory(
    kernel: str,
    uses: Sequence[ArrayUse],
    arrays: Mapping[int, Any],
    into: Mapping[str, Array],
) -> None:
    """That results fit into the memory that is given for them, and that it is theirs alone."""
    written = {use.name: arrays[use.position] for use in uses if use.writes}
    for name, memory in into.items():
        _check_fits(kernel, written, name, memory)
    for (name, memory), (other, same) in combinations(into.items(), 2):
        if _overlap(memory, same):
            raise LaunchError(
                f"{kernel}: expected into= arrays that do not overlap, got overlapping ones "
                f"for {name!r} and {other!r}"
            )
    for name, memory in into.items():
        for use in uses:
            found = arrays[use.position]
            if use.name == name and _is_view_of(use, found, memory):
                continue  # A task reads no elements of it but those that it writes.
            if any(_overlap(memory, part) for part in _in_graph(found)):
                raise LaunchError(
                    f"{kernel}: expected into= an array for {name!r} that no task reads, got "
                    f"memory of what is given for %{use.name}; give other memory, or a copy"
                )


def _check_fits(
    kernel: str, written: Mapping[str, Any], name: str, memory: Array
) -> None:
    if name not in written:
        raise LaunchError(
            f"{kernel}: expected into= for arrays that are written "
            f"({', '.join(written) or 'there are none'}), got one for {name!r}"
        )
    wanted, got = (
        f"shape {each.shape} and dtype {each.dtype}" for each in (written[name], memory)
    )
    if wanted != got or not memory.flags.c_contiguous:
        raise LaunchError(
            f"{kernel}: expected into= a C-contiguous array for {name!r} with {wanted}, "
            f"got {got} with strides {memory.strides}"
        )
    if not local_workers():
        raise LaunchError(
            f"{kernel}: expected a scheduler of this process for tasks that write into= an "
            "array of it, got one of other processes; leave into= out"
        )


def _overlap(first: Array, second: Array) -> bool:
    both = first, second
    return overlap(*both) or mapped_twice(both, [(0, 1)]) is not None


def _is_view_of(use: ArrayUse, array: Any, memory: Array) -> bool:
    """Whether all elements of an array of Dask are where they would be written to."""
    found = view_of(use, array)
    return found is not None and where(found) == where(memory)


_HELD = ("func", "args", "kwargs", "keywords", "value")
"""Where tasks of Dask, and partial functions, have what they consist of."""

# As tuples of plain classes: narrowing to generic ones helps no type checker.
_ARRAYS: tuple[type, ...] = (np.ndarray,)
_SEQUENCES: tuple[type, ...] = (tuple, list)
_TABLES: tuple[type, ...] = (Mapping,)


def _in_graph(array: Any) -> Iterator[Array]:
    """The arrays of this process that tasks of an array of Dask read or write."""
    pending: list[Any] = [dict(array.__dask_graph__())]
    functions = set[Any]()
    while pending:
        each = pending.pop()
        if isinstance(each, _ARRAYS):
            yield each
        elif isfunction(each):
            if each not in functions:
                functions.add(each)
                pending.extend(_named_in(each))
        elif isinstance(each, BoxTask):
            yield from (piece.into for piece in each.pieces if piece.into is not None)
        elif isinstance(each, _TABLES):
            pending.extend(each.values())
        elif isinstance(each, _SEQUENCES):
            pending.extend(each)
        elif not isinstance(each, str | int | float | slice | None):
            pending.extend(getattr(each, name, None) for name in _HELD)


def _named_in(function: Any) -> Iterator[Any]:
    """What a function of a user has from around it, or as a default."""
    names = getclosurevars(function)
    yield from names.nonlocals.values()
    # Not functions: all of NumPy and Dask could be found from there.
    yield from (v for v in names.globals.values() if isinstance(v, _ARRAYS))
    yield function.__defaults__
    yield function.__kwdefaults__
