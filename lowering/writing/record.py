"""
The record of a launch, which native code and the runtime share.

| field | C type |
| --- | --- |
| the message, or null | `const char *` |
| the numbers that go into it | `int64_t[32]` |
| what polls look at: 0 means go on | `int64_t` |
| whom `POLL` asks if it is not 0 and there is no message, or null | `bool (*)(void *record)` |
| what `memref.alloc` has given to the host function, and is not back yet | `void *` |

`ops/assertions.py` and `ops/polls.py` write the code that uses it. The message of `spmd.fail`
begins with a byte that no text has, and still has places for numbers in it. A poll that finds
something calls `bool POLL(void *record)`, which answers whether to stop. `spmd.print` calls
`bool PRINT(void *record, int64_t *slots)`, which answers the same. The first slot points to a
code of `struct` for each of the others, a zero byte, and the message.
"""

from __future__ import annotations

from collections.abc import Sequence

from spmd.dialects.messages import MAX_VALUES, formatted

ATTENTION = 8 * (1 + MAX_VALUES)
"""The offset of what polls look at; whom they ask comes next."""

ALLOCATED = ATTENTION + 16
"""The offset of the list of memory that a host function has taken."""

POLL = "spmd.poll"
"""The function of the runtime that asks whoever runs the launch."""

KEEPS_REGISTERS = '"no_caller_saved_registers"'
"""
The attribute of `POLL`, and of calls of it; it means something on x86.

A call from the midst of a loop over vectors must not cost registers there: 87 instructions
more in Mandelbrot's, if it were one like any other.
"""

PRINT = "spmd.print"
"""The function of the runtime that prints."""

WITH_PLACES = b"\xff"
"""Begins a message with places for numbers; no UTF-8 text has this byte."""


def reported(message: bytes, values: Sequence[int]) -> str:
    """What a record says that native code has written."""
    if message.startswith(WITH_PLACES):
        return formatted(message[1:].decode(errors="replace"), values)
    return f"an assertion failed: {message.decode(errors='replace')}"
