"""Sizes that are known before all barriers, and what is made there because of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.contexts.sub_cfg_needs import SubCfgValues
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.rewriting import has_no_effect
from spmd.dialects.spmd import LocalIdOp, SubGroupQueryOp


class SizesAtHead:
    """
    Rematerializes values at the end of `entry`, after what runs once per work-group.

    A size is known there if operations without effects compute it from what runs once. It
    may come from a place that is run under a condition: such operations do no harm.
    """

    def __init__(self, entry: Block, facts: SubCfgValues):
        self.entry = entry
        self.facts = facts
        self._ops: list[Operation] = []
        self._known: dict[SSAValue, SSAValue | None] = {}

    def find(self, value: SSAValue) -> SSAValue | None:
        """What `value` is called at the head; `None` if it is not known there."""
        if self.facts.is_once(value):
            return value
        if value not in self._known:
            self._known[value] = self._compute(value)
        return self._known[value]

    def _compute(self, value: SSAValue) -> SSAValue | None:
        owner = value.owner
        if (
            isinstance(owner, Block | LocalIdOp | SubGroupQueryOp)
            or owner.regions
            or not has_no_effect(owner)
            or may_trap(owner)
        ):
            return None
        operands: dict[SSAValue, SSAValue] = {}
        for operand in owner.operands:
            if (known := self.find(operand)) is None:
                return None
            operands[operand] = known
        clone = owner.clone(operands)
        self._ops.append(clone)
        return clone.results[owner.results.index(value)]

    def place(self, ops: Sequence[Operation]) -> Sequence[Operation]:
        """Put what was computed, and then `ops`, at the end of the block; all of these."""
        new = (*self._ops, *ops)
        self.entry.insert_ops_before(new, terminator(self.entry))
        return new
