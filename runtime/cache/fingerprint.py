"""
What compiled code depends on beside its source: this compiler, LLVM and the machine.

The compiler is told by the contents of its files, so that whoever edits one never gets
code of the one before. Reading all of them takes longer than a launch from the cache may;
where each file is known to be as it was, what they contained is remembered.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec

import spmd
from spmd.runtime.cache.files import digest

_FOLDERS = ("analysis", "dialects", "lowering", "passes", "runtime")
"""What has a part in making code of IR."""

_LIBRARIES = ("xdsl", "llvmlite")

_CLOCK_NS = 20_000_000
"""By how much the clock of a file system may be late."""

_CPU_FIELDS = frozenset(
    (
        *("vendor_id", "cpu family", "model", "model name", "stepping", "flags"),
        *("CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"),
    )
)


class Edited(Exception):
    """A file of the compiler was changed since this process began to load it."""


def _root() -> str:
    assert spmd.__file__ is not None, "a package with an __init__"
    return os.path.dirname(spmd.__file__)


def _sources(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                yield entry
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _sources(entry.path)


def _files() -> list[os.DirEntry[str]]:
    root = _root()
    return [entry for name in _FOLDERS for entry in _sources(os.path.join(root, name))]


@cache
def _libraries() -> tuple[str, ...]:
    """A file of each library that every version of it has another one of."""
    found: list[str] = []
    for name in _LIBRARIES:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            version = os.path.join(os.path.dirname(spec.origin), "_version.py")
            found.append(version if os.path.exists(version) else spec.origin)
    return tuple(found)


def state() -> str:
    """
    Which files the compiler consists of, and when each was changed.

    Raises `Edited`, after which what this process compiles may be of any version, and
    `OSError`.
    """
    lines: list[str] = []
    newest = 0
    statuses = [(entry.path, entry.stat()) for entry in _files()]
    statuses += [(path, os.stat(path)) for path in _libraries()]
    for path, status in statuses:
        # Unlike the time of the last write, that of the last change is nobody's to set.
        newest = max(newest, status.st_ctime_ns)
        lines.append(f"{path} {status.st_ino} {status.st_size} {status.st_ctime_ns}")
    if newest > spmd.LOADED_NS - _CLOCK_NS:
        raise Edited
    return "\n".join(lines)


def contents() -> str:
    """What the files contain, and the versions of the libraries; takes some milliseconds."""
    from importlib.metadata import version

    from spmd.lowering.llvm_binding import llvm

    root = _root()
    texts = [repr(llvm.llvm_version_info), *(version(name) for name in _LIBRARIES)]
    for entry in _files():
        with open(entry.path, "rb") as file:
            texts += [os.path.relpath(entry.path, root), repr(file.read())]
    return digest("\0".join(texts))


@cache
def machine() -> str:
    """The CPU, the C library and Python, as far as code depends on them."""
    cpu = _cpu()
    if not cpu:
        from spmd.lowering.machine import host_machine

        cpu = repr(host_machine())
    library = os.confstr("CS_GNU_LIBC_VERSION") if "gnu" in _platform() else ""
    return digest(f"{cpu}\0{library}\0{_platform()}\0{sys.version}")


def _platform() -> str:
    return str(getattr(sys.implementation, "_multiarch", sys.platform))


def _cpu() -> str:
    """What Linux says of the first CPU; nothing where there is no such file."""
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            text = file.read(8192).decode(errors="replace")
    except OSError:
        return ""
    lines = text.partition("\n\n")[0].splitlines()
    kept = [line for line in lines if line.partition(":")[0].strip() in _CPU_FIELDS]
    return "\n".join(kept)


def fingerprint(remembered: Callable[[str, Callable[[], str]], str]) -> tuple[str, str]:
    """
    The state of the compiler, and a digest of everything that code depends on.

    `remembered(key, make)` is what `make()` gave for this key before, if that is known.
    """
    now = state()
    compiler = remembered(digest(now), contents)
    return now, f"{compiler}\0{machine()}"
