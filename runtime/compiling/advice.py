"""
What to write instead: for errors that those meet who come from C, CUDA or OpenCL.

xDSL says what it did not expect; here stands what was probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

_GPU_WORDS = {
    "thread_id": "'spmd.global_id', or 'spmd.local_id' in its group",
    "thread_idx": "'spmd.local_id'",
    "program_id": "'spmd.group_id'",
    "block_id": "'spmd.group_id'",
    "block_idx": "'spmd.group_id'",
    "block_dim": "'spmd.local_size'",
    "grid_dim": "'spmd.num_groups'",
    "sync": "'spmd.barrier'",
    "sync_threads": "'spmd.barrier'",
    "syncthreads": "'spmd.barrier'",
    "shared": "'spmd.local_alloc'",
}
"""What this dialect calls the ops of others."""

_TWINS = (
    ("addi", "addf"),
    ("subi", "subf"),
    ("muli", "mulf"),
    ("divsi", "divf"),
    ("divui", "divf"),
    ("remsi", "remf"),
    ("remui", "remf"),
    ("cmpi", "cmpf"),
    ("maxsi", "maximumf"),
    ("maxui", "maximumf"),
    ("minsi", "minimumf"),
    ("minui", "minimumf"),
    ("extsi", "extf"),
    ("trunci", "truncf"),
    ("absi", "absf"),
)
"""What computes the same with integers and with floats."""

_TWIN = {
    f"{dialect}.{one}": f"{dialect}.{other}"
    for integers, floats in reversed(_TWINS)
    for one, other in ((integers, floats), (floats, integers))
    for dialect in ("arith", "math")
}

_WRONG_TYPE = re.compile(
    r"Unexpected attribute (\S+)|(?<!\S)(?<! : )(\S+) should be of base attribute"
)
_COMPARES = re.compile(r"\.cmp[if]\s*\Z")
_SCALAR = re.compile(r"index|i\d+|(?P<float>b?f\d+)")
_WORD = re.compile(r"-?[^\s:(){}\[\],]+|\S")
_TOKEN = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|[{}]')

_OF_WHAT_CAME_BEFORE = re.compile(
    r"(?i)\bexpected ['`]|' expected|literal|is not valid for|denseAttr"
)
"""Errors that xDSL finds at the next token, which may be that of another line."""

_PLAINER = tuple(
    (re.compile(said), words)
    for said, words in (
        ("attribute expected", "expected a value or an attribute"),
        ("identifier expected", "expected a word"),
        ("operand expected", "expected an operand such as %x"),
        ("type expected", "expected a type such as i32, f32, index or memref<?xf32>"),
        ("(.+) expected", r"expected \1"),
        ("expect symbol name", "expected a name that begins with @"),
        ("Expected region!", "expected '{'"),
        ("Expected ':' after block argument name!", "expected ':' and a type"),
        (r"Expected (['`].+['`]) (?:after|in|at) .*", r"expected \1"),
        (r"Expected (\d+) (\w+), but got (\d+)", r"expected \1 \2, got \3"),
        (
            r"Operation has (\d+) results, but was given (\d+) to bind\.",
            r"expected names for \1 results, got \2",
        ),
        (
            r"SSA value (%\S+) is already defined",
            r"expected a new name, got \1, which is already defined",
        ),
        (
            r"Floating point value is not valid for integer type\.",
            "expected a whole number for an integer type",
        ),
        (
            r"Unknown comparison mnemonic: (\S+)",
            r"expected a predicate (of integers: eq ne slt sle sgt sge ult ule ugt uge; "
            r"of floats: oeq one olt ole ogt oge une ord uno), got '\1'",
        ),
        (
            r"Exceeds the limit \((\d+) digits\).*",
            r"expected a number of at most \1 digits",
        ),
    )
)
"""What xDSL says, and what people read."""

_ENDS = {
    "spmd.kernel": "spmd.return",
    "func.func": "func.return",
    "gpu.func": "gpu.return",
}
"""What nobody ends but who writes it."""

_EARLY_RETURN = (
    "spmd.return ends a kernel, not a region in it; put the rest of the kernel into an "
    "scf.if, or return early with cf.cond_br to a block that ends in spmd.return"
)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`"; did you mean 'x'?"` for the word closest to `word`, or nothing."""
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def instead_of_operation(name: str, known: Iterable[str]) -> str:
    """The same for the name of an operation, which may be that of another language."""
    word = name.rpartition(".")[2].strip("_")
    if word in _GPU_WORDS:
        return f"; did you mean {_GPU_WORDS[word]}?"
    return did_you_mean(name, known)


