"""What the command lines have in common: their input, and how they end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from spmd.runtime.errors import CompileError, LaunchError, SourceText
from spmd.runtime.parsing import decode, read_file


def read_source(file: str) -> SourceText:
    """The text of a file, or of the standard input if it is `-`."""
    if file != "-":
        return read_file(file)
    return decode("<stdin>", sys.stdin.buffer.read())


INTERRUPTED = 130
"""The exit status of a program that was stopped from the keyboard, as shells have it."""


def exit_status(program: str, run: Callable[[], int]) -> int:
    """What `run` gives, or 1 and a message if the input is at fault."""
    try:
        status = run()
        sys.stdout.flush()
    except (CompileError, LaunchError) as error:
        print(f"{program}: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader has seen enough; Python must not complain when it flushes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return status
