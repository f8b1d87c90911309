"""
Kernel arguments as words on a command line.

| word                   | argument |
| ---------------------- | -------- |
| `zeros:f32[16]`        | an array of zeros; likewise `ones` |
| `range:i32[8,8]`       | 0, 1, 2, ... in C order |
| `random:f32[4096]`     | floats from [0, 1), integers from 0 to 99, bools; from the seed |
| `x.npy`                | the array of that file |
| `local[256]`           | local memory of that size; the kernel gives the type |
| `3`, `2.5`, `true`, `nan` | a number |

Types are those of the language; `u8`, `u16`, `u32`, `u64` are integers shown without sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from spmd.runtime.arguments.elements import ELEMENTS
from spmd.runtime.arguments.local_memory import local
from spmd.runtime.errors import LaunchError, why_not_done

Array = np.ndarray[Any, Any]
ARRAYS: tuple[type, ...] = (np.ndarray,)
"""For `isinstance`, which then leaves the type of the argument open."""

_SPEC = re.compile(r"(?P<kind>\w+):(?P<type>\w+)\[(?P<shape>[^]]*)\]")
_LOCAL = re.compile(r"local\[(?P<shape>[^]]*)\]")

DTYPES = {name: element.dtypes[0] for name, element in ELEMENTS.items()} | {
    f"u{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)
}
"""The element types of array words. bfloat16 arrays hold the bits, as uint16."""

_MAX_BYTES = 1 << 40
_MAX_DIMENSIONS = 32
"""What every NumPy has."""
_MOST_OF_A_REASON = 200
"""Characters: NumPy repeats a header that it cannot read."""


def parse_argument(word: str, number: int, seed: int) -> Any:
    """The argument that `word` describes; `number` tells random arguments apart."""
    try:
        return _parse(word, number, seed)
    except MemoryError:
        raise LaunchError(
            f"expected an array that fits in memory, got '{word}'"
        ) from None


def _parse(word: str, number: int, seed: int) -> Any:
    if (match := _LOCAL.fullmatch(word)) is not None:
        return local(_shape(word, match["shape"]))
    if (match := _SPEC.fullmatch(word)) is not None:
        return _make(word, match["kind"], match["type"], match["shape"], number, seed)
    if word.endswith(".npy"):
        return _load(word)
    if word in ("true", "false"):
        return word == "true"
    number_kinds: tuple[Callable[[str], float], ...] = (_integer, float)
    for kind in number_kinds:
        try:
            return kind(word)
        except ValueError:
            continue
    raise LaunchError(
        "expected an argument such as 'zeros:f32[16]', 'random:f32[4096]', "
        f"'range:i32[8,8]', 'x.npy', 'local[256]' or a number, got '{word}'"
    )


def _integer(word: str) -> int:
    return int(word, 0)


def _shape(word: str, text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if not all(re.fullmatch(r"[0-9]{1,20}", part) for part in parts):
        raise LaunchError(
            f"expected sizes as whole numbers between the brackets, got '{word}'"
        )
    if len(parts) > _MAX_DIMENSIONS:
        raise LaunchError(
            f"expected at most {_MAX_DIMENSIONS} dimensions, got {len(parts)}: '{word}'"
        )
    return tuple(int(part) for part in parts)


def _make(
    word: str, kind: str, type_: str, shape_text: str, number: int, seed: int
) -> Array:
    makers: dict[str, Callable[[tuple[int, ...], str], Array]] = {
        "zeros": lambda shape, type_: np.zeros(shape, DTYPES[type_]),
        "ones": lambda shape, type_: _convert(np.ones(shape), type_),
        "range": lambda shape, type_: _convert(_range(shape), type_),
        "random": lambda shape, type_: _random(shape, type_, (seed, number)),
    }
    if kind not in makers:
        raise LaunchError(f"expected one of {', '.join(makers)}, got '{word}'")
    if type_ not in DTYPES:
        raise LaunchError(
            f"expected one of the types {', '.join(DTYPES)}, got '{word}'"
        )
    shape = _shape(word, shape_text)
    if DTYPES[type_].itemsize * prod(shape) > _MAX_BYTES:
        raise LaunchError(
            f"expected an array of at most {_MAX_BYTES} bytes, got '{word}'"
        )
    return makers[kind](shape, type_)


def _range(shape: tuple[int, ...]) -> Array:
    return np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)


def _random(shape: tuple[int, ...], type_: str, seed: tuple[int, int]) -> Array:
    random = np.random.default_rng(seed)
    if DTYPES[type_].kind in "iub" and type_ != "bf16":
        return _convert(random.integers(0, 2 if type_ == "i1" else 100, shape), type_)
    return _convert(random.random(shape, np.float32), type_)


def _convert(array: Array, type_: str) -> Array:
    if type_ != "bf16":
        return array.astype(DTYPES[type_])
    return bfloat16_bits(array.astype(np.float32))


def bfloat16_bits(array: Array) -> Array:
    """The bits of finite float32 values rounded to bfloat16, to nearest even."""
    bits = array.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def bfloat16_values(bits: Array) -> Array:
    """The float32 values of bfloat16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _load(word: str) -> Array:
    try:
        if Path(word).exists() and not Path(word).is_file():
            # From a pipe `open` might wait for ever.
            raise OSError("no regular file")
        with open(word, "rb") as file:
            # `allow_pickle` would run code from the file, and `np.load` advises it.
            return np.lib.format.read_array(file, allow_pickle=False)
    except MemoryError:
        raise
    except Exception as error:
        # A header that is no Python literal fails in whatever reads it as one.
        why = why_not_done(error) if isinstance(error, OSError) else str(error)
        why = why.partition("\n")[0][:_MOST_OF_A_REASON]
        raise LaunchError(
            f"expected a file that NumPy can load, got '{word}': {why}"
        ) from None
