"""Formats of C's `printf` as the messages of this dialect."""

from __future__ import annotations

import re

from spmd.dialects.messages import escaped

_CONVERSION = re.compile(
    r"%([-+ #0]*)(\d*)(?:\.(\d+))?(?:hh?|ll?|[Lqjzt])?([a-zA-Z%]|$)|([^%]+)"
)
_SIGNED = "dic"
_UNSIGNED = "uoxX"
_OF_FLOATS = "fFeEgG"


def message_of(format_: str) -> str:
    """
    The message that says what `format_` does, or a `ValueError`.

    `%5d`, `%u`, `%08x` and `%.3f` are `{:5d}`, `{u:d}`, `{u:08x}` and `{:.3f}`: lengths such as
    `ll` do not matter, since values have types.
    """
    message = ""
    for flags, width, digits, kind, text in _CONVERSION.findall(format_):
        if text:
            message += escaped(text)
        elif kind == "%":
            message += "%"
        else:
            message += _place(flags, width, digits, kind)
    return message


def _place(flags: str, width: str, digits: str, kind: str) -> str:
    of_float = kind in _OF_FLOATS
    if not kind or kind not in _SIGNED + _UNSIGNED + _OF_FLOATS:
        raise ValueError(
            f"expected %d, %i, %u, %o, %x, %X, %c, %f, %e or %g in a format, got %{kind}"
        )
    if "#" in flags or (digits and not of_float):
        raise ValueError(
            f"expected %{kind} without '#' and without digits after a point"
        )
    align = "<" if "-" in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zeros = "0" if "0" in flags and not align else ""
    point = f".{digits}" if digits else ""
    unsigned = "u" if kind in _UNSIGNED else ""
    letter = "d" if kind in "iu" else kind
    return f"{{{unsigned}:{align}{sign}{zeros}{width}{point}{letter}}}"
