"""
How passes and analyses ask an op what it is, instead of listing ops.

An interface is an xDSL trait with data. Ops of this project declare theirs in
`traits_def`; those of xDSL's ops stand in `dialects/compat/models`, one file for each
dialect (MLIR calls these external models), read when a dialect is first asked about.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpTrait

_MODELS = {
    "arith": "arith",
    "builtin": "others",
    "cf": "cf",
    "func": "others",
    "math": "math",
    "memref": "memref",
    "scf": "scf",
    "ub": "others",
    "vector": "vector",
}
"""The dialects of xDSL that are known, and the files in `dialects/compat/models`."""


class OpInterface(OpTrait):
    """Base of the interfaces."""

    # Kept for each class, since this is asked for every op by every analysis.
    _known: ClassVar[dict[type[Operation | Block], Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._known = {}

    @classmethod
    def of(cls, op: Operation | Block) -> Self | None:
        """The interface of `op`; `None` also for an unregistered op, and for a block."""
        kind = type(op)
        try:
            return cls._known[kind]
        except KeyError:
            return cls._find(kind)

    @classmethod
    def _find(cls, kind: type[Operation | Block]) -> Self | None:
        if issubclass(kind, UnregisteredOp):
            return None  # a class for each such op: not kept
        found = None
        if issubclass(kind, Operation):
            found = kind.get_trait(cls)
            model = _MODELS.get(kind.name.partition(".")[0])
            if found is None and model is not None:
                import_module(f"spmd.dialects.compat.models.{model}")
                found = cls._known.get(kind)
        cls._known[kind] = found
        return found

    def attach(self, *kinds: type[Operation]) -> None:
        """Give the interface to ops of xDSL."""
        for interface in type(self).__mro__:
            if issubclass(interface, OpInterface) and interface is not OpInterface:
                interface._known.update(dict.fromkeys(kinds, self))
