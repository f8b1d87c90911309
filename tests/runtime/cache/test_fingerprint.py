"""No code of a compiler that is not this one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import spmd
from spmd.runtime.cache import fingerprint
from spmd.runtime.cache.fingerprint import Edited, contents, machine, state


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a compiler that was installed before this process began."""
    for folder in ("analysis", "dialects", "lowering", "passes/deep", "runtime"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "code.py").write_text(f"# {folder}")
    monkeypatch.setattr(fingerprint, "_root", lambda: str(tmp_path))
    monkeypatch.setattr(spmd, "LOADED_NS", time.time_ns() + 10**12)
    return tmp_path


def test_every_edit_is_another_compiler(compiler: Path):
    states, texts = {state()}, {contents()}
    assert state() in states
    assert contents() in texts
    file = compiler / "passes" / "deep" / "code.py"
    status = file.stat()

    def edit(text: str) -> None:
        time.sleep(0.02)  # the clock of files has ticks
        file.write_text(text)

    edit("# other text that is longer")
    states.add(state())
    texts.add(contents())
    edit("# passes/deeq")  # as long as the first
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    states.add(state())
    texts.add(contents())
    file.rename(compiler / "passes" / "code.py")
    states.add(state())
    texts.add(contents())
    assert len(states) == len(texts) == 4


def test_the_same_contents_are_the_same_compiler(compiler: Path):
    before = state(), contents()
    time.sleep(0.02)
    os.utime(compiler / "runtime" / "code.py")
    assert state() != before[0]
    assert contents() == before[1]


def test_other_files_do_not_matter(compiler: Path):
    before = state()
    (compiler / "passes" / "notes.md").write_text("text")
    (compiler / "passes" / "__pycache__").mkdir()
    (compiler / "passes" / "__pycache__" / "code.py").write_text("code")
    assert state() == before


def test_an_edit_while_the_process_runs(
    compiler: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(spmd, "LOADED_NS", time.time_ns() + 30_000_000)
    time.sleep(0.05)
    state()
    (compiler / "runtime" / "code.py").write_text("# new")
    with pytest.raises(Edited):
        state()


def test_the_compiler_that_runs():
    assert len(contents()) == len(machine()) == 40
    assert machine() == machine()
