"""Puts object files into memory by LLVM's own linker, for machines that `elf.py` lacks."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from spmd.lowering.llvm_binding import initialize_llvm, llvm
from spmd.lowering.loading.elf import MissingSymbols

_lock = threading.Lock()
_numbers = itertools.count()


def link(
    image: bytes,
    functions: Iterable[str],
    symbols: Mapping[str, int],
    libraries: Iterable[str],
) -> tuple[Mapping[str, int], object]:
    """
    The addresses of the `functions` of an object file, and what keeps them in memory.

    `symbols` are the addresses of what it calls, beside what this process has and the
    `libraries`, as far as these are installed.
    """
    builder = llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
    for name in functions:
        builder.export_symbol(name)
    for name, address in symbols.items():
        builder.import_symbol(name, address)
    with _lock:
        for library in libraries:
            with contextlib.suppress(RuntimeError):
                llvm.load_library_permanently(library)
        try:
            tracker = builder.link(_jit(), f"spmd.{next(_numbers)}")
        except RuntimeError as error:
            raise MissingSymbols(str(error)) from None
    return {name: tracker[name] for name in functions}, tracker


@cache
def _jit() -> Any:
    initialize_llvm()
    return llvm.create_lljit_compiler()