def instead_of_types(op: str, message: str) -> str:
    """`message`, which xDSL says of the op `op`, or what to write for its types."""
    if "spmd.return instead of" in message or (
        op == "spmd.return" and "expects parent op" in message
    ):
        return _EARLY_RETURN
    match = _WRONG_TYPE.search(message)
    if match is None:
        return message
    type_ = match[1] or match[2]
    if match[2] == "index":
        return (
            f"expected integers such as i64 in {op}, got index; arith.index_cast "
            "converts between index and integers"
        )
    if (scalar := _SCALAR.fullmatch(type_)) is None:
        return message
    kind = "integers" if scalar["float"] else "floats"
    write = f"; write {_TWIN[op]}" if op in _TWIN else ""
    return f"expected {kind} in {op}, got {type_}{write}"


def instead_of_end(op: str, around: str, message: str) -> str:
    """`message`, which xDSL says of the op `op` in `around`, or how that has to end."""
    if around not in _ENDS or "is not a terminator" not in message:
        return message
    if "multi-block" in message:
        return f"expected {_ENDS[around]} or a branch after {op}, at the end of a block"
    return f"expected {_ENDS[around]} after {op}, at the end of {around}"


def plainer(message: str, got: str | None = None) -> str:
    """What xDSL says in the words of other messages; `got` is what stands there."""
    plain = re.sub(r"^[A-Z](?=[a-z])", lambda first: first[0].lower(), message)
    for pattern, words in _PLAINER:
        if (match := pattern.fullmatch(message)) is not None:
            plain = match.expand(words)
            break
    if plain == message:
        return message  # of this project
    if got is not None and "expected" in plain and " got " not in plain:
        plain += f", got {got}"
    return plain.rstrip(".!")


def instead_of_text(message: str, text: str, start: int) -> tuple[str, int]:
    """
    `message`, which xDSL says of `text` at `start`, or what to write there.

    The place is the second result: of a brace that is not closed, where it is.
    """
    word = _WORD.match(text, start)
    got = "the end of the file" if word is None else f"'{word[0]}'"
    if got in ("'inf'", "'-inf'", "'nan'"):
        return (
            f"expected a number, got {got}; write the bits, such as 0x7F800000 : f32 for "
            "inf, 0xFF800000 for -inf, 0x7FC00000 for nan"
        ), start
    if message.startswith("Expected suffix identifier after"):
        if got.startswith("'#"):
            return "expected an operation, got '#'; a comment starts with //", start
        return f"expected a name of ASCII letters, digits and $._-, got {got}", start
    if message == "End of file reached before closing string literal.":
        return (
            "expected a '\"' at the end of the string, got the end of the line",
            start,
        )
    if message == "Expected SSA value tuple size":
        return (
            "expected an operation, or '=' after the names of results; the operation "
            "before takes no more operands, or takes them in parentheses"
        ), start
    if message.strip() == "in block definition":
        brace = _open_brace(text) if word is None else None
        if brace is not None:
            return "expected a '}' for this '{', got the end of the file", brace
        why = f"expected an operation or '}}', got {got}"
        if got == "'='":
            why += "; before a dictionary of attributes write the word attributes"
        return why, start
    if message == "identifier expected" and _COMPARES.search(text, 0, start):
        return f"expected a predicate such as eq, ne, slt or olt, got {got}", start
    if _OF_WHAT_CAME_BEFORE.search(message):
        end = _end_of_line_before(text, start)
        return plainer(message, got if end == start else None), end
    return plainer(message, got), start


def _end_of_line_before(text: str, start: int) -> int:
    """The end of what stands before `start`, if that begins a line."""
    *before, here = text[:start].split("\n")
    if here.strip():
        return start
    while before:
        line = before.pop().partition("//")[0].rstrip()
        if line:
            return sum(len(each) + 1 for each in before) + len(line)
    return start


def _open_brace(text: str) -> int | None:
    """Where the last brace stands that is not closed."""
    braces: list[int] = []
    for token in _TOKEN.finditer(text):
        if token[0] == "{":
            braces.append(token.start())
        elif token[0] == "}" and braces:
            braces.pop()
    return braces[-1] if braces else None
