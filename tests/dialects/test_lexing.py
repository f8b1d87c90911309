"""Tokens are those that xDSL finds, and so is what is wrong with a text."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind

from spmd.dialects.compat.common import lexing

PIECES = (
    *("%0", "%a.b-c", "%", "x.y$", "_", "^b", "!t<", "#a", "@f", '@"g"', "@"),
    *("{-#", "#-}", "{", "->", "-", "...", ".", "*|?+=", "(", "]", "/"),
    *("-1.5e3", "0x1F", "1.", "1e5", "8a", '"s%\\22"', '"'),
    *("// %c x", "//", "\n", "\r\n", "\t", "é", "²", "\x0b", "\u2028"),
)


def test_tokens_are_those_of_xdsl():
    for first, between, second in itertools.product(PIECES, ("", " ", "\n"), PIECES):
        text = first + between + second
        assert tokens(lexing.lex, text) == tokens(lexing.lex_of_xdsl, text), text


def tokens(
    lex: Callable[[MLIRLexer], MLIRToken], text: str
) -> list[tuple[object, int, int]]:
    """The kinds and places of the tokens of `text`, up to what is wrong."""
    lexer = MLIRLexer(Input(text, "a.mlir"))
    found: list[tuple[object, int, int]] = []
    try:
        while not found or found[-1][0] is not MLIRTokenKind.EOF:
            token = lex(lexer)
            found.append((token.kind, token.span.start, token.span.end))
    except ParseError as error:
        found.append((error.msg, error.span.start, error.span.end))
    return found
