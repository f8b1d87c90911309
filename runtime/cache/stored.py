"""What is compiled once for all processes: made, or found in the cache."""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from spmd.lowering.loading.elf import MissingSymbols
from spmd.runtime.cache.disk import cache

MadeT = TypeVar("MadeT")
UsedT = TypeVar("UsedT")

compiling = threading.RLock()
"""Held while code is compiled; a `fork` waits for it, LLVM being in no middle state."""


def _always() -> bool:
    return True


def stored(
    key: tuple[Any, ...],
    make: Callable[[], MadeT],
    use: Callable[[MadeT], UsedT],
    is_storable: Callable[[], bool] = _always,
) -> UsedT:
    """
    What `use` gives of what `make` gives, or gave for the same `key` in another process.

    The key is of values whose `repr` says all; what is made can be pickled. It is stored
    when it has been used, if then `is_storable`.
    """
    entry = cache.entry(repr(key))
    if entry is not None and (found := entry.read()) is not None:
        # What was stored may call functions that are not installed any more.
        with suppress(MissingSymbols):
            return use(pickle.loads(found))
    with compiling, _uncollected():
        made = make()
    used = use(made)
    if entry is not None and is_storable():
        entry.write(pickle.dumps(made, pickle.HIGHEST_PROTOCOL))
    return used


@contextmanager
def _uncollected() -> Generator[None]:
    """
    Python's collector of cycles waits meanwhile, and then finds all IR dead at once.

    It would look through the whole process when as much IR has been made as a compilation
    makes of it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_held: list[Any] = []


def _hold() -> None:
    compiling.acquire()
    if (binding := sys.modules.get("spmd.lowering.llvm_binding")) is not None:
        lock = binding.llvm.ffi.lib._lock  # also taken when something of LLVM is freed
        lock.__enter__()
        _held.append(lock)


def _let_go() -> None:
    while _held:
        _held.pop().__exit__()
    compiling.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
