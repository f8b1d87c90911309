"""
Rejects barriers that not all work-items of a group can reach.

A barrier or work-group collective is an error if a branch decides whether it is reached,
the branch's condition is not proved uniform, and the condition is computed by operations
without effects from `local_id`, `lane_id` or `sub_group_id`, and otherwise only from
constants, kernel arguments, sizes and group ids. So is one directly in the body of an
`scf.for` whose bounds or step are of that kind. Every other condition is accepted: the
kernel may know that it is the same in all work-items.

The module after the pass is the module before it:

```mlir
%lid = spmd.local_id x
%low = arith.cmpi ult, %lid, %c8 : index
scf.if %low {
  spmd.barrier                    // error: only 8 work-items come here
}
%flag = memref.load %flags[%lid] : memref<?xi1>
scf.if %flag {
  spmd.barrier                    // accepted: the flags may be equal
}
```

Option: `divergent-barriers=allow` accepts all.

Requires: `spmd-inline-calls`; not `hoist-ids`, after which a global id looks like a local
one.
Ensures: the module, unchanged, keeps the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.analyses import Analyses
from spmd.analysis.graphs.traversal import (
    post_order,
    reachable,
    reverse_post_order,
    successors_of,
)
from spmd.dialects.diagnostics import fail, source_location
from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.control_flow import RegionBranch, decisions
from spmd.dialects.names import PREDICATES
from spmd.dialects.rewriting import has_no_effect
from spmd.dialects.spmd import (
    GlobalIdOp,
    KernelOp,
    LaneIdOp,
    LocalIdOp,
    SubGroupIdOp,
    is_group_barrier,
    is_group_collective,
)
from spmd.dialects.spmd.kernel import kernels_in


@dataclass(frozen=True)
class CheckBarriersPass(ModulePass):
    """Barriers that all work-items reach, or an error; see the module docstring."""

    name = "check-barriers"

    divergent_barriers: Literal["reject", "allow"] = "reject"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.divergent_barriers == "allow":
            return
        for kernel in kernels_in(op):
            _Checker(kernel).check()


class _Checker:
    def __init__(self, kernel: KernelOp):
        self.kernel = kernel
        self._chains: dict[SSAValue, tuple[SSAValue, ...] | None] = {}
        self._analyses = Analyses(kernel)
        self._reached: dict[Block, Collection[Block]] = {}
        self._order: dict[Block, int] = {}

    def check(self) -> None:
        for op in self.kernel.walk():
            if is_group_barrier(op) or is_group_collective(op):
                for branch, what, value in _deciders(op, self._cut_off):
                    self._check_one(op, branch, what, value)

    def _check_one(
        self, barrier: Operation, branch: Operation, what: str, value: SSAValue
    ) -> None:
        chain = self._chain(value)
        if not chain:
            return
        divergence = self._analyses.divergence
        if divergence.is_uniform(value):
            return
        if isinstance(branch, scf.ForOp) and not divergence.is_divergent(branch):
            return
        where = source_location(branch)
        steps = " -> ".join(_words(step) for step in chain)
        fail(
            barrier,
            f"expected all work-items of the group to reach {barrier.name}, got one "
            f"under {branch.name}{f' ({where})' if where else ''}, whose {what} differs "
            f"between work-items: {steps}; move it out, or say "
            "divergent-barriers=allow if the condition is the same in all of them",
        )

    def _chain(self, value: SSAValue) -> tuple[SSAValue, ...] | None:
        """
        From an id to `value`, if it is computed from ids and what is uniform by itself.

        Empty if there is no id, `None` if there is something else.
        """
        for at in post_order((value,), self._operands_to_ask):
            if at not in self._chains:
                self._chains[at] = self._join(at, self._computed_from(at))
        return self._chains[value]

    def _operands_to_ask(self, value: SSAValue) -> tuple[SSAValue, ...]:
        return () if value in self._chains else self._computed_from(value) or ()

    def _computed_from(self, value: SSAValue) -> tuple[SSAValue, ...] | None:
        if isinstance(value, BlockArgument):
            return () if value.block is self.kernel.body.blocks.first else None
        owner = value.owner
        assert isinstance(owner, Operation)
        if owner.regions or isinstance(owner, GlobalIdOp):
            return None
        return tuple(owner.operands) if has_no_effect(owner) else None

    def _join(
        self, value: SSAValue, operands: tuple[SSAValue, ...] | None
    ) -> tuple[SSAValue, ...] | None:
        if operands is None:
            return None
        if isinstance(value.owner, LocalIdOp | LaneIdOp | SubGroupIdOp):
            return (value,)
        chains = [self._chains[operand] for operand in operands]
        if None in chains:
            return None
        first = next(filter(None, chains), None)
        return (*first, value) if first else ()

    def _cut_off(self, branch: Operation, target: Block) -> bool:
        """Whether `target` is reached from one successor of `branch` and not another."""
        ahead = set(self._ahead(parent_block(branch)))
        reached = [
            to in ahead and target in self._reach(to) for to in branch.successors
        ]
        return any(reached) and not all(reached)

    def _reach(self, block: Block) -> Collection[Block]:
        """The blocks after `block`, and itself, without following back edges."""
        if block not in self._reached:
            self._reached[block] = reachable((block,), self._ahead)
        return self._reached[block]

    def _ahead(self, block: Block) -> Iterator[Block]:
        """The successors of `block` but for those that back edges lead to."""
        if block not in self._order:
            assert block.parent is not None, "a block stands in a region"
            blocks = reverse_post_order(block.parent.blocks[0], successors_of)
            self._order.update((at, number) for number, at in enumerate(blocks))
        here = self._order[block]
        return (to for to in successors_of(block) if here < self._order[to])


Decider = tuple[Operation, str, SSAValue]


def _deciders(
    barrier: Operation, cut_off: Callable[[Operation, Block], bool]
) -> Iterator[Decider]:
    """Each branch that decides whether `barrier` is reached, and by which value."""
    under_branch = False
    op = barrier
    while (parent := op.parent_op()) is not None and not isinstance(op, KernelOp):
        block = parent_block(op)
        region = block.parent
        assert region is not None
        if len(region.blocks) > 1:
            for other in reverse_post_order(region.blocks[0], successors_of):
                end = other.last_op
                if end is not None and decisions(end) and cut_off(end, block):
                    under_branch = True
                    yield from _decisions(end)
        flow = RegionBranch.of(parent)
        if flow is not None and tuple(flow.successors(parent, None)) != (region,):
            # Under a branch, a loop around it may run a different number of times.
            if not (under_branch and isinstance(parent, scf.ForOp)):
                yield from _decisions(parent)
            under_branch = True
        op = parent


def _decisions(branch: Operation) -> Iterator[Decider]:
    words = _WORDS.get(branch.name, ("condition",))
    for what, operand in zip(words, decisions(branch), strict=True):
        yield branch, what, operand.value


_WORDS = {
    cf.SwitchOp.name: ("flag",),
    scf.IndexSwitchOp.name: ("argument",),
    scf.ForOp.name: ("lower bound", "upper bound", "step"),
}
"""What a branch decides by, if it is not a condition."""


def _words(value: SSAValue) -> str:
    owner = value.owner
    assert isinstance(owner, Operation)
    name = f"%{value.name_hint} = " if value.name_hint else ""
    if isinstance(owner, LocalIdOp):
        return f"{name}{owner.name} {owner.dimension.data.value}"
    if isinstance(owner, arith.CmpiOp):
        return f"{name}{owner.name} {PREDICATES[owner.predicate.value.data]}"
    return f"{name}{owner.name}"
