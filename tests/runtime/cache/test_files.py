"""Entries as files: whole, or as if there were none."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from spmd.runtime.cache import files

NAME = files.digest("one")
CONTENT = bytes(range(100))
ROOM = 1 << 22


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "of" / "mine")


def read(folder: str, name: str = NAME) -> bytes | None:
    try:
        return files.read(folder, name)
    except OSError:
        return None


def test_what_was_written_is_read(folder: str):
    assert read(folder) is None
    for content in (b"", CONTENT, CONTENT * 1000):
        files.write(folder, NAME, content, ROOM)
        assert read(folder) == content
    assert os.listdir(folder) == [NAME]
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert os.stat(os.path.join(folder, NAME)).st_mode & 0o777 == 0o600
    assert files.usage(folder).entries == 1


def test_every_flipped_byte_is_noticed_and_replaced(folder: str):
    path = os.path.join(folder, NAME)
    files.write(folder, NAME, CONTENT, ROOM)
    whole = Path(path).read_bytes()
    for position in range(len(whole)):
        broken = bytearray(whole)
        broken[position] ^= 1 << position % 8
        Path(path).write_bytes(broken)
        assert read(folder) is None, position
        assert not os.path.exists(path)
        files.write(folder, NAME, CONTENT, ROOM)
        assert read(folder) == CONTENT


def test_every_truncation_and_addition_is_noticed(folder: str):
    files.write(folder, NAME, CONTENT, ROOM)
    path = Path(folder, NAME)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert read(folder) is None, length
    for wrong in (whole + b"\0", whole[:-1] + b"\0" * 5000, b"\0" * len(whole)):
        path.write_bytes(wrong)
        assert read(folder) is None


def test_an_entry_under_another_name_is_not_taken(folder: str):
    other = files.digest("two")
    files.write(folder, NAME, CONTENT, ROOM)
    os.rename(os.path.join(folder, NAME), os.path.join(folder, other))
    assert read(folder, other) is None


def test_only_files_of_the_user_are_read(folder: str, tmp_path: Path):
    files.write(folder, NAME, CONTENT, ROOM)
    path = os.path.join(folder, NAME)
    for mode in (0o620, 0o602):
        os.chmod(path, mode)
        assert read(folder) is None
    os.chmod(path, 0o600)
    assert read(folder) == CONTENT
    moved = tmp_path / "elsewhere"
    os.rename(path, moved)
    os.symlink(moved, path)
    assert read(folder) is None
    os.unlink(path)
    os.mkfifo(path)
    assert read(folder) is None  # and does not wait for somebody who writes
    if os.geteuid() == 0:
        os.unlink(path)
        files.write(folder, NAME, CONTENT, ROOM)
        os.chown(path, 12345, -1)
        assert read(folder) is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_is_not_used(folder: str, mode: int):
    files.write(folder, NAME, CONTENT, ROOM)
    os.chmod(folder, mode)
    with pytest.raises(files.UnusableFolder, match=f"got mode {mode:o}"):
        files.read(folder, NAME)
    with pytest.raises(files.UnusableFolder, match="the user's own"):
        files.write(folder, NAME, b"", ROOM)
    os.chmod(folder, 0o755)
    assert read(folder) == CONTENT


def test_a_folder_of_another_user_is_not_used(folder: str):
    if os.geteuid() != 0:
        pytest.skip("expected to be root, to give a folder away")
    files.write(folder, NAME, CONTENT, ROOM)
    os.chown(folder, 12345, -1)
    for use in (
        lambda: files.read(folder, NAME),
        lambda: files.write(folder, NAME, b"", ROOM),
        lambda: files.clear(folder),
    ):
        with pytest.raises(files.UnusableFolder, match="got one of user 12345"):
            use()


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_full_disk_leaves_nothing(
    folder: str, error: int, monkeypatch: pytest.MonkeyPatch
):
    files.write(folder, NAME, CONTENT, ROOM)

    def no_room(*_: Any, **__: Any) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "replace", no_room)
    with pytest.raises(OSError, match=os.strerror(error)):
        files.write(folder, NAME, b"new", ROOM)
    assert os.listdir(folder) == [NAME]
    assert read(folder) == CONTENT


def test_the_entries_used_longest_ago_make_room(folder: str):
    size, limit = 1000, 16 * 10_000
    names = [files.digest(str(number)) for number in range(1000)]
    mine = [name for name in names if name[0] == "7"]
    assert len(mine) > 40
    for number, name in enumerate(mine):
        files.write(folder, name, bytes(size), limit)
        assert read(folder, mine[0]) is not None, "the one that is always used"
        now = time.time() - 1000 + number
        os.utime(os.path.join(folder, name), (now, now))
        os.utime(os.path.join(folder, mine[0]), (now + 0.5, now + 0.5))
    left = [name for name in mine if os.path.exists(os.path.join(folder, name))]
    assert left[0] == mine[0]
    assert left[1:] == mine[-len(left) + 1 :], "the last ones"
    assert 7 <= len(left) <= 10
    others = [name for name in names if name[0] != "7"]
    for name in others:
        files.write(folder, name, bytes(size), limit)
    assert files.usage(folder).bytes <= limit


def test_what_is_larger_than_its_share_is_not_kept(folder: str):
    files.write(folder, NAME, bytes(2000), 16 * 1000)
    assert read(folder) is None
    files.write(folder, NAME, bytes(500), 16 * 1000)
    assert read(folder) == bytes(500)


def test_what_dying_processes_left_is_removed(folder: str):
    files.write(folder, NAME, CONTENT, ROOM)
    old, new = (os.path.join(folder, f"new-{NAME}-{which}") for which in ("a", "b"))
    for path in (old, new):
        Path(path).write_bytes(b"half")
    long_ago = time.time() - 7200
    os.utime(old, (long_ago, long_ago))
    files.write(folder, NAME, CONTENT, ROOM)
    assert not os.path.exists(old)
    assert os.path.exists(new), "somebody may be writing it"


def test_clear_leaves_what_is_not_ours(folder: str):
    files.write(folder, NAME, CONTENT, ROOM)
    notes = Path(folder, "notes.txt")
    notes.write_text("mine")
    Path(folder, f"new-{NAME}-a").write_bytes(b"half")
    files.clear(folder)
    assert os.listdir(folder) == ["notes.txt"]
