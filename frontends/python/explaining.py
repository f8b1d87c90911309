"""What the compiler says of a kernel in Python, in the words of Python."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from spmd.runtime.errors import CompileError
from spmd.runtime.explanation.explanation import Explanation
from spmd.runtime.explanation.facts import Place

_NOUNS = {
    "arith.add": "a sum",
    "arith.sub": "a difference",
    "arith.mul": "a product",
    "arith.div": "a quotient",
    "arith.floordiv": "a quotient",
    "arith.ceildiv": "a quotient",
    "arith.rem": "a remainder",
    "arith.cmp": "a comparison",
    "arith.and": "an and",
    "arith.or": "an or",
    "arith.xor": "a not or ^",
    "arith.sh": "a shift",
    "arith.select": "a choice",
    "arith.max": "a maximum",
    "arith.min": "a minimum",
    "arith.": "a converted number",
    "memref.load": "an element",
    "memref.": "a view",
    "scf.if": "if",
    "scf.for": "for",
    "scf.while": "while",
    "scf.execute_region": "a loop",
    "cf.": "if",
}
"""What Python has for an operation, by how its name begins; the first that fits."""

_OPERATION = re.compile(
    r"(?:the result of )?\b((?:arith|memref|scf|cf)\.\w+)\b"
    r"(?: (?:[sou]?[lg][te]|eq|ne)\b)?"
)
_CALL = re.compile(r"(?:the result of )?\b(?:spmd|math)\.(\w+)\b(?: ([xyz])\b)?")
_ITEM = re.compile(r"%l([xyz])\b")
_NAME = re.compile(r"%(?=[A-Za-z_])")


def spoken(text: str) -> str:
    """A message without names of operations and values of IR."""
    text = _OPERATION.sub(lambda match: _noun(match[1]), text)
    text = _CALL.sub(lambda match: f"{match[1]}({_dimension(match[2])})", text)
    text = _ITEM.sub(lambda match: f"local_id({_dimension(match[1])})", text)
    return _NAME.sub("", text)


def _dimension(name: str | None) -> str:
    return "" if name is None else str("xyz".index(name))


def respoken(error: CompileError) -> CompileError:
    """The error of a pass in the words of Python."""
    error.message = spoken(error.message)
    error.args = (error.message,)
    return error


def _noun(operation: str) -> str:
    return next(noun for start, noun in _NOUNS.items() if operation.startswith(start))


def _said(facts: Any) -> Any:
    if isinstance(facts, str):
        return spoken(facts)
    if isinstance(facts, tuple):
        return tuple(map(_said, cast("tuple[Any, ...]", facts)))
    if is_dataclass(facts) and not isinstance(facts, Place | type):
        # `op` says what the text is about.
        names = [each.name for each in fields(facts) if each.name != "op"]
        return replace(facts, **{name: _said(getattr(facts, name)) for name in names})
    return facts


@dataclass(frozen=True)
class PythonExplanation(Explanation):
    """An explanation of a kernel in Python."""

    @classmethod
    def of(cls, explanation: Explanation) -> PythonExplanation:
        """What an explanation of the kernel at level 0 says."""
        return cls(_said(explanation.kernels), _said(explanation.functions))

    def __str__(self) -> str:
        return spoken(super().__str__())
