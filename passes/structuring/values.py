"""The values of variables while code is written."""

from __future__ import annotations

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.names import NEGATED
from spmd.dialects.rewriting import hint, locate

Value = SSAValue | int | None
"""A value, a number that is no value yet, or nothing: no path that leads here sets one."""


class Pool:
    """ConstantPool and poison at the head of `entry`, one for each value and type."""

    def __init__(self, entry: Block):
        self.constants = ConstantPool(entry)
        self._entry = entry
        self._negated: dict[tuple[SSAValue, Block], SSAValue] = {}
        self._poison: dict[Attribute, SSAValue] = {}
        for op in entry.ops:
            if isinstance(op, ub.PoisonOp):
                self._poison.setdefault(op.result.type, op.result)
            elif not isinstance(op, arith.ConstantOp):
                break

    def materialize(self, value: Value, type_: Attribute) -> SSAValue:
        """The value of an operand."""
        if isinstance(value, SSAValue):
            return value
        if value is None:
            return self._poison_of(type_)
        if type_ == i1:
            return self.constants.bit(bool(value))
        return self.constants.number(value, type_)

    def negated(self, condition: SSAValue, out: Block, like: Operation) -> SSAValue:
        """A value at the end of `out` that says whether `condition` does not hold."""
        if (known := self._negated.get((condition, out))) is not None:
            return known
        owner = condition.owner
        if isinstance(owner, arith.CmpiOp):
            opposite = NEGATED[owner.predicate.value.data]
            op = arith.CmpiOp(owner.lhs, owner.rhs, opposite)
        else:
            op = arith.XOrIOp(condition, self.constants.bit(True))
        locate(op, like)
        out.add_op(op)
        name = condition.name_hint
        known = hint(op.results[0], f"not_{name}" if name else "not")
        self._negated[condition, out] = known
        return known

    def _poison_of(self, type_: Attribute) -> SSAValue:
        if (known := self._poison.get(type_)) is None:
            at = Builder.at_head(self._entry, self._entry.parent_op())
            known = self._poison[type_] = at.add(ub.PoisonOp(type_), "undefined")
        return known
