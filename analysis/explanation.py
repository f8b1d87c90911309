"""Why a value is varying: the chain from it to an id, a load or a loop, in words."""

from __future__ import annotations

from typing import Protocol

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.private_memory import loaded_memref


def is_structured(op: Operation) -> bool:
    """Whether every region has one block, as `scf` demands of all but one operation."""
    return all(len(region.blocks) == 1 for region in op.regions)


class Facts(Protocol):
    """What an explanation needs of a `Divergence`."""

    @property
    def root(self) -> Operation: ...

    def is_uniform(self, value: SSAValue) -> bool: ...

    def is_divergent(self, op: Operation) -> bool: ...


def name_of(value: SSAValue) -> str:
    """How a message calls a value."""
    if value.name_hint is not None:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"argument {value.index} of a block"
    owner = value.owner
    return f"the result of {owner.name}" if isinstance(owner, Operation) else "a value"


class Explainer:
    """Follows varying values to where they come from."""

    def __init__(self, divergence: Facts):
        self._divergence = divergence

    def why_varying(self, value: SSAValue) -> str:
        """One line per step."""
        if self._divergence.is_uniform(value):
            return f"{name_of(value)} is uniform"
        lines: list[str] = []
        seen: set[SSAValue] = set()
        at: SSAValue | None = value
        while at is not None and at not in seen:
            seen.add(at)
            reason, cause = self._step(at)
            lines.append(f"{name_of(at)} is varying: {reason}")
            at = cause
        return "\n".join(lines)

    def _varying(self, *values: SSAValue) -> SSAValue | None:
        """The first of some values that is not uniform."""
        for value in values:
            if not self._divergence.is_uniform(value):
                return value
        return None

    def _step(self, value: SSAValue) -> tuple[str, SSAValue | None]:
        """Why one value is varying, and the value that is to blame."""
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(value, owner)
        if owner.regions:
            return self._result(owner)
        cause = self._varying(*owner.operands)
        if loaded_memref(owner) is not None and cause is None:
            return "it is loaded from memory that work-items may write", None
        if cause is None:
            return f"{owner.name} differs between work-items", None
        return f"{owner.name} of {name_of(cause)}", cause

    def _argument(self, value: SSAValue, block: Block) -> tuple[str, SSAValue | None]:
        parent = block.parent_op()
        assert isinstance(value, BlockArgument)
        if parent is self._divergence.root:
            return "it is the index of a work-item", None
        if isinstance(parent, scf.ForOp):
            if value.index == 0:
                cause = self._varying(parent.lb, parent.step)
                return "its loop begins at or steps by a varying value", cause
            end = block.last_op
            again = end.operands[value.index - 1] if end is not None else value
            cause = self._varying(parent.iter_args[value.index - 1], again)
            return "its loop carries a varying value", cause
        if isinstance(parent, scf.WhileOp) and is_structured(parent):
            cause = self._carried(parent, value, block)
            return "its loop carries a varying value", cause
        name = "a block" if parent is None else parent.name
        return f"it is an argument of {name}", None

    def _carried(
        self, loop: scf.WhileOp, value: BlockArgument, block: Block
    ) -> SSAValue | None:
        condition = loop.before_region.block.last_op
        again = loop.after_region.block.last_op
        if condition is None or again is None:
            return None
        if block is loop.after_region.block:
            return self._varying(condition.operands[value.index + 1])
        return self._varying(loop.arguments[value.index], again.operands[value.index])

    def _result(self, op: Operation) -> tuple[str, SSAValue | None]:
        if not self._divergence.is_divergent(op):
            ends = [
                r.blocks.last.last_op for r in op.regions if r.blocks.last is not None
            ]
            cause = self._varying(
                *(v for e in ends if e is not None for v in e.operands)
            )
            return f"{op.name} yields a varying value", cause
        match op:
            case scf.ForOp():
                cause = self._varying(op.lb, op.ub, op.step)
                return "work-items leave the scf.for at different times", cause
            case scf.WhileOp() if is_structured(op):
                end = op.before_region.block.last_op
                cause = None if end is None else self._varying(end.operands[0])
                return "work-items leave the scf.while at different times", cause
            case _:
                cause = self._varying(*op.operands[:1])
                return f"work-items take different ways through {op.name}", cause
