"""
Puts an object file into memory: ELF for x86-64, as LLVM writes it without a linker.

Only `ctypes` is needed, not LLVM, whose loading takes longer than everything else when
code comes from a cache.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable
from ctypes import CDLL, addressof, c_char, c_int, c_size_t, c_void_p
from functools import cache
from struct import Struct
from typing import Any, NamedTuple

_HEADER = Struct("<4sBB10xHH20xQ10xHH")
_SECTION = Struct("<IIQQQQIIQQ")
_SYMBOL = Struct("<IBBHQQ")
_RELOCATION = Struct("<QQq")

_SYMBOLS, _RELOCATIONS, _NO_BITS, _UNWIND = 2, 4, 8, 0x70000001
_WRITE, _ALLOCATE, _EXECUTE = 1, 2, 4
_UNDEFINED = 0
_GLOBAL, _FUNCTION = 1, 2

_ABSOLUTE_64, _PC_32, _PLT_32, _PC_64 = 1, 2, 4, 24
_OF_SYMBOLS = frozenset((_ABSOLUTE_64, _PC_32, _PLT_32, _PC_64))
_OF_SLOTS = frozenset((9, 41, 42))
"""`R_X86_64_GOTPCREL` and its forms that may be relaxed: where the address is found."""

_JUMP = b"\xff\x25"
"""`jmp *offset(%rip)`, without the offset."""

_ENTRY = 8
"""Bytes of an address, and of a jump to it."""

_READ, _READ_EXECUTE = 1, 5


class UnknownObject(Exception):
    """An object file that has something that is not known here."""


class MissingSymbols(Exception):
    """Functions that an object file calls and that are nowhere."""

    def __init__(self, names: str):
        super().__init__(
            f"expected a body, or a function of the C library, for {names}"
        )


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class _Symbol(NamedTuple):
    name: str
    info: int
    section: int
    value: int


def is_known(image: bytes) -> bool:
    """Whether `image` is a kind of object file that can be loaded on this machine."""
    if len(image) < _HEADER.size or sys.platform != "linux":
        return False
    magic, bits, order, type_, machine, *_ = _HEADER.unpack_from(image)
    return (magic, bits, order, type_, machine) == (b"\x7fELF", 2, 1, 1, 62)


class LoadedObject:
    """
    The sections of an object file in memory, which is freed with it.

    `resolve` gives the addresses of functions that the file calls, or `None`. Raises
    `UnknownObject`, or `MissingSymbols` with their names.
    """

    def __init__(self, image: bytes, resolve: Callable[[str], int | None]):
        self._image = image
        self._sections = _sections(image)
        self._symbols = _symbols(image, self._sections)
        self._global = [n for n, symbol in enumerate(self._symbols) if symbol.info >> 4]
        self._imported = self._import(resolve)
        self._offsets: dict[int, int] = {}
        self._ends: list[int] = []
        self._place()
        self._memory = mmap.mmap(
            -1, max(self._ends[-1], 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        )
        self._base = addressof(c_char.from_buffer(self._memory))
        self._fill()
        self._relocate()
        self._protect()
        self.functions = {
            symbol.name: self._address(number)
            for number, symbol in enumerate(self._symbols)
            if symbol.info == _GLOBAL << 4 | _FUNCTION and symbol.section != _UNDEFINED
        }
        """The addresses of the functions that others may call."""

    def _import(self, resolve: Callable[[str], int | None]) -> dict[int, int]:
        imported: dict[int, int] = {}
        missing: list[str] = []
        for number in self._global:
            name, _, section, _ = self._symbols[number]
            if section == _UNDEFINED:
                address = resolve(name)
                if address is None:
                    missing.append(name)
                else:
                    imported[number] = address
        if missing:
            raise MissingSymbols(", ".join(missing))
        return imported

    def _place(self) -> None:
        """Gives each section an offset: code first, then what is read, then what is written."""
        end = 0
        for access in (_EXECUTE, 0, _WRITE):
            end = _aligned(end, mmap.PAGESIZE)
            for number, section in enumerate(self._sections):
                if (
                    not section.flags & _ALLOCATE
                    or section.type == _UNWIND
                    or section.flags & (_WRITE | _EXECUTE) != access
                ):
                    continue
                alignment = max(section.alignment, 1)
                if alignment > mmap.PAGESIZE:
                    raise UnknownObject(f"section {number}")
                self._offsets[number] = _aligned(end, alignment)
                end = self._offsets[number] + section.size
            # The jumps to symbols stand with the code, their addresses with what is read.
            if access == _EXECUTE:
                self._stubs = _aligned(end, _ENTRY)
                end = self._stubs + _ENTRY * len(self._global)
            elif not access:
                self._slots = _aligned(end, _ENTRY)
                end = self._slots + _ENTRY * len(self._global)
            self._ends.append(end)

    def _fill(self) -> None:
        for number, offset in self._offsets.items():
            section = self._sections[number]
            if section.type != _NO_BITS:
                content = self._image[section.offset : section.offset + section.size]
                self._memory[offset : offset + section.size] = content
        distance = (self._slots - self._stubs - len(_JUMP) - 4).to_bytes(4, "little")
        for position, number in enumerate(self._global):
            slot, stub = (at + _ENTRY * position for at in (self._slots, self._stubs))
            address = self._address(number)
            self._memory[slot : slot + _ENTRY] = address.to_bytes(_ENTRY, "little")
            self._memory[stub : stub + 6] = _JUMP + distance

    def _address(self, number: int) -> int:
        """Where a symbol is."""
        if (imported := self._imported.get(number)) is not None:
            return imported
        symbol = self._symbols[number]
        if symbol.section not in self._offsets:
            raise UnknownObject(f"symbol {symbol.name}")
        return self._base + self._offsets[symbol.section] + symbol.value

    def _relocate(self) -> None:
        positions = {number: at for at, number in enumerate(self._global)}
        for section in self._sections:
            start = self._offsets.get(section.info)
            if section.type != _RELOCATIONS or start is None:
                continue
            table = self._image[section.offset : section.offset + section.size]
            for offset, info, addend in _RELOCATION.iter_unpack(table):
                at, kind, number = start + offset, info & 0xFFFFFFFF, info >> 32
                size = 8 if kind in (_ABSOLUTE_64, _PC_64) else 4
                if kind in _OF_SLOTS:
                    target = self._base + self._slots + _ENTRY * positions[number]
                elif kind == _PLT_32 and number in self._imported:
                    target = self._base + self._stubs + _ENTRY * positions[number]
                elif kind in _OF_SYMBOLS:
                    target = self._address(number)
                else:
                    raise UnknownObject(f"relocation {kind}")
                value = target + addend
                if kind != _ABSOLUTE_64:
                    value -= self._base + at
                if size == 4 and not -(1 << 31) <= value < 1 << 31:
                    raise UnknownObject(f"a distance of {value} bytes")
                content = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
                self._memory[at : at + size] = content

    def _protect(self) -> None:
        start = 0
        for end, access in zip(self._ends, (_READ_EXECUTE, _READ)):
            size = _aligned(end, mmap.PAGESIZE) - start
            if size and _mprotect()(self._base + start, size, access):
                raise UnknownObject("memory that cannot be executed")
            start += size


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


@cache
def _mprotect() -> Any:
    function = CDLL(None, use_errno=True).mprotect
    function.argtypes = (c_void_p, c_size_t, c_int)
    return function


def _sections(image: bytes) -> list[_Section]:
    *_, offset, size, count = _HEADER.unpack_from(image)
    if size != _SECTION.size:
        raise UnknownObject("a table of other sections")
    table = image[offset : offset + size * count]
    return [_Section(*fields) for fields in _SECTION.iter_unpack(table)]


def _symbols(image: bytes, sections: list[_Section]) -> list[_Symbol]:
    for section in sections:
        if section.type == _SYMBOLS:
            names = sections[section.link].offset
            table = image[section.offset : section.offset + section.size]
            return [
                _Symbol(_text(image, names + name), info, number, value)
                for name, info, _, number, value, _ in _SYMBOL.iter_unpack(table)
            ]
    return []


def _text(image: bytes, start: int) -> str:
    return image[start : image.index(b"\0", start)].decode()
