"""How much work something is, counted: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable


def calls_of(run: Callable[[], object]) -> int:
    """How many functions are called, those in C as well."""
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted
