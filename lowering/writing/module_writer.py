"""The LLVM module while it is written: globals, declarations, helper functions, symbols."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.ir import Operation

from spmd.lowering.machine import PORTABLE, Machine
from spmd.lowering.writing.symbols import unused_symbol

_PLAIN_SYMBOL = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*\Z")


def quoted(name: str) -> str:
    """A symbol as LLVM writes it, without the `@`."""
    if _PLAIN_SYMBOL.match(name):
        return name
    return f'"{escaped(name.encode())}"'


def escaped(data: bytes) -> str:
    """Bytes inside an LLVM string."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in (34, 92) else f"\\{byte:02X}"
        for byte in data
    )


@dataclass
class ModuleWriter:
    """Collects the parts of an LLVM module and puts them in order."""

    machine: Machine = PORTABLE
    symbols: dict[str, str] = field(default_factory=dict[str, str])
    """Symbol in the source -> symbol in LLVM, for the functions of the module."""
    taken: set[str] = field(default_factory=set[str])
    """The names of functions and globals in LLVM."""
    reports: bool = False
    """Whether native entries get the record of a launch, where failures are reported."""
    reporting: frozenset[str] = frozenset()
    """Functions of the source that report an assertion that fails to their caller."""
    on_heap: Mapping[Operation, int] = field(default_factory=dict[Operation, int])
    """Allocations of the source that are not on the stack, or only up to so many bytes."""
    has_rare_branches: bool = False
    """Whether the source says of a branch that it is likely."""
    _globals: list[str] = field(default_factory=list[str])
    _functions: list[str] = field(default_factory=list[str])
    _helpers: dict[str, str] = field(default_factory=dict[str, str])
    _declarations: dict[str, str] = field(default_factory=dict[str, str])
    _metadata: dict[str, int] = field(default_factory=dict[str, int])
    _strings: dict[bytes, str] = field(default_factory=dict[bytes, str])

    def unused(self, wanted: str) -> str:
        """`wanted`, or a variation of it that no function has; taken from now on."""
        name = unused_symbol(wanted, self.taken)
        self.taken.add(name)
        return name

    def declare(
        self, name: str, result: str, parameters: Iterable[str], attributes: str = ""
    ) -> None:
        """Declares an intrinsic or a function of the C library, once."""
        if name not in self._declarations:
            text = f"declare {result} @{quoted(name)}({', '.join(parameters)})"
            self._declarations[name] = f"{text} {attributes}".rstrip()

    def helper(self, name: str, make: Callable[[], str]) -> str:
        """A function that the emitter itself needs, defined once per module."""
        if name not in self._helpers:
            self._helpers[name] = ""  # `make` may ask for other helpers
            self._helpers[name] = make()
        return name

    def add_global(self, text: str) -> None:
        """Adds the text of a global variable."""
        self._globals.append(text)

    def add_function(self, text: str) -> None:
        """Adds the text of a function, in the order of the output."""
        self._functions.append(text)

    def string(self, data: bytes) -> str:
        """The name of a constant with these bytes."""
        if data not in self._strings:
            name = f"@spmd.text.{len(self._strings)}"
            self._strings[data] = name
            self._globals.append(
                f"{name} = private unnamed_addr constant [{len(data)} x i8] "
                f'c"{escaped(data)}"'
            )
        return self._strings[data]

    def metadata(self, content: str) -> str:
        """The number of a metadata node, as `!0`."""
        number = self._metadata.setdefault(content, len(self._metadata))
        return f"!{number}"

    def likely(self) -> str:
        """The metadata of a branch that is taken nearly always."""
        return self.metadata('!"branch_weights", i32 1048576, i32 1')

    def loop(self, *properties: str) -> str:
        """The metadata of one more loop with these properties, for its way back."""
        nodes = list(map(self.metadata, properties))
        # It has itself as first operand, which makes it another one than any before.
        return self.metadata(", ".join([f"!{len(self._metadata)}", *nodes]))

    def text(self) -> str:
        """The whole module."""
        defined = set(self._helpers)
        declarations = [
            text for name, text in self._declarations.items() if name not in defined
        ]
        parts = [
            self.machine.header(),
            "\n".join(self._globals),
            *self._functions,
            *self._helpers.values(),
            "\n".join(declarations),
            "\n".join(f"!{n} = !{{{text}}}" for text, n in self._metadata.items()),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"
