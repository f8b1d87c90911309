"""`spmd.cache`: compiled code that the next process finds."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from spmd.runtime.cache import files
from spmd.runtime.cache.fingerprint import Edited, fingerprint, state
from spmd.runtime.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

FOLDER_VARIABLE = "SPMD_CACHE_DIR"
SIZE_VARIABLE = "SPMD_CACHE_MIB"

DEFAULT_MIB = 256
"""How large the cache may become: some ten thousand kernels."""


class CacheInfo(NamedTuple):
    """What `spmd.cache.info()` tells."""

    path: str | None
    """The folder, or `None` if there shall be none."""
    entries: int
    bytes: int
    limit: int
    """Bytes from which on the entries are removed that were used longest ago."""
    hits: int
    """What this process has found in the cache."""
    misses: int
    """What it has looked for in vain."""
    off: str | None
    """Why the cache is not used, if it is not."""


class Cache:
    """
    The code that was compiled by any process of this user.

    It lies in `SPMD_CACHE_DIR`, else in the user's folder for caches; no folder at all if
    the variable is empty. `SPMD_CACHE_MIB` is how large it may become.
    """

    def __init__(self) -> None:
        self.hits = 0
        self.misses = 0
        self._off: str | None = None
        self._fingerprint: tuple[str, str] | None = None

    def __repr__(self) -> str:
        return f"<spmd cache in {_folder() or 'no folder'}>"

    @property
    def path(self) -> Path | None:
        """The folder, which need not exist yet; `None` if the cache is switched off."""
        from pathlib import Path

        folder = _folder()
        return None if folder is None else Path(folder)

    def info(self) -> CacheInfo:
        """Where the cache is, what is in it, how it has served, and why not if it does not."""
        folder, limit = _folder(), _limit()
        off, used = self._off, files.Usage(0, 0)
        if folder is None:
            off = f"{FOLDER_VARIABLE} is empty"
        else:
            try:
                used = files.usage(folder)
            except FileNotFoundError:
                pass
            except OSError as error:
                off = str(error)
        return CacheInfo(folder, *used, limit, self.hits, self.misses, off)

    def clear(self) -> None:
        """Removes everything from the cache; what is loaded already stays in use."""
        folder = _folder()
        if folder is not None:
            with suppress(OSError):  # `info` says why
                files.clear(folder)

    def switch_off(self, why: str) -> None:
        """From now on neither read nor write: code depends on what only this process has."""
        self._off = why

    def entry(self, key: str) -> Entry | None:
        """Where what is made for `key` is kept; `None` if nothing is."""
        folder = _folder()
        if folder is None or self._off is not None:
            return None
        if self._fingerprint is None:
            try:
                self._fingerprint = fingerprint(self._remembered)
            except Edited:
                self.switch_off("the compiler was edited while the process ran")
                return None
            except OSError as error:
                self.switch_off(f"the files of the compiler cannot be read: {error}")
                return None
        name = files.digest(f"{self._fingerprint[1]}\0{key}")
        return Entry(self, folder, name)

    def is_current(self) -> bool:
        """Whether the compiler is the one that entries are named after."""
        assert self._fingerprint is not None, "entries have names"
        try:
            return state() == self._fingerprint[0]
        except (Edited, OSError):
            return False

    def _remembered(self, key: str, make: Callable[[], str]) -> str:
        folder = _folder()
        assert folder is not None, "asked for by an entry"
        entry = Entry(None, folder, key)
        if (found := entry.read()) is not None:
            return found.decode()
        made = make()
        entry.write(made.encode())
        return made


class Entry:
    """One entry of the cache, whether it is there or not."""

    def __init__(self, cache: Cache | None, folder: str, name: str):
        self._cache = cache
        self._folder = folder
        self._name = name

    def read(self) -> bytes | None:
        """What was written, by whichever process."""
        try:
            found = files.read(self._folder, self._name)
        except OSError:
            found = None
        if self._cache is not None:
            self._cache.hits += found is not None
            self._cache.misses += found is None
        return found

    def write(self, content: bytes) -> None:
        """Keeps `content` if that is possible."""
        if self._cache is not None and not self._cache.is_current():
            return
        with suppress(OSError):  # a full disk costs the time to compile, and no more
            files.write(self._folder, self._name, content, _limit())


def _folder() -> str | None:
    given = os.environ.get(FOLDER_VARIABLE)
    if given is not None:
        return os.path.abspath(os.path.expanduser(given)) if given else None
    if not hasattr(os, "geteuid"):
        return None  # where nobody says whose a file is
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.cache")
    return os.path.join(base, "spmd") if os.path.isabs(base) else None


def _limit() -> int:
    text = os.environ.get(SIZE_VARIABLE, str(DEFAULT_MIB))
    if not text.isdecimal():
        raise CompileError(
            f"expected {SIZE_VARIABLE} as a whole number of MiB, got {text!r}"
        )
    return int(text) << 20


cache = Cache()
"""The cache of this process."""
