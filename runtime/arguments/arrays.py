"""
Arrays as kernel arguments: what is accepted, and the descriptor it becomes.

Nothing is copied. The checks are ordered such that a fitting NumPy array passes in
about a microsecond; the words for one that does not fit are found afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from ctypes import addressof, c_char
from math import prod
from mmap import mmap
from operator import mul
from typing import Any, cast

import numpy as np

from spmd.dialects.limits import MAX_EXTENT, SMALL_ARRAY
from spmd.runtime.arguments.elements import Dtype, Element, describe_dtypes, is_bfloat16
from spmd.runtime.arguments.local_memory import LocalMemory
from spmd.runtime.arguments.pieces import Piece

Array = np.ndarray[Any, Any]

# As tuples of plain classes: narrowing to NumPy's generic ones helps no type checker.
_ARRAYS: tuple[type, ...] = (np.ndarray,)
_NUMBERS: tuple[type, ...] = (np.generic,)
_MEMMAPS: tuple[type, ...] = (np.memmap,)

_C_CONTIGUOUS = 0x1
_ALIGNED = 0x100
_WRITEABLE = 0x400
_PLAIN = _C_CONTIGUOUS | _ALIGNED | _WRITEABLE


class ArrayLayout:
    """
    What the type of a memref argument asks of an array.

    `shape` and `strides` have `None` for what the launch decides; `strides` is `None`
    for the identity layout. `offset` is the static offset of a strided layout.
    """

    def __init__(
        self,
        type_text: str,
        element: Element,
        shape: tuple[int | None, ...],
        strides: tuple[int | None, ...] | None,
        offset: int,
        written: bool,
    ):
        self.type_text = type_text
        self.element = element
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.written = written
        self.rank = len(self.shape)
        self._dtypes = frozenset(self.element.dtypes)
        self._static = any(extent is not None for extent in self.shape)
        self._simple = self.strides is None and self.rank == 1 and not self._static

    def describe(self, given: Any, fields: list[Any]) -> Array:
        """
        Appends pointer, offset, sizes and strides of the array `given` to `fields`.

        Returns the NumPy array that was described; raises `ValueError` with the reason
        if it does not fit.
        """
        if type(given) is Piece:
            return self._describe_piece(given, fields)
        array: Array = given if type(given) is np.ndarray else self._as_numpy(given)
        if array.base is not None:
            _check_file(array)
        if array.dtype not in self._dtypes:
            self._check_dtype(array.dtype)
        flags = array.flags.num
        if flags & _PLAIN == _PLAIN:
            try:
                # Four times as fast as `array.ctypes.data`.
                pointer = addressof(c_char.from_buffer(cast(Any, array)))
            except (TypeError, ValueError, BufferError):
                # Empty arrays, and dtypes that the buffer protocol does not know.
                pointer = array.__array_interface__["data"][0]
        else:
            pointer = array.__array_interface__["data"][0]
            self._check_flags(array, flags, pointer)
        shape: tuple[int, ...] = array.shape
        if self._simple and len(shape) == 1:
            fields += (pointer, 0, shape[0], 1)
            return array
        if len(shape) != self.rank:
            raise ValueError(
                f"expected an array with {_dimensions(self.rank)} for {self.type_text}, "
                f"got one with {_dimensions(len(shape))} of shape {shape}"
            )
        if self._static:
            self.check_shape(shape)
        if self.strides is None:
            strides = contiguous_strides(shape)
            if 0 in shape:
                _check_extents(shape)
        else:
            strides = self._element_strides(array)
        pointer -= self.offset * self.element.size
        fields += (pointer, self.offset, *shape, *strides)
        return array

    def _describe_piece(self, piece: Piece, fields: list[Any]) -> Array:
        """The same for a piece: with the indices and sizes of the whole array."""
        if self.strides is not None:
            raise ValueError(
                f"expected an argument in identity layout for a piece, got {self.type_text}"
            )
        first, rank = len(fields), self.rank
        free = (None,) * rank
        rows = (*free[1:], 1)[:rank]
        layout = ArrayLayout(self.type_text, self.element, free, rows, 0, self.written)
        array = layout.describe(piece.elements, fields)
        _check_extents(piece.shape)
        if self._static:
            self.check_shape(piece.shape)
        before = sum(map(mul, piece.start, fields[first + 2 + rank :]))
        fields[first] = (fields[first] - before * self.element.size) % (1 << 64)
        fields[first + 2 : first + 2 + rank] = piece.shape
        return array

    def describe_local(self, local: LocalMemory, fields: list[Any]) -> int:
        """Appends the fields of `local` without a pointer; returns its bytes."""
        shape = local.shape
        if len(shape) != self.rank:
            raise ValueError(
                f"expected spmd.local with {_dimensions(self.rank)} for "
                f"{self.type_text}, got {local}"
            )
        self.check_shape(shape)
        fields += (0, 0, *shape, *contiguous_strides(shape))
        return self.element.size * prod(shape)

    def check_shape(self, shape: tuple[int, ...]) -> None:
        """Compares `shape` with the static sizes of the type."""
        for expected, got in zip(self.shape, shape):
            if expected is not None and expected != got:
                wanted = ", ".join("any" if e is None else str(e) for e in self.shape)
                raise ValueError(
                    f"expected the sizes ({wanted}) for {self.type_text}, got {shape}"
                )

    def _as_numpy(self, value: Any) -> Array:
        """An array that shares memory with `value`."""
        if isinstance(value, LocalMemory):
            raise ValueError(
                f"expected an array for {self.type_text}, got {value}, which is for "
                "arguments in #spmd.memory<local>"
            )
        if (array := shared_array(value)) is not None:
            return array
        raise ValueError(
            f"expected an array of {describe_dtypes(self.element)}, got "
            f"{type(value).__name__}; pass a NumPy array, or "
            "what has __dlpack__ or the buffer protocol"
        )

    def _check_dtype(self, dtype: Dtype) -> None:
        element = self.element
        if element.name == "bf16" and is_bfloat16(dtype):
            return
        if dtype.newbyteorder("=") in self._dtypes:
            raise ValueError(
                f"expected native byte order, got {dtype.str}; convert the array with "
                "astype"
            )
        raise ValueError(
            f"expected an array of {describe_dtypes(element)} for {self.type_text}, got "
            f"{dtype}"
        )

    def _check_flags(self, array: Array, flags: int, pointer: int) -> None:
        if self.strides is None and not flags & _C_CONTIGUOUS:
            raise ValueError(
                f"expected a C-contiguous array for {self.type_text}, got strides "
                f"{array.strides} (bytes) for shape {array.shape}; pass "
                "np.ascontiguousarray(...), or give the kernel's argument a strided "
                "layout"
            )
        if self.written and not flags & _WRITEABLE:
            raise ValueError(
                "expected an array that can be written, because the kernel writes it, "
                "got a read-only one"
            )
        size = self.element.size
        if array.size and (pointer % size or not flags & _ALIGNED):
            raise ValueError(
                f"expected elements aligned to {size} bytes, got an array at address "
                f"{pointer:#x} with strides {array.strides} (bytes); copy it to align it"
            )

    def _element_strides(self, array: Array) -> tuple[int, ...]:
        """The strides in elements, compared with the static ones of the type."""
        assert self.strides is not None, "only strided layouts ask for strides"
        size = self.element.size
        shape: tuple[int, ...] = array.shape
        _check_extents(shape)
        result: list[int] = []
        for extent, step, expected in zip(shape, array.strides, self.strides):
            stride, rest = divmod(step, size)
            # Where there are no two elements, any stride is the right one.
            if extent <= 1 or not array.size:
                stride, rest = expected if expected is not None else stride, 0
            if rest:
                raise ValueError(
                    f"expected strides that are multiples of {size} bytes, got "
                    f"{array.strides}; copy the array"
                )
            if expected is not None and stride != expected:
                wanted = ", ".join("any" if s is None else str(s) for s in self.strides)
                got = tuple(s // size for s in array.strides)
                raise ValueError(
                    f"expected the strides ({wanted}) for {self.type_text}, got {got} "
                    "(elements)"
                )
            result.append(stride)
        return tuple(result)


def _check_extents(shape: tuple[int, ...]) -> None:
    """No memory has rows as long; those of an array without strides or elements may be."""
    if any(extent > MAX_EXTENT for extent in shape):
        raise ValueError(
            f"expected at most {MAX_EXTENT} elements in a row, got an array of shape {shape}"
        )


def shared_array(value: Any) -> Array | None:
    """
    A NumPy array that shares memory with `value`, or `None` if it is no array at all.

    Raises `ValueError` for an array that a kernel cannot use.
    """
    # To load `numpy.ma` takes longer than a launch; nobody has a mask who has not.
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(value, masked.MaskedArray):
        raise ValueError(
            "expected an array without a mask, which a kernel cannot see, got a "
            "masked array; pass its .filled(...), or its .data to drop the mask"
        )
    if isinstance(value, _ARRAYS):
        return value
    if isinstance(value, _NUMBERS):
        return None
    try:
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        if hasattr(value, "__array_interface__"):
            return np.asarray(value)
        if _has_buffer(value):
            return np.asarray(memoryview(value))
    except Exception as error:
        raise ValueError(
            f"expected an array in memory that NumPy can share, got "
            f"{type(value).__name__}: {error}"
        ) from None
    return None


def _has_buffer(value: Any) -> bool:
    """Whether `value` shares its memory, as memoryviews and arrays of ctypes do."""
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _check_file(array: Array) -> None:
    """To touch memory of a file that was cut ends the process."""
    mapped: Any = None
    below: Any = array
    while isinstance(below, _ARRAYS):
        if isinstance(below, _MEMMAPS):
            mapped = below
        below = below.base
    if mapped is not None and isinstance(below, mmap):
        needed, size = mapped.offset + mapped.nbytes, below.size()
        if size < needed:
            raise ValueError(
                f"expected a file of at least {needed} bytes below the np.memmap, got "
                f"{size}; it was truncated since"
            )


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a C-contiguous array, in elements."""
    strides: list[int] = []
    stride = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= extent
    return tuple(reversed(strides))


def overlap(first: Array, second: Array) -> bool:
    """Whether two arrays have an element in common, or may have one for all we know."""
    if not np.may_share_memory(first, second):
        return False
    try:
        return np.shares_memory(first, second, max_work=cast(Any, 10_000))
    except np.exceptions.TooHardError:
        return True


def is_small(array: Array) -> bool:
    """Whether `array` has elements, fewer than `SMALL_ARRAY` from the first to the last."""
    if array.flags.c_contiguous:
        return 0 < array.size < SMALL_ARRAY
    return span_few(array.shape, [each // array.itemsize for each in array.strides])


def span_few(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """The same of sizes and strides, both in elements: ten times as slow as to ask NumPy."""
    if not 0 < prod(shape) < SMALL_ARRAY:
        return False
    extents = zip(shape, strides, strict=True)
    return (
        sum((extent - 1) * abs(stride) for extent, stride in extents) < SMALL_ARRAY - 1
    )


def _dimensions(rank: int) -> str:
    return "1 dimension" if rank == 1 else f"{rank} dimensions"
