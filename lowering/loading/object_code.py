"""
Object code: what LLVM has written for one machine, and how it gets into memory.

Nothing here needs LLVM on the machines that `elf.py` knows, nor any other part of the
compiler, so that code from a cache is ready in a moment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from ctypes import CDLL, c_void_p, cast
from functools import cache
from typing import NamedTuple

from spmd.lowering.loading.elf import LoadedObject, UnknownObject, is_known
from spmd.lowering.writing.symbols import exported_symbol

VECTOR_LIBRARY = "libmvec.so.1"
"""The vector math functions of glibc, on x86-64 only."""

RUNTIME_LIBRARY = "libgcc_s.so.1"
"""What LLVM calls for f16 on CPUs that cannot convert it themselves."""

LIBRARIES = ("libm.so.6", VECTOR_LIBRARY, RUNTIME_LIBRARY)
"""Where functions are looked for that this process does not have."""


class ObjectCode(NamedTuple):
    """An object file, and the functions in it that others may call."""

    image: bytes
    functions: tuple[str, ...]


class NativeCode:
    """
    Compiled functions; they live as long as this object.

    `address` gives the address of a function of the source, also of the workers and
    sizes that `emit_llvm` adds.
    """

    def __init__(self, addresses: Mapping[str, int], keep: object):
        self.addresses = addresses
        self._keep = keep
        """Keeps the code in memory."""

    def address(self, symbol: str) -> int:
        """The address of a function, by its name in the source."""
        for name in (symbol, exported_symbol(symbol)):
            if name in self.addresses:
                return self.addresses[name]
        raise KeyError(
            f"expected one of the functions {', '.join(sorted(self.addresses))}, "
            f"got {symbol}"
        )

    def __contains__(self, symbol: str) -> bool:
        return symbol in self.addresses or exported_symbol(symbol) in self.addresses


def load(code: ObjectCode, symbols: Mapping[str, int] | None = None) -> NativeCode:
    """
    Makes `code` callable in this process.

    `symbols` are the addresses of functions that it calls, beside those that the process
    and the libraries of the C compiler have. Raises `MissingSymbols`.
    """
    known = symbols or {}
    if is_known(code.image):
        try:
            found = LoadedObject(code.image, lambda n: known.get(n) or address_of(n))
            return NativeCode({n: found.functions[n] for n in code.functions}, found)
        except UnknownObject:
            pass  # LLVM knows them all.
    from spmd.lowering.loading.linking import link

    return NativeCode(*link(*code, known, LIBRARIES))


def address_of(name: str) -> int | None:
    """The address of a function of the C library or another one of this process."""
    for library in (None, *LIBRARIES):
        if (opened := _opened(library)) is not None:
            try:
                return cast(opened[name], c_void_p).value
            except AttributeError:
                continue
    return None


@cache
def _opened(library: str | None) -> CDLL | None:
    try:
        return CDLL(library)
    except OSError:
        return None


SAFE_COMPILE = "SPMD_SAFE_COMPILE"
"""The environment variable; with 1, another process runs LLVM."""


def compiles_in_child() -> bool:
    """What the environment says; a `ValueError` if that is neither yes nor no."""
    text = os.environ.get(SAFE_COMPILE, "0")
    if text not in ("0", "1", ""):
        raise ValueError(f"expected {SAFE_COMPILE} as 0 or 1, got {text!r}")
    return text == "1"
