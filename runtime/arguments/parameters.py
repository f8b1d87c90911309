"""The parameters of a kernel: what each accepts, and the fields of the native entry that it becomes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from spmd.dialects.limits import CACHE_LINE, MAX_EXTENT
from spmd.dialects.names import STREAMED
from spmd.runtime.arguments.arrays import Array, ArrayLayout
from spmd.runtime.arguments.elements import Element
from spmd.runtime.arguments.local_memory import LocalMemory
from spmd.runtime.arguments.scalars import pack_scalar


def as_signed(word: int) -> int:
    """The number that stands in a word of 64 bits; a number that is negative is itself."""
    return word - (1 << 64) if word >> 63 == 1 else word


class PackedArguments:
    """The arguments of one launch, in the order of the fields of the native entry."""

    __slots__ = ("arrays", "fields", "local_bytes", "local_fields", "words")

    def __init__(self):
        self.fields: list[Any] = []
        # The arrays of the array parameters, in order.
        self.arrays: list[Array] = []
        # (field that holds the pointer, offset in the local memory of a thread).
        self.local_fields: list[tuple[int, int]] = []
        self.local_bytes = 0
        # Whether the fields are bits, as whole numbers, rather than values.
        self.words = False


class Parameter(ABC):
    """
    One argument of a kernel.

    `type` is its type as text, `element` its scalar type or that of its elements; `codes`
    are its fields in the letters of Python's `struct` module.
    """

    codes: str

    def __init__(self, number: int, name: str | None, type: str, element: Element):
        self.number = number
        self.name = name
        self.type = type
        self.element = element

    def __str__(self) -> str:
        return f"argument {self.number}" + (f" (%{self.name})" if self.name else "")

    def declaration(self) -> str:
        """Name and type as in the kernel's source."""
        return f"%{self.name}: {self.type}" if self.name else self.type

    @abstractmethod
    def add(self, argument: Any, packed: PackedArguments) -> None:
        """Appends the fields of `argument`; `ValueError` with the reason if it cannot."""

    def check_fields(self, fields: Sequence[int]) -> None:
        """
        `ValueError` if the launch relies on something that does not hold of `fields`.

        They are those of an argument that native code made, signed, of the right type.
        """
        return


class ScalarParameter(Parameter):
    """A number."""

    def __init__(self, number: int, name: str | None, type: str, element: Element):
        super().__init__(number, name, type, element)
        self.codes = element.code
        self._pack = pack_scalar(element)

    def __reduce__(self) -> tuple[Any, ...]:
        return ScalarParameter, (self.number, self.name, self.type, self.element)

    def add(self, argument: Any, packed: PackedArguments) -> None:
        packed.fields.append(self._pack(argument))

    def check_fields(self, fields: Sequence[int]) -> None:
        if self.element.name == "index":
            self._pack(fields[0])


class MemoryParameter(Parameter):
    """A memref, of which the fields are pointer, offset, sizes and strides."""

    def __init__(self, number: int, name: str | None, layout: ArrayLayout):
        super().__init__(number, name, layout.type_text, layout.element)
        self.layout = layout
        self.codes = "P" + "q" * (1 + 2 * layout.rank)


class Promises(NamedTuple):
    """What a kernel relies on, of one of its arrays."""

    noalias: bool = False
    small: bool = False
    alignment: int | None = None
    """It begins at a multiple of so many bytes."""
    line_offset: int | None = None
    """Each row begins so many bytes after the start of a cache line."""


class ArrayParameter(MemoryParameter):
    """A memref in global memory."""

    def __init__(
        self,
        number: int,
        name: str | None,
        layout: ArrayLayout,
        promises: Promises,
    ):
        super().__init__(number, name, layout)
        self.promises = promises

    def add(self, argument: Any, packed: PackedArguments) -> None:
        packed.arrays.append(self.layout.describe(argument, packed.fields))

    def check_fields(self, fields: Sequence[int]) -> None:
        sizes = fields[2 : 2 + self.layout.rank]
        if any(not 0 <= extent <= MAX_EXTENT for extent in sizes):
            raise ValueError(
                f"expected sizes from 0 to {MAX_EXTENT}, got an array of shape "
                f"{tuple(sizes)}"
            )

    def line_offset(self, fields: Sequence[int]) -> int | None:
        """How many bytes after the start of a cache line each row begins, if all do."""
        size, first_stride = self.element.size, 2 + self.layout.rank
        strides = fields[first_stride:]
        if any(as_signed(stride) * size % CACHE_LINE for stride in strides[:-1]):
            return None
        return (fields[0] + as_signed(fields[1]) * size) % CACHE_LINE


class PlacedArrayParameter(ArrayParameter):
    """One of which the kernel says something about its address."""

    def add(self, argument: Any, packed: PackedArguments) -> None:
        first = len(packed.fields)
        super().add(argument, packed)
        self.check_fields(packed.fields[first:])

    def check_fields(self, fields: Sequence[int]) -> None:
        super().check_fields(fields)
        alignment, promised = self.promises.alignment, self.promises.line_offset
        if alignment is not None and fields[0] % alignment:
            raise ValueError(
                f"expected an array at a multiple of {alignment} bytes, as the kernel "
                f"assumes (memref.assume_alignment), got one at address {fields[0]:#x}"
            )
        if promised is not None and (got := self.line_offset(fields)) != promised:
            raise ValueError(
                f"expected an array whose rows begin {promised} bytes after the start of a "
                f"cache line ({STREAMED} = {promised}), got "
                + ("rows at several places" if got is None else f"{got} bytes")
            )


class LocalParameter(MemoryParameter):
    """A memref in local memory, whose pointer each thread fills in for itself."""

    def add(self, argument: Any, packed: PackedArguments) -> None:
        if not isinstance(argument, LocalMemory):
            raise ValueError(
                f"expected spmd.local(...) for {self.type}, got {type(argument).__name__}"
            )
        packed.local_fields.append((len(packed.fields), packed.local_bytes))
        size = self.layout.describe_local(argument, packed.fields)
        # Each piece of local memory starts at a cache line.
        packed.local_bytes += -(-size // CACHE_LINE) * CACHE_LINE
