"""
Tokens in one match each, strings in linear time.

xDSL skips white space by one pattern, builds a table, compares the first character with each kind
of token, and matches the rest by another pattern: a sixth of the time that parsing takes.
"""

from __future__ import annotations

import re

from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRToken,
    MLIRTokenKind,
)

lex_of_xdsl = MLIRLexer.lex
"""For what is rare, and for what is wrong."""

_TOKEN = re.compile(
    r"(?>\s++|//[^\n]*+\n?+)*+"
    r"(?:(%(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*))"
    r"|([a-zA-Z_][a-zA-Z0-9_$.]*)"
    r"|(->|\{(?!-#)|[-:,()}\[\]<>=+/*?|]))",
    re.ASCII,
)
"""White space and comments, then a value, a word or a sign."""

_STRING = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
"""xDSL's own pattern takes time exponential in the length of a string that has no end."""

_VALUE, _WORD = 1, 2


def lex(self: MLIRLexer) -> MLIRToken:
    """The next token."""
    source = self.input
    # What inherits from the lexer has other words, as `attr-dict`.
    plain = type(self) is MLIRLexer
    match = _TOKEN.match(source.content, self.pos) if plain else None
    if match is None:
        return lex_of_xdsl(self)
    group = match.lastindex or 0
    if group == _VALUE:
        kind = MLIRTokenKind.PERCENT_IDENT
    elif group == _WORD:
        kind = MLIRTokenKind.BARE_IDENT
    else:
        kind = KIND_BY_PUNCTUATION_SPELLING[match[3]]
    start, self.pos = match.span(group)
    return Token(kind, Span(start, self.pos, source))


def repair() -> None:
    """Let every lexer of MLIR read so."""
    setattr(MLIRLexer, "_unescaped_characters_regex", _STRING)
    setattr(MLIRLexer, "lex", lex)
