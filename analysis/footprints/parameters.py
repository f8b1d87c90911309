"""What the ids of a kernel and the numbers of a launch are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from xdsl.ir import BlockArgument, SSAValue

from spmd.analysis.footprints.expressions import Expression
from spmd.analysis.footprints.rules import floor_of
from spmd.analysis.memory.polynomials import Atom, Id, Parameter, Polynomial
from spmd.dialects.interfaces.views import underlying_object, viewed_memory
from spmd.dialects.spmd import KernelOp

AtomT = TypeVar("AtomT", bound=Atom)


class Parameters:
    """The atoms of one kernel that are no results of its code: each exists once."""

    def __init__(self, kernel: KernelOp):
        self._kernel = kernel
        self._atoms: dict[tuple[str, int, int], Atom] = {}
        self.has_full_groups = kernel.has_full_groups

    def _atom(self, key: tuple[str, int, int], make: Callable[[], AtomT]) -> AtomT:
        found = self._atoms.get(key)
        if found is None:
            found = self._atoms[key] = make()
        return found  # pyright: ignore[reportReturnType]

    def _parameter(
        self, kind: str, name: str, axis: int = 0, position: int = 0
    ) -> Parameter:
        key = kind, axis, position
        return self._atom(
            key, lambda: Parameter(name, kind=kind, axis=axis, position=position)
        )

    def global_id(self, axis: int) -> Id:
        """The id of the work-item."""
        name = f"global_id.{'xyz'[axis]}"
        return self._atom(("global_id", axis, 0), lambda: Id(name, axis=axis))

    def group_id(self, axis: int) -> Id:
        """The id of its group."""
        name = f"group_id.{'xyz'[axis]}"
        key = "group_id", axis, 0
        return self._atom(key, lambda: Id(name, axis=axis, of_group=True))

    def global_size(self, axis: int) -> Parameter:
        """Work-items of the launch."""
        return self._parameter("global_size", f"global_size.{'xyz'[axis]}", axis)

    def group_size(self, axis: int) -> Polynomial:
        """Work-items of a full group."""
        if (fixed := self._kernel.group_size) is not None:
            return Polynomial.of(fixed[axis])
        name = f"group_size.{'xyz'[axis]}"
        return Polynomial.of(self._parameter("group_size", name, axis))

    def group_count(self, axis: int) -> Polynomial:
        """Groups of the launch."""
        size = self.group_size(axis)
        return floor_of(Polynomial.of(self.global_size(axis)) + size - 1, size)

    def scalar(self, argument: BlockArgument) -> Parameter:
        """A number that is an argument."""
        name = f"%{argument.name_hint or argument.index}"
        return self._parameter("scalar", name, 0, argument.index)

    def extent(self, memory: SSAValue, axis: int) -> Expression | None:
        """The size of `memory` in a dimension, if it is an argument."""
        base = underlying_object(memory)
        if not isinstance(base, BlockArgument) or viewed_memory(memory) is not None:
            return None
        if base.block is not self._kernel.body.blocks[0]:
            return None
        name = f"dim(%{base.name_hint or base.index}, {axis})"
        return Expression(
            Polynomial.of(self._parameter("extent", name, axis, base.index))
        )
