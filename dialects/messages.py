"""Messages of kernels, which have places for numbers that only the running kernel knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

MAX_VALUES = 32
"""Numbers that one message may have; the record of a failure has room for them."""

Piece: TypeAlias = str | tuple[str, ...]
"""Of a message: text, or what stands for a number: nothing, or words to choose from."""

_TOKEN = re.compile(r"\{\{|\}\}|\|\||[{}|]|[^{}|]+")


def escaped(text: str) -> str:
    """`text` as a part of a message, or of words, that means itself."""
    return re.sub(r"[{}|]", r"\g<0>\g<0>", text)


def pieces_of(message: str) -> tuple[Piece, ...]:
    """
    The pieces of `message`, or a `ValueError`.

    `{}` stands for a number and `{one|two}` for words that a number chooses, counting
    from 0. Braces and bars that are meant as such are written twice.
    """
    pieces: list[Piece] = []
    words: list[str] | None = None
    text = ""
    for token in _TOKEN.findall(message):
        match token:
            case "{" if words is None:
                if text:
                    pieces.append(text)
                words, text = [], ""
            case "}" if words is not None:
                if words or text:
                    words.append(text)
                pieces.append(tuple(words))
                words, text = None, ""
            case "|" if words is not None:
                words.append(text)
                text = ""
            case "{" | "}":
                raise ValueError(
                    f"expected braces in pairs ('{{{{' for one that is meant as such), "
                    f"got '{message}'"
                )
            case _:
                text += token[0] if token in ("{{", "}}", "||") else token
    if words is not None:
        raise ValueError(f"expected '}}' after '{{', got '{message}'")
    if text:
        pieces.append(text)
    return tuple(pieces)


def formatted(message: str, values: Sequence[int]) -> str:
    """`message` with `values` in it."""
    rest = iter(values)
    text = ""
    for piece in pieces_of(message):
        if isinstance(piece, str):
            text += piece
        else:
            value = next(rest)
            text += str(value) if not piece else piece[_chosen(value, len(piece))]
    return text


def _chosen(value: int, words: int) -> int:
    return value if 0 <= value < words else words - 1
