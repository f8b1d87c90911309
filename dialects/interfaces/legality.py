"""What must hold of an op so that it means anything, where xDSL does not check it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spmd.dialects.interfaces.interface import OpInterface


@dataclass(frozen=True)
class Legality(OpInterface):
    """The op is legal if `why_illegal` has no reason: "expected X, got Y"."""

    why_illegal: Callable[[Any], str | None]
