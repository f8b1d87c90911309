"""Tasks in forks of a process that has everything loaded, as many at a time as wanted."""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def in_forks(
    tasks: Sequence[Callable[[], Any]], jobs: int = 1
) -> Iterator[tuple[int, Any]]:
    """The number and the result of each task as they end: None of one that died."""
    waiting = iter(enumerate(tasks))
    running: dict[int, tuple[int, Path]] = {}
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            while True:
                while len(running) < jobs and (task := next(waiting, None)):
                    number, function = task
                    file = Path(folder) / str(number)
                    running[_forked(function, file)] = number, file
                if not running:
                    return
                child, status = os.wait()
                if child in running:
                    number, file = running.pop(child)
                    _stop(child, signal.SIGKILL)  # what it started and left
                    yield number, None if status else pickle.loads(file.read_bytes())
        finally:
            for child in running:
                _stop(child, signal.SIGTERM)  # and each its own


def _stop(group: int, how: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, how)


def _forked(function: Callable[[], Any], file: Path) -> int:
    """Starts a process that writes what the function returns into the file."""
    child = os.fork()
    if child:
        return child
    status = 1
    os.setpgid(0, 0)
    try:
        file.write_bytes(pickle.dumps(function()))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
