"""How command lines end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spmd.runtime.errors import CompileError
from spmd.tools.command_line import exit_status, read_source


def raising(error: BaseException):
    def run() -> int:
        raise error

    return run


def test_what_ran_has_the_last_word():
    assert exit_status("program", lambda: 3) == 3


def test_a_stop_from_the_keyboard_is_no_traceback(capsys: pytest.CaptureFixture[str]):
    assert exit_status("program", raising(KeyboardInterrupt())) == 130
    assert not capsys.readouterr().err


def test_an_error_of_the_user_has_the_name_of_the_program(
    capsys: pytest.CaptureFixture[str],
):
    assert exit_status("program", raising(CompileError("expected more"))) == 1
    assert "program: error: expected more" in capsys.readouterr().err


def test_a_failure_of_ours_is_no_traceback(capsys: pytest.CaptureFixture[str]):
    assert exit_status("program", raising(IndexError("list index"))) == 1
    assert "internal error while running program: IndexError" in capsys.readouterr().err


def test_too_little_memory(capsys: pytest.CaptureFixture[str]):
    assert exit_status("program", raising(MemoryError())) == 1
    assert "expected arguments that fit in memory" in capsys.readouterr().err


def printing() -> int:
    print("text")
    return 0


def test_output_that_is_full(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    # That the file is closed is no error either: so does Python when it ends.
    with Path("/dev/full").open("w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        assert exit_status("program", printing) == 1
    assert capsys.readouterr().err == (
        "program: error: expected output that can be written: no space left on device\n"
    )


@pytest.mark.parametrize(
    "word", ["--help", "--explain", "--explain=json", "--print-after=all"]
)
def test_no_output_is_lost_unseen(word: str, tmp_path: Path):
    kernel = tmp_path / "kernel.mlir"
    kernel.write_text("spmd.kernel @nothing() { spmd.return }")
    program = Path(sys.executable).parent / "spmd-run"
    with Path("/dev/full").open("w") as output:
        done = subprocess.run(
            [program, kernel, word], stdout=output, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == (
        "spmd-run: error: expected output that can be written: no space left on device\n"
    )


def test_output_that_is_closed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdout", None)
    assert exit_status("program", printing) == 1
    assert capsys.readouterr().err == (
        "program: error: expected output that can be written: it is closed\n"
    )


def test_output_that_nobody_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        assert exit_status("program", printing) == 1
    assert not capsys.readouterr().err


def test_input_that_is_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(CompileError, match="expected a standard input, got a closed"):
        read_source("-")


@pytest.mark.parametrize("file", ["/dev/zero", "-"])
def test_input_without_end(file: str, monkeypatch: pytest.MonkeyPatch):
    with Path("/dev/zero").open() as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(CompileError, match="expected MLIR of at most 16 MiB"):
            read_source(file)


@pytest.mark.parametrize("program", ["spmd-run", "spmd-shapes", "xdsl-opt"])
def test_a_program_is_installed(program: str):
    """Most tests call `main`; FileCheck tests too, where they are run in forks."""
    path = Path(sys.executable).parent / program
    done = subprocess.run([path, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"usage: {program}")
