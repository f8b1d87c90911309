"""Messages of kernels, which have places for numbers that only the running kernel knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MAX_VALUES = 32
"""Numbers that one message may have; the record of a failure has room for them."""


@dataclass(frozen=True)
class Place:
    """Of a message: what stands for a number."""

    words: tuple[str, ...] = ()
    """What the number chooses from, if it is not written itself."""
    format: str = ""
    """How it is written, in Python and in C."""
    unsigned: bool = False

    def __str__(self) -> str:
        colon = ":" if self.format else ""
        return f"{{{'|'.join(self.words)}{'u' * self.unsigned}{colon}{self.format}}}"

    def is_for(self, is_float: bool) -> bool:
        """Whether a number, with a fraction or whole, can be written here."""
        of_float = self.format[-1:] in set("eEfFgG") or "." in self.format
        of_whole = self.format[-1:] in set("bcdoxX") or self.unsigned or self.words
        return not (of_whole if is_float else of_float)


Piece = str | Place

_TOKEN = re.compile(r"\{\{|\}\}|\|\||[{}|]|[^{}|]+")
_PLACE = re.compile(r"(u?)(?::(.*))?")
_FORMAT = re.compile(r"[<>]?[+ ]?0?(\d*)(?:([bcdoxX]?)|(?:\.(\d+))?[eEfFgG]?)")
_WIDEST = 99


def escaped(text: str) -> str:
    """`text` as a part of a message, or of words, that means itself."""
    return re.sub(r"[{}|]", r"\g<0>\g<0>", text)


@lru_cache
def pieces_of(message: str) -> tuple[Piece, ...]:
    """
    The pieces of `message`, or a `ValueError`.

    `{}` stands for a number, `{u}` for one without sign, `{:8.3f}` for one in a format of
    Python, and `{one|two}` for words that a number chooses, counting from 0. Braces and
    bars that are meant as such are written twice.
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
                pieces.append(_place(words, text))
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


def _place(words: Sequence[str], last: str) -> Place:
    if words or not (parts := _PLACE.fullmatch(last)):
        return Place(words=(*words, last))
    return place_with(parts[2] or "", bool(parts[1]))


def place_with(format_: str, unsigned: bool = False) -> Place:
    """The place where a number is written in a format, or a `ValueError`."""
    known = _FORMAT.fullmatch(format_)
    if not known or any(int(part or 0) > _WIDEST for part in known.group(1, 3)):
        raise ValueError(
            "expected a format such as 6d, 08x, .3f or <10.2e, at most "
            f"{_WIDEST} wide, got '{format_}'"
        )
    return Place((), format_, unsigned)


def formatted(message: str, values: Sequence[object]) -> str:
    """`message` with `values` in it, whole numbers as signed ones of 64 bits."""
    rest = iter(values)
    text = ""
    for piece in pieces_of(message):
        if isinstance(piece, str):
            text += piece
        elif piece.words:
            text += piece.words[_chosen(next(rest), len(piece.words))]
        else:
            value = next(rest)
            if piece.unsigned and isinstance(value, int):
                value %= 1 << 64
            # Not `format` alone: of a NumPy number it shows more digits than there are.
            text += format(value, piece.format) if piece.format else str(value)
    return text


def _chosen(value: object, words: int) -> int:
    return value if isinstance(value, int) and 0 <= value < words else words - 1
