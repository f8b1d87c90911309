"""From a path or a stream to the text of a kernel."""

from __future__ import annotations

import os
from typing import BinaryIO

from spmd.runtime.errors import CompileError, SourceText, why_not_done

_MAX_BYTES = 16 << 20
"""The longest text that is read."""


def read_source(source: str | os.PathLike[str]) -> SourceText:
    """
    The text that `source` names (a path) or is (MLIR text).

    A string with a line break or a brace is text, unless a file of that name exists.
    """
    if isinstance(source, str):
        if not source.strip():
            raise CompileError(
                "expected a path, MLIR text or a module, got an empty string"
            )
        if "\n" in source or ("{" in source and not os.path.exists(source)):
            return SourceText("<string>", source)
    return read_file(source)


def read_file(path: str | os.PathLike[str]) -> SourceText:
    """The text of a file."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            return read_stream(name, file)
    except CompileError:
        raise
    except (OSError, ValueError) as error:
        why = why_not_done(error) if isinstance(error, OSError) else str(error)
        raise CompileError(
            f"expected a file that can be read, got '{name}': {why}"
        ) from None


def read_stream(name: str, stream: BinaryIO) -> SourceText:
    """The text that `stream` has left; a device such as /dev/zero has no end."""
    content = stream.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise CompileError(
            f"expected MLIR of at most {_MAX_BYTES >> 20} MiB, got more", file=name
        )
    try:
        return SourceText(name, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CompileError(
            f"expected MLIR as UTF-8 text, got byte {error.object[error.start]:#04x} at "
            f"offset {error.start}",
            file=name,
        ) from None
