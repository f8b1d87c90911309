"""
How passes and analyses ask an op what it is, instead of listing ops.

An interface is an xDSL trait with data: an op has it in its `traits_def`, or gets it from
outside, by `attach`. What xDSL's ops are stands in `dialects/compat/models`, one file for
each dialect (MLIR calls these external models), read when a dialect is first asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpTrait

_MODELS = {
    "arith": "compat.models.arith",
    "builtin": "compat.models.others",
    "cf": "compat.models.cf",
    "func": "compat.models.others",
    "linalg": "compat.models.linalg",
    "llvm": "compat.models.llvm",
    "math": "compat.models.math",
    "memref": "compat.models.memref",
    "scf": "compat.models.scf",
    "ub": "compat.models.others",
    "vector": "compat.models.vector",
}
"""The dialects of xDSL that are known, and the files in `dialects` that say what their ops are."""


class OpInterface(OpTrait):
    """Base of the interfaces."""

    _models: ClassVar[Mapping[str, str]] = _MODELS
    """Where interfaces like this one are attached."""

    # Kept for each class, since this is asked for every op by every analysis.
    _known: ClassVar[dict[type[Operation | Block], Any]]
    _attached: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._known = {}
        cls._attached = {}

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
            model = cls._models.get(kind.name.partition(".")[0])
            if model is not None:
                import_module(f"spmd.dialects.{model}")
            found = kind.get_trait(cls) or cls._attached.get(kind.name)
        cls._known[kind] = found
        return found

    def attach(self, *ops: type[Operation] | str) -> None:
        """
        Give the interface to ops whose classes do not have it: by class, or by name.

        A name means an op of a dialect that is not imported for this, or that a later
        xDSL may have.
        """
        names = [op if isinstance(op, str) else op.name for op in ops]
        for interface in type(self).__mro__:
            if issubclass(interface, OpInterface) and interface is not OpInterface:
                interface._attached.update(dict.fromkeys(names, self))
                interface._known.clear()
