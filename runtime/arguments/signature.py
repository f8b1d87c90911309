"""The arguments of a kernel: checked, and packed as its native entry wants them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import prod
from struct import Struct
from typing import Any

from spmd.dialects.limits import (
    MAX_LOCAL_BYTES,
    SMALL_ARRAY,
    too_much_local_memory,
)
from spmd.dialects.names import NOALIAS, SMALL
from spmd.runtime.arguments.arrays import Array, is_small, overlap, span_few
from spmd.runtime.arguments.mapped_files import mapped_twice
from spmd.runtime.arguments.parameters import (
    ArrayParameter,
    PackedArguments,
    Parameter,
    ScalarParameter,
    as_signed,
)
from spmd.runtime.arguments.scalars import unpacked
from spmd.runtime.errors import LaunchError

SIZES = "6qP"
"""
The fields after the arguments of a kernel: enqueued local size and global size, and where
an assertion that fails stores its message.
"""

_AS_WORDS = str.maketrans("efdqP", "HIQQQ")
"""Fields as their bits, in unsigned numbers of the same size and alignment."""


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
        self.has_noalias = any(p.promises.noalias for p in arrays)
        self._has_small = any(p.promises.small for p in arrays)
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

    def line_offsets(self, packed: PackedArguments) -> tuple[int | None, ...]:
        """Where in a cache line the rows of each array begin, as `spmd.streamed` says it."""
        return tuple(
            parameter.line_offset(fields) for parameter, fields in self._fields(packed)
        )

    def _layouts(
        self, packed: PackedArguments
    ) -> Iterator[tuple[ArrayParameter, Sequence[int], Sequence[int]]]:
        """Each array parameter, with sizes and strides as a kernel sees them."""
        for parameter, fields in self._fields(packed):
            strides = 2 + parameter.layout.rank
            yield parameter, fields[2:strides], [*map(as_signed, fields[strides:])]

    def _fields(
        self, packed: PackedArguments
    ) -> Iterator[tuple[ArrayParameter, Sequence[int]]]:
        """Each array parameter, with its fields."""
        field = 0
        for parameter in self.parameters:
            following = field + len(parameter.codes)
            if isinstance(parameter, ArrayParameter):
                yield parameter, packed.fields[field:following]
            field = following

    def _check_small(self, packed: PackedArguments) -> None:
        for parameter, shape, strides in self._layouts(packed):
            if parameter.promises.small and not span_few(shape, strides):
                raise LaunchError(
                    f"{self.kernel}: expected an array of 1 to {SMALL_ARRAY - 1} elements for "
                    f"{parameter}, which is marked {SMALL}, got shape {tuple(shape)}"
                )

    def _check_overlap(self, arrays: list[Array]) -> None:
        for i, j in self._pairs:
            first, second = self.arrays[i], self.arrays[j]
            marked = first if first.promises.noalias else second
            if marked.promises.noalias and overlap(arrays[i], arrays[j]):
                raise LaunchError(
                    f"{self.kernel}: expected arrays that do not overlap, because "
                    f"{marked} is marked {NOALIAS}, got overlapping arrays for "
                    f"{first} and {second}"
                )
