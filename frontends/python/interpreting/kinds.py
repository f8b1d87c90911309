"""How the values of work-items are combined: the kinds, and what stands for them in Python."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

_operator: Any = operator  # Some of its functions have types that are partly unknown.

_NUMPY: tuple[type, ...] = (np.generic,)

_KINDS: list[tuple[str, Any, list[object]]] = [
    ("add", np.add, [builtins.sum, _operator.add, np.sum]),
    ("mul", np.multiply, [_operator.mul, np.prod]),
    ("min", np.minimum, [builtins.min, np.min]),
    ("max", np.maximum, [builtins.max, np.max]),
    ("and", np.bitwise_and, [_operator.and_]),
    ("or", np.bitwise_or, [_operator.or_]),
    ("xor", np.bitwise_xor, [_operator.xor]),
]
"""Each kind, the function that combines two values, and others that stand for it."""

NAMES = tuple(name for name, _, _ in _KINDS)


def kind_of(combine: object) -> str | None:
    """The kind that a function or text stands for."""
    for name, function, others in _KINDS:
        if isinstance(combine, str):
            if combine == name:
                return name
        elif builtins.any(combine is each for each in (function, *others)):
            return name
    return None


def combiner(combine: object) -> Any:
    """The function that combines two values; a `TypeError` if there is none."""
    kind = kind_of(combine)
    for name, function, _ in _KINDS:
        if name == kind:
            return function
    raise TypeError(
        f"expected sum, min, max, operator.mul, or one of {', '.join(NAMES)} as a text, "
        f"got {combine!r}"
    )


def common_type(values: Sequence[Any]) -> Any:
    """The type of all `values` together, where numbers of Python meet NumPy's."""
    if builtins.any(isinstance(value, _NUMPY) for value in values):
        return np.result_type(*values).type
    return float if builtins.any(isinstance(v, float) for v in values) else int


def neutral(combine: Any, type_: Any) -> Any:
    """What an exclusive scan of numbers of `type_` begins with."""
    if combine.identity is not None:
        return type_(combine.identity)
    dtype = np.dtype(type_)
    if dtype.kind == "f":
        return type_(np.inf if combine is np.minimum else -np.inf)
    limits = np.iinfo(dtype)
    return type_(limits.max if combine is np.minimum else limits.min)
