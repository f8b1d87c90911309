"""
What the functions and globals of a module are called in LLVM.

A name that the C library, LLVM or the emitter itself uses is taken: a kernel called `exp`
would otherwise be what `math.exp` calls. It gets the prefix `spmd.`.
"""

from __future__ import annotations

from collections.abc import Collection

from spmd.dialects.names import BINARY, UNARY

PREFIX = "spmd."

_C_LIBRARY = frozenset(
    [
        "abort",
        "aligned_alloc",
        "bcmp",
        "calloc",
        "dprintf",
        "exit",
        "free",
        "fputs",
        "fwrite",
        "malloc",
        "memchr",
        "memcmp",
        "memcpy",
        "memmove",
        "memset",
        "posix_memalign",
        "printf",
        "putchar",
        "puts",
        "realloc",
        "strlen",
    ]
)

_LIBM = frozenset(
    [
        *UNARY,
        *BINARY,
        "ceil",
        "copysign",
        "fabs",
        "fdim",
        "floor",
        "fma",
        "fmax",
        "fmin",
        "fmod",
        "frexp",
        "hypot",
        "ilogb",
        "ldexp",
        "lgamma",
        "llrint",
        "llround",
        "logb",
        "lrint",
        "lround",
        "modf",
        "nan",
        "nearbyint",
        "nextafter",
        "remainder",
        "remquo",
        "rint",
        "round",
        "roundeven",
        "scalbln",
        "scalbn",
        "sincos",
        "sqrt",
        "tgamma",
        "trunc",
    ]
)
"""All of libm, in the form for `double`: with `f` and `l` at the end for the others."""

_RESERVED_PREFIXES = ("llvm.", "_ZGV", "__", PREFIX)


def exported_symbol(name: str) -> str:
    """The LLVM symbol of a function `name` of the source."""
    for_double = name[:-1] if name.endswith(("f", "l")) else name
    if (
        name in _C_LIBRARY
        or name in _LIBM
        or for_double in _LIBM
        or name.startswith(_RESERVED_PREFIXES)
    ):
        return PREFIX + name
    return name


def unused_symbol(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or a variation of it that is not used yet."""
    name, number = wanted, 1
    while name in taken:
        name, number = f"{wanted}.{number}", number + 1
    return name
