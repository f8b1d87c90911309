"""What a user gets: some kernels explained, as text, as data and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from spmd.runtime.explanation.facts import FunctionFacts, KernelFacts
from spmd.runtime.explanation.text import text_of

JSON_VERSION = 1
"""Grows when what was there is renamed or means something else, not when more is there."""


@dataclass(frozen=True)
class Explanation:
    """
    What became of some kernels: `str()` for people, `to_json()` for tools.

    `kernels` has the same as data, and `functions` what became of the parallel loops of
    host functions that are no kernels.
    """

    kernels: tuple[KernelFacts, ...] = ()
    functions: tuple[FunctionFacts, ...] = ()

    def __str__(self) -> str:
        return "\n\n".join(map(text_of, (*self.kernels, *self.functions)))

    def __repr__(self) -> str:
        names = ", ".join(each.name for each in (*self.kernels, *self.functions))
        return f"<spmd explanation of {names}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return f"<pre>{escape(str(self))}</pre>"

    def as_dict(self) -> Mapping[str, Any]:
        """What `to_json` writes."""
        return {"version": JSON_VERSION, **asdict(self)}

    def to_json(self) -> str:
        """JSON as `docs/explain.md` describes it."""
        return json.dumps(self.as_dict(), indent=2)
