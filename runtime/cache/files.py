"""
Entries as files of one folder: read and written by many processes, of which any may die.

A file is written under another name and renamed when it is complete, so there are no
halves of one; a checksum tells what the disk has made of it since. Nobody locks anything:
two processes that make the same entry write the same twice.

Only files are read that are the user's and that nobody else can write, in a folder that
is as well: code comes out of them. Whatever fails is as if there were no entry.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

try:
    from _blake2 import blake2b  # `hashlib` loads all of OpenSSL
except ImportError:
    from hashlib import blake2b

_MAGIC = b"spmd cache 1\n"
_CHECKSUM_BYTES = 16

_TEMPORARY = "new-"
_MOST_SECONDS_TO_WRITE = 3600
"""A temporary file that is older has been left by a process that died."""

_DIGITS = "0123456789abcdef"

_SHARES = len(_DIGITS)
"""The entries that begin with the same digit share a part of the room."""

_ROOM_LEFT = 0.1
"""Of a share, what is free after it was full."""


class UnusableFolder(OSError):
    """Why a folder cannot be the cache, in words."""


class Usage(NamedTuple):
    """What is in a folder."""

    entries: int
    bytes: int


def digest(text: str) -> str:
    """A name for `text`, of hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


@contextmanager
def opened(path: str, *, create: bool = False) -> Generator[int]:
    """
    The descriptor of the folder `path`.

    Raises `OSError`, which is an `UnusableFolder` if others can write in it.
    """
    if create:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(path, 0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if (why := _why_not_trusted(os.fstat(folder))) is not None:
            raise UnusableFolder(f"expected the folder {path} as the user's own, {why}")
        yield folder
    finally:
        os.close(folder)


def _why_not_trusted(status: os.stat_result) -> str | None:
    if status.st_uid != os.geteuid():
        return f"got one of user {status.st_uid}"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"got mode {stat.S_IMODE(status.st_mode):o}; take the others' right to write"
    return None


def read(path: str, name: str) -> bytes | None:
    """What the entry `name` of the folder `path` has, or `None` if there is none."""
    with opened(path) as folder:
        file = os.open(
            name,
            os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            dir_fd=folder,
        )
        with open(file, "rb") as stream:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or _why_not_trusted(status) is not None:
                return None
            content = stream.read()
            start = len(_MAGIC) + _CHECKSUM_BYTES
            payload = content[start:]
            if content[:start] == _head(name, payload):
                with suppress(OSError):  # the file system may be read-only
                    os.utime(file)
                return payload
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
    return None


def _head(name: str, payload: bytes) -> bytes:
    checksum = blake2b(payload, key=name.encode(), digest_size=_CHECKSUM_BYTES)
    return _MAGIC + checksum.digest()


def write(path: str, name: str, payload: bytes, limit: int) -> None:
    """Makes an entry, and removes the ones used longest ago beyond `limit` bytes."""
    share = limit // _SHARES
    content = _head(name, payload) + payload
    if len(content) > share:
        return
    with opened(path, create=True) as folder:
        temporary = f"{_TEMPORARY}{name}-{os.urandom(8).hex()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            file = os.open(temporary, flags, 0o600, dir_fd=folder)
            with open(file, "wb") as stream:
                stream.write(content)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        _make_room(folder, name[0], share)


def _make_room(folder: int, digit: str, share: int) -> None:
    entries = [
        (status.st_mtime_ns, status.st_size, name)
        for name, status in _files(folder, digit)
    ]
    total = sum(size for _, size, _ in entries)
    if total <= share:
        return
    for _, size, name in sorted(entries):
        if total <= share * (1 - _ROOM_LEFT):
            break
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        total -= size


def _files(
    folder: int, digits: str = _DIGITS, every: bool = False
) -> Iterator[tuple[str, os.stat_result]]:
    """
    The entries that begin with one of these `digits`.

    Such files that dying processes have left are removed, or all that are not complete.
    """
    now = time.time()
    ours = *digits, *(_TEMPORARY + digit for digit in digits)
    for name in os.listdir(folder):
        if not name.startswith(ours):
            continue
        with suppress(OSError):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not name.startswith(_TEMPORARY):
                yield name, status
            elif every or now - status.st_mtime > _MOST_SECONDS_TO_WRITE:
                os.unlink(name, dir_fd=folder)


def usage(path: str) -> Usage:
    """How many entries there are in the folder, and how large they are."""
    with opened(path) as folder:
        sizes = [status.st_size for _, status in _files(folder)]
    return Usage(len(sizes), sum(sizes))


def clear(path: str) -> None:
    """Removes all entries of the folder, and leaves what else is in it."""
    with opened(path) as folder:
        for name, _ in _files(folder, every=True):
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
