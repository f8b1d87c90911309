"""
What the plain loops in Python are written with, before Numba compiles them.

`prange` marks a loop whose iterations may run at the same time, and `inlined` a function
that such a loop calls. Numba puts its own in their place (`benchmarks/systems/`); without
it they are plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

prange = range

INLINED: set[Callable[..., Any]] = set()
"""The functions that plain loops call."""


def inlined(function: F) -> F:
    """Marks a function that plain loops call."""
    INLINED.add(function)
    return function
