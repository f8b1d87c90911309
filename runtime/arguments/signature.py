"""The arguments of a kernel: checked, and packed as its native entry wants them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import prod
from struct import Struct
from typing import Any

from spmd.dialects.limits import (
    CACHE_LINE,
    MAX_EXTENT,
    MAX_LOCAL_BYTES,
    SMALL_ARRAY,
    too_much_local_memory,
)
from spmd.dialects.names import NOALIAS, SMALL
from spmd.runtime.arguments.arrays import (
    Array,
    ArrayLayout,
    is_small,
    overlap,
    span_few,
)
from spmd.runtime.arguments.elements import Element
from spmd.runtime.arguments.local_memory import LocalMemory
from spmd.runtime.arguments.mapped_files import mapped_twice
from spmd.runtime.arguments.scalars import pack_scalar, unpacked
from spmd.runtime.errors import LaunchError

SIZES = "6qP"
"""
The fields after the arguments of a kernel: enqueued local size and global size, and where
an assertion that fails stores its message.
"""

_AS_WORDS = str.maketrans("efdqP", "HIQQQ")
"""Fields as their bits, in unsigned numbers of the same size and alignment."""


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


class ArrayParameter(MemoryParameter):
    """A memref in global memory."""

    def __init__(
        self,
        number: int,
        name: str | None,
        layout: ArrayLayout,
        noalias: bool,
        small: bool,
    ):
        super().__init__(number, name, layout)
        self.noalias = noalias
        self.small = small

    def add(self, argument: Any, packed: PackedArguments) -> None:
        packed.arrays.append(self.layout.describe(argument, packed.fields))

    def check_fields(self, fields: Sequence[int]) -> None:
        sizes = fields[2 : 2 + self.layout.rank]
        if any(not 0 <= extent <= MAX_EXTENT for extent in sizes):
            raise ValueError(
                f"expected sizes from 0 to {MAX_EXTENT}, got an array of shape "
                f"{tuple(sizes)}"
            )


class AlignedArrayParameter(ArrayParameter):
    """One of which the kernel says that it begins at a multiple of `alignment` bytes."""

    def __init__(
        self,
        number: int,
        name: str | None,
        layout: ArrayLayout,
        noalias: bool,
        small: bool,
        alignment: int,
    ):
        super().__init__(number, name, layout, noalias, small)
        self.alignment = alignment

    def add(self, argument: Any, packed: PackedArguments) -> None:
        first = len(packed.fields)
        super().add(argument, packed)
        self.check_fields(packed.fields[first:])

    def check_fields(self, fields: Sequence[int]) -> None:
        super().check_fields(fields)
        pointer = fields[0]
        if pointer % self.alignment:
            raise ValueError(
                f"expected an array at a multiple of {self.alignment} bytes, as the kernel "
                f"assumes (memref.assume_alignment), got one at address {pointer:#x}"
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


class Signature:
    """
    The arguments of a kernel or host function.

    `local_bytes` is the local memory that a work-group has beside its arguments; `more`
    are the fields that follow them.
    """

    def __init__(
        self,
        kernel: str,
        parameters: Sequence[Parameter],
        local_bytes: int = 0,
        more: str = SIZES,
    ):
        self.kernel = kernel
        self.parameters = tuple(parameters)
        self._more = more
        self._codes = "".join(p.codes for p in self.parameters) + more
        self._struct = Struct("@" + self._codes)
        self._word_struct = Struct("@" + self._codes.translate(_AS_WORDS))
        self._local_bytes = local_bytes
        arrays = [p for p in self.parameters if isinstance(p, ArrayParameter)]
        self.has_noalias = any(p.noalias for p in arrays)
        self._has_small = any(p.small for p in arrays)
        self.arrays = tuple(arrays)
        # Two arguments may show the same memory as long as nobody writes it.
        self._pairs = tuple(
            (i, j)
            for (i, first), (j, second) in combinations(enumerate(arrays), 2)
            if first.layout.written or second.layout.written
        )

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = self.kernel, self.parameters, self._local_bytes, self._more
        return Signature, arguments

    def failed(self, why: str) -> LaunchError:
        """The error of a launch that ended on its way, with what it may have changed."""
        written = [
            f"%{p.name}" if p.name else str(p)
            for p in self.parameters
            if isinstance(p, ArrayParameter) and p.layout.written
        ]
        stays = f"; what it stored to {' and '.join(written)} stays" if written else ""
        return LaunchError(f"{self.kernel}: {why}{stays}")

    def whole_numbers(self, arguments: Sequence[Any]) -> dict[int, int]:
        """The arguments that are whole numbers or flags, by position, as signed numbers."""
        self._check_count(arguments)
        found: dict[int, int] = {}
        for parameter, argument in zip(self.parameters, arguments):
            element = parameter.element
            if isinstance(parameter, ScalarParameter) and not element.is_float:
                number, bits = int(argument), 8 * element.size
                wraps = element.is_integer and number >> (bits - 1) == 1
                found[parameter.number] = number - (wraps << bits)
        return found

    def check(self, arguments: Sequence[Any]) -> PackedArguments:
        """Checks `arguments`; a `LaunchError` says what is wrong with the first bad one."""
        self._check_count(arguments)
        packed = PackedArguments()
        parameter = None
        try:
            for parameter, argument in zip(self.parameters, arguments):
                parameter.add(argument, packed)
        except ValueError as error:
            raise LaunchError(f"{self.kernel}: {parameter}: {error}") from None
        self.check_memory(packed)
        return packed

    def constants(
        self, wanted: Iterable[str], packed: PackedArguments
    ) -> tuple[str, ...]:
        """The scalar arguments of these names with their values: as `number=value`."""
        try:
            names = {wanted} if isinstance(wanted, str) else set(wanted)
        except TypeError:
            raise LaunchError(
                f"{self.kernel}: expected constants as names of arguments, got {wanted!r}"
            ) from None
        found: list[str] = []
        scalars: list[str] = []
        field = 0
        for parameter in self.parameters:
            if isinstance(parameter, ScalarParameter):
                name = parameter.name or str(parameter.number)
                scalars.append(name)
                if name in names:
                    value = unpacked(parameter.element, packed.fields[field])
                    # Of a bool as well: it is 0 or 1.
                    text = repr(value if parameter.element.is_float else int(value))
                    found.append(f"{parameter.number}={text}")
            field += len(parameter.codes)
        if unknown := names.difference(scalars):
            raise LaunchError(
                f"{self.kernel}: expected constants with names of numbers among the "
                f"arguments ({', '.join(scalars) or 'there are none'}), got "
                f"{', '.join(sorted(map(str, unknown)))}"
            )
        return tuple(found)

    def _check_count(self, arguments: Sequence[Any]) -> None:
        if len(arguments) != len(self.parameters):
            raise LaunchError(
                f"{self.kernel}: expected {len(self.parameters)} arguments "
                f"({', '.join(p.declaration() for p in self.parameters)}), got "
                f"{len(arguments)}"
            )

    def check_memory(self, packed: PackedArguments) -> None:
        """Checks the arguments together: arrays that overlap, the sum of local memory."""
        if self.has_noalias:
            self._check_overlap(packed.arrays)
        if found := mapped_twice(packed.arrays, self._pairs):
            first, second = (self.arrays[n] for n in found)
            raise LaunchError(
                f"{self.kernel}: expected arrays of a file in one np.memmap or mmap, got the "
                f"same part of it mapped twice for {first} and {second}, of which the kernel "
                "writes one; pass parts of one map"
            )
        if self._has_small:
            self._check_small(packed)
        if (
            local := packed.local_bytes
        ) and local + self._local_bytes > MAX_LOCAL_BYTES:
            why = too_much_local_memory(local + self._local_bytes)
            raise LaunchError(f"{self.kernel}: {why}")

    def pack(self, packed: PackedArguments, more: tuple[int, ...]) -> bytes:
        """The packed struct; `more` are the fields that follow the arguments."""
        struct = self._word_struct if packed.words else self._struct
        return struct.pack(*packed.fields, *more)

    def field_offset(self, field: int) -> int:
        """Where field `field` starts in the packed struct."""
        # An empty repetition aligns the end as the field itself would be.
        code = self._codes[field]
        return Struct(f"@{self._codes[:field]}0{code}").size

    def are_apart(self, packed: PackedArguments) -> bool:
        """Whether the arrays are known, and none that is written overlaps another."""
        arrays = packed.arrays
        return len(arrays) == len(self.arrays) and not any(
            overlap(arrays[i], arrays[j]) for i, j in self._pairs
        )

    def are_small(self, packed: PackedArguments) -> bool:
        """Whether all arrays are known to be small, so that 32 bits are enough for indices."""
        arrays = packed.arrays
        return len(arrays) == len(self.arrays) and all(map(is_small, arrays))

    def span_few(self, packed: PackedArguments) -> bool:
        """The same of pieces: of the arrays that a kernel takes them for."""
        return all(span_few(*layout) for _, *layout in self._layouts(packed))

    def elements(self, packed: PackedArguments) -> tuple[int, ...]:
        """How many elements each array has, in order."""
        return tuple(prod(shape) for _, shape, _ in self._layouts(packed))

    def _layouts(
        self, packed: PackedArguments
    ) -> Iterator[tuple[ArrayParameter, Sequence[int], Sequence[int]]]:
        """Each array parameter, with sizes and strides as a kernel sees them."""
        field = 0
        for parameter in self.parameters:
            following = field + len(parameter.codes)
            if isinstance(parameter, ArrayParameter):
                strides = following - parameter.layout.rank
                yield (
                    parameter,
                    packed.fields[field + 2 : strides],
                    [*map(as_signed, packed.fields[strides:following])],
                )
            field = following

    def _check_small(self, packed: PackedArguments) -> None:
        for parameter, shape, strides in self._layouts(packed):
            if parameter.small and not span_few(shape, strides):
                raise LaunchError(
                    f"{self.kernel}: expected an array of 1 to {SMALL_ARRAY - 1} elements for "
                    f"{parameter}, which is marked {SMALL}, got shape {tuple(shape)}"
                )

    def _check_overlap(self, arrays: list[Array]) -> None:
        for i, j in self._pairs:
            first, second = self.arrays[i], self.arrays[j]
            marked = first if first.noalias else second
            if marked.noalias and overlap(arrays[i], arrays[j]):
                raise LaunchError(
                    f"{self.kernel}: expected arrays that do not overlap, because "
                    f"{marked} is marked {NOALIAS}, got overlapping arrays for "
                    f"{first} and {second}"
                )
