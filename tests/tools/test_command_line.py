"""How command lines end."""

import subprocess
import sys
from pathlib import Path

import pytest

from spmd.runtime.errors import CompileError
from spmd.tools.command_line import exit_status


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


@pytest.mark.parametrize("program", ["spmd-run", "spmd-shapes", "xdsl-opt"])
def test_a_program_is_installed(program: str):
    """Most tests call `main`; FileCheck tests too, where they are run in forks."""
    path = Path(sys.executable).parent / program
    done = subprocess.run([path, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"usage: {program}")
