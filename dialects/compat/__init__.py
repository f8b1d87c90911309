"""
What xDSL 0.74 lacks of upstream's `arith`, `memref`, `vector`, `scf`, `gpu`, `llvm` and `linalg`.

| dialect  | repair | module |
| -------- | ------ | ------ |
| `arith`  | compare, select and casts take vectors; compares keep their attributes | `elementwise` |
| `arith`  | `index_castui`, `remf` | `missing_arith` |
| `memref` | `prefetch` | `prefetch` |
| `memref` | syntax of `cast`, `copy`, `global` | `memref_syntax` |
| `vector` | `gather`, `scatter`, `step`; syntax of `print` | `memory` |
| `scf`    | `execute_region` without results prints its terminators | `scf.execute_region` |
| `scf`    | syntax of `parallel`, of `while` without values | `scf.syntax` |
| `scf`    | `forall` on memrefs | `scf.forall` |
| `scf`    | several threads may build ops that add their own terminators | `scf.implicit_builder` |
| `gpu`    | syntax, attributions; what lanes do together, `printf`, `memset`, `dynamic_shared_memory` | `gpu` |
| `linalg` | named ops, `map`, short `reduce`; elements of several types | `linalg` |
| `llvm`   | `atomicrmw`, `cmpxchg` | `atomics` |
| all      | operations know where they stood in the text | `common.locations` |
| all      | tokens take one match each | `common.lexing` |
| all      | `walk` takes linear time | `common.walking` |

xDSL's own classes are changed in place, because everybody who holds them (parser,
passes, other plugins) must see the same ops. Scalar code behaves exactly as before. The
version of xDSL is fixed: whoever raises it looks here for what can go.

The stock `xdsl-opt` gets a repair when it first uses the dialect (see
`spmd.universe`); passes and the API call `ensure()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

if TYPE_CHECKING:
    from xdsl.irdl.declarative_assembly_format import CustomDirective

_REPAIRS = {
    "arith": ("elementwise", "missing_arith"),
    "memref": ("prefetch", "memref_syntax"),
    "vector": ("memory",),
    "scf": ("scf.execute_region", "scf.syntax", "scf.implicit_builder", "scf.forall"),
    "llvm": ("atomics",),
    "gpu": ("gpu",),
    "linalg": ("linalg",),
}
_done: set[str] = set()
_lock = Lock()

REPAIRED_DIALECTS = tuple(_REPAIRS)
"""The dialects that are loaded with a repair."""

_KERNEL_DIALECTS = ("arith", "memref", "vector", "scf")
"""Those in use in every kernel; to import the others takes time that few need to spend."""


def add_missing(
    dialect: Dialect,
    ops: Sequence[type[Operation]],
    attributes: Sequence[type[Attribute]] = (),
) -> None:
    """Make them members of a dialect of xDSL that has none of their names."""
    # The lists have no public way in; `Dialect` keeps and exposes these very lists.
    dialect._operations.extend(ops)  # pyright: ignore[reportPrivateUsage]
    dialect._attributes.extend(attributes)  # pyright: ignore[reportPrivateUsage]


def set_syntax(
    op: type[Operation],
    parse: Callable[[Any, Parser], Operation],
    print_: Callable[[Any, Printer], None],
) -> None:
    """Give an op of xDSL another custom syntax; `parse` gets the class first."""
    setattr(op, "parse", classmethod(parse))
    setattr(op, "print", print_)


def give_format(
    op: type[IRDLOperation], text: str, *directives: type[CustomDirective]
) -> None:
    """What `irdl_op_definition` does for an op class with an `assembly_format`."""
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    definition = op.get_irdl_definition()
    definition.custom_directives = {each.__name__: each for each in directives}
    program = FormatProgram.from_str(text, definition)

    def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
        return program.parse(parser, cls)

    def print_(self: IRDLOperation, printer: Printer) -> None:
        program.print(printer, self)

    set_syntax(op, parse, print_)


def ensure(*dialects: str) -> None:
    """Repair `dialects`, by default those of kernels; does nothing the second time."""
    for dialect in dialects or _KERNEL_DIALECTS:
        if dialect in _done:
            continue
        with _lock:
            if dialect not in _done:
                for module in _REPAIRS[dialect]:
                    import_module(f"{__name__}.{module}").repair()
                _done.add(dialect)
