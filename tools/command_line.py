"""What the command lines have in common: their options, input, and how they end."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from spmd.runtime.compiling.reading import read_file, read_stream
from spmd.runtime.errors import (
    CompileError,
    LaunchError,
    SourceText,
    internal_error,
    why_not_done,
)

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Options(argparse.ArgumentParser):
    """Options whose errors are one paragraph, and whose examples keep their lines."""

    def __init__(self, program: str, description: str, epilog: str):
        super().__init__(
            prog=program,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        # The words for `type=int`.
        self.register("type", int, _whole_number)
        self.register("type", float, _number)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Unlike argparse, does not hide that it cannot be written."""
        (file or sys.stdout).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Ends the program with status 2."""
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a whole number, got '{text}'"
        ) from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, got '{text}'") from None


def read_source(file: str) -> SourceText:
    """The text of a file, or of the standard input if it is `-`."""
    if file != "-":
        return read_file(file)
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise CompileError("expected a standard input, got a closed one")
    return read_stream("<stdin>", sys.stdin.buffer)


INTERRUPTED = 130
"""The exit status of a program that was stopped from the keyboard, as shells have it."""


def exit_status(program: str, run: Callable[[], int]) -> int:
    """What `run` gives, or 1 and a message if the input, or the machine, is at fault."""
    try:
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise OSError("it is closed")
        try:
            status = run()
        except SystemExit:  # after --help
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except (CompileError, LaunchError) as error:
        return _failed(program, error)
    except BrokenPipeError:
        _drop_output()
        return 1
    except OSError as error:
        _drop_output()
        return _failed(
            program, f"expected output that can be written: {why_not_done(error)}"
        )
    except MemoryError:
        return _failed(program, "expected arguments that fit in memory")
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _failed(program, internal_error(f"running {program}", error, None))
    return status


def _failed(program: str, why: object) -> int:
    print(f"{program}: error: {why}", file=sys.stderr)
    return 1


def _drop_output() -> None:
    """Python must not complain when it flushes, in the end, what nobody takes."""
    if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
