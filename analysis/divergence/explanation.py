"""
Why a value is varying: the chain from it to an id, a load or a loop, in words.

Every line names a value and why it is varying; the next line explains the value that is
to blame. A chain ends in an id, an atomic operation, memory, or a value that is already
in the chain, because a loop hands it around.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.divergence.unstructured import UnstructuredRegion
from spmd.analysis.shapes.shape import Shape
from spmd.dialects.diagnostics import source_location
from spmd.dialects.interfaces.control_flow import (
    Operand,
    RegionBranch,
    Runs,
    decisions,
    operands_of,
    phi_of,
)
from spmd.dialects.interfaces.memory import loaded_memory

Step = tuple[str, SSAValue | None]
"""Why a value is varying, and the value that is to blame."""


def name_of(value: SSAValue) -> str:
    """How a message calls a value."""
    if value.name_hint is not None:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"argument {value.index} of a block"
    owner = value.owner
    return f"the result of {owner.name}" if isinstance(owner, Operation) else "a value"


def name_of_branch(op: Operation) -> str:
    """How a message calls a branch or loop: with its place, if that is known."""
    where = source_location(op)
    return op.name if where is None else f"{op.name} at {where}"


class Facts(Protocol):
    """What an explanation needs of a `Divergence`."""

    @property
    def root(self) -> Operation: ...

    @property
    def dimensions(self) -> int: ...

    def is_uniform(self, value: SSAValue) -> bool: ...

    def shape_at(self, value: SSAValue, user: Operation, dim: int = 0) -> Shape: ...

    def is_divergent(self, op: Operation) -> bool: ...

    def region_of(self, block: Block) -> UnstructuredRegion | None: ...


class Explainer:
    """Follows varying values to where they come from."""

    def __init__(self, facts: Facts):
        self._facts = facts

    def why_varying(self, value: SSAValue) -> str:
        """One line per step."""
        if self._facts.is_uniform(value):
            return f"{name_of(value)} is uniform"
        return "\n".join(self._chain(value))

    def why_divergent(self, op: Operation) -> str:
        """One line per step, the first about the branch or loop."""
        if not self._facts.is_divergent(op):
            return f"{name_of_branch(op)} is not divergent"
        cause = self._varying(decisions(op))
        if cause is None:
            return f"{op.name} runs its regions in an order that is not known"
        first = f"{name_of_branch(op)} is divergent: it depends on {name_of(cause)}"
        return "\n".join([first, *self._chain(cause)])

    def _chain(self, value: SSAValue) -> list[str]:
        lines: list[str] = []
        seen: set[SSAValue] = set()
        at: SSAValue | None = value
        while at is not None and at not in seen:
            seen.add(at)
            reason, cause = self._step(at)
            lines.append(f"{name_of(at)} is varying: {reason}")
            at = cause
        return lines

    def _varying(self, operands: Iterable[Operand]) -> SSAValue | None:
        """The first of some operands that is not uniform."""
        for each in operands:
            for dimension in range(self._facts.dimensions):
                if not self._facts.shape_at(each.value, each.op, dimension).is_uniform:
                    return each.value
        return None

    def _step(self, value: SSAValue) -> Step:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(value, owner)
        if owner.regions:
            return self._result(owner)
        cause = self._varying(operands_of(owner))
        if cause is not None:
            return f"{owner.name} of {name_of(cause)}", cause
        if loaded_memory(owner) is not None:
            return "it is loaded from memory that work-items may write", None
        if owner.operands and owner.parent is not None:
            left = self._left(value, owner.parent)
            if left is not None:
                return left
        return f"{owner.name} differs between work-items", None

    def _left(self, value: SSAValue, block: Block) -> Step | None:
        """Why a value that is uniform in its loop is not so after it."""
        flow = self._facts.region_of(block)
        if flow is None:
            return None
        for use in value.uses:
            for dimension in range(self._facts.dimensions):
                at = use.operation
                if not self._facts.shape_at(value, at, dimension).is_uniform:
                    return "work-items leave its loop at different times", None
        return None

    # Block arguments

    def _argument(self, value: SSAValue, block: Block) -> Step:
        assert isinstance(value, BlockArgument)
        parent = block.parent_op()
        flow = self._facts.region_of(block)
        if flow is not None and block is not flow.blocks[0]:
            return self._arrives(value, block, flow)
        if parent is self._facts.root:
            return "it is the index of a work-item", None
        if isinstance(parent, scf.ForOp) and value.index == 0:
            cause = self._varying((Operand(parent, 0), Operand(parent, 2)))
            return "its loop begins at or steps by a varying value", cause
        phi = phi_of(value)
        if phi is not None:
            return "its loop carries a varying value", self._varying(phi.sources)
        name = "a block" if parent is None else parent.name
        return f"it is an argument of {name}", None

    def _arrives(
        self, value: BlockArgument, block: Block, flow: UnstructuredRegion
    ) -> Step:
        """Why an argument of a block in unstructured control flow is varying."""
        for operand in flow.arriving(block, value.index):
            if (cause := self._varying((operand,))) is not None:
                return f"{operand.op.name} brings {name_of(cause)}", cause
        for dimension in range(self._facts.dimensions):
            branch = flow.cause(block, dimension)
            if branch is not None:
                cause = self._varying(decisions(branch))
                return f"work-items diverged at {name_of_branch(branch)}", cause
        return "its block is reached on edges that are not known", None

    # Results of control flow

    def _result(self, op: Operation) -> Step:
        if not self._facts.is_divergent(op):
            for region in op.regions:
                for block in region.blocks:
                    end = block.last_op
                    cause = None if end is None else self._varying(operands_of(end))
                    if cause is not None:
                        return f"{op.name} yields {name_of(cause)}", cause
            return f"work-items take different paths through {op.name}", None
        cause = self._varying(decisions(op))
        control = RegionBranch.of(op)
        if control is not None and control.runs is Runs.LOOP:
            return f"work-items leave {name_of_branch(op)} at different times", cause
        return f"work-items take different paths through {name_of_branch(op)}", cause
