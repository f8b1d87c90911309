"""
How a work-item gets the values that one place of a kernel takes from another.

A *place* is code that all work-items run before any of them goes on: a barrier region, or
the sub-CFG of a sync. A value that a place uses and did not define itself is, when the
place begins,

* in a *group-uniform slot* if all work-items have the same: one element for the group,
* *rematerialized* if it is a cheap function of ids, of what runs once and of what is
  stored (Briggs, Cooper, Torczon, "Rematerialization", 1992; `context_cut` decides),
* *stored* in a context otherwise: one element per work-item.

Private arrays become group memory, and memrefs are never stored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.contexts.context_cut import choose_stored, cost_of
from spmd.dialects.spmd import LocalIdOp

PlaceT = TypeVar("PlaceT", bound=Hashable)

Values = dict[SSAValue, None]
"""An ordered set."""


@dataclass(frozen=True)
class Needs(Generic[PlaceT]):
    """What becomes of each value that crosses a sync, in the order of the demands."""

    uniform: Values = field(default_factory=Values)
    stored: Values = field(default_factory=Values)
    rematerialized: Values = field(default_factory=Values)
    private: dict[memref.AllocaOp, None] = field(
        default_factory=dict[memref.AllocaOp, None]
    )
    unmovable: Values = field(default_factory=Values)
    """Memrefs that cannot be rematerialized."""

    entered: dict[PlaceT, dict[SSAValue, bool]] = field(
        default_factory=dict[PlaceT, dict[SSAValue, bool]]
    )
    """What each place needs when it begins; whether it uses that, or only forwards it."""


class Resolver(ABC, Generic[PlaceT]):
    """Decides how values get to places, from what a kind of place knows of them."""

    needs: Needs[PlaceT]
    _chosen: set[SSAValue]

    @abstractmethod
    def is_once(self, value: SSAValue) -> bool:
        """Whether `value` is computed once per work-group, before all who use it."""

    @abstractmethod
    def is_uniform(self, value: SSAValue) -> bool:
        """Whether all work-items that wait at one sync have the same `value`, no memref."""

    @abstractmethod
    def is_given(self, value: SSAValue, place: PlaceT) -> bool:
        """Whether something else brings `value` to `place`."""

    def is_varying(self, value: SSAValue) -> bool:
        """Whether each work-item has to bring its own `value` along."""
        return not (
            self.is_once(value)
            or self.is_uniform(value)
            or isinstance(value.owner, LocalIdOp | memref.AllocaOp)
        )

    def choose(self, values: Iterable[SSAValue], stored: Iterable[SSAValue] = ()):
        """Decide anew which values to store so that all `values` can be had, these anyway."""
        self.needs = Needs[PlaceT]()
        varying = filter(self.is_varying, values)
        self._chosen = choose_stored(varying, self._operands_of).union(stored)

    def enter(self, value: SSAValue, place: PlaceT, is_used: bool = True) -> None:
        """Note that `place` needs `value` when it begins, and what it needs for that."""
        needs = self.needs
        entered = needs.entered.setdefault(place, {})
        worklist = [value]
        while worklist:
            value = worklist.pop()
            known = entered.get(value)
            if known or known is is_used or self.is_once(value):
                continue
            entered[value] = is_used
            owner = value.owner
            if isinstance(owner, LocalIdOp) or self.is_given(value, place):
                continue
            if isinstance(owner, memref.AllocaOp):
                needs.private[owner] = None
            elif self.is_uniform(value):
                needs.uniform[value] = None
            elif self.is_rematerialized(value):
                needs.rematerialized[value] = None
                assert isinstance(owner, Operation)
                worklist.extend(owner.operands)
            elif isinstance(value.type, MemRefType):
                needs.unmovable[value] = None
            else:
                needs.stored[value] = None

    def is_rematerialized(self, value: SSAValue) -> bool:
        """Whether a varying `value` is rematerialized rather than stored."""
        owner = value.owner
        return (
            value not in self._chosen
            and isinstance(owner, Operation)
            and cost_of(owner) is not None
        )

    def _operands_of(self, value: SSAValue) -> tuple[int, Sequence[SSAValue]] | None:
        """What `value` can be rematerialized from, without what is known everywhere."""
        owner = value.owner
        if isinstance(owner, Block) or (cost := cost_of(owner)) is None:
            return None
        return cost, [operand for operand in owner.operands if self.is_varying(operand)]
