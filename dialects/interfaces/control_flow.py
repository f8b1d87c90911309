"""
Where control flow goes, what decides about it, and which values it forwards.

MLIR's `BranchOpInterface`, `RegionBranchOpInterface`, `LoopLikeOpInterface`. What they say
of single operations is put together in *phis*: results of structured control flow,
arguments of a block, or both for a value that a loop carries.

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (f32) {
  ...
  scf.yield %next : f32       // one phi: %sum and %r; its sources are %first and %next
}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate, chain, pairwise
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from spmd.dialects.interfaces.interface import OpInterface


class Operand(NamedTuple):
    """An operand, by the operation that has it."""

    op: Operation
    position: int

    @property
    def value(self) -> SSAValue:
        """What the operand is."""
        return self.op.operands[self.position]


class Runs(Enum):
    """How often an operation runs its regions."""

    ONCE = auto()
    """The only region, once."""

    CHOICE = auto()
    """One of the regions, or none of them, once."""

    LOOP = auto()
    """
    The regions in turn, any number of times.

    Of two regions the first says at its end whether to go on; of a single one, the
    operation does before it.
    """


@dataclass(frozen=True, kw_only=True)
class Forwarding(OpInterface):
    """The first operands decide where control goes; those from `forwarded` go with it."""

    decides: int = 0
    forwarded: int | None = None


@dataclass(frozen=True, kw_only=True)
class Branch(Forwarding):
    """
    A terminator with successors.

    What each successor gets stands in the order of the successors.
    """

    def counts(self, op: Operation) -> Sequence[int]:
        """How many values each successor gets."""
        if "operandSegmentSizes" not in op.properties:
            return (len(op.operands),)
        _, *counts = _integers(op, "operandSegmentSizes")
        if "case_operand_segments" in op.properties:
            counts[1:] = _integers(op, "case_operand_segments")
        return counts

    def set_counts(self, op: Operation, counts: Sequence[int]) -> None:
        """Note how many values each successor gets, in the attributes that say so."""
        if "case_operand_segments" in op.properties:
            cases = DenseArrayBase.from_list(i32, counts[1:])
            op.properties["case_operand_segments"] = cases
            counts = (counts[0], sum(counts[1:]))
        if "operandSegmentSizes" in op.properties:
            sizes = DenseArrayBase.from_list(i32, (self.decides, *counts))
            op.properties["operandSegmentSizes"] = sizes


@dataclass(frozen=True, kw_only=True)
class RegionTerminator(Forwarding):
    """A terminator that leads to where the operation around it says."""


@dataclass(frozen=True, kw_only=True)
class RegionBranch(Forwarding):
    """An operation that control flow enters and leaves regions of."""

    runs: Runs = Runs.ONCE
    own_arguments: int = 0
    """The first arguments of its regions that it sets itself, such as a counter."""

    may_skip: bool = False
    """Whether a choice may be none of the regions, although none is empty."""

    def successors(
        self, op: Operation, source: Region | None
    ) -> Sequence[Region | None]:
        """
        Where control can go from the beginning of `op` (`None`), or the end of a region.

        To the beginnings of regions, or to the end of `op` (`None`).
        """
        match self.runs:
            case Runs.LOOP if len(op.regions) == 1:
                return (op.regions[0], None)
            case Runs.LOOP:
                before, after = op.regions
                return (after, None) if source is before else (before,)
            case _ if source is not None:
                return (None,)
            case _:
                inner = [region for region in op.regions if region.blocks]
                skips = self.may_skip or len(inner) < len(op.regions)
                return (*inner, None) if skips else inner

    def inputs(self, op: Operation, target: Region | None) -> Sequence[SSAValue]:
        """What is known as what is forwarded to a region, or to the end of `op`."""
        if target is None:
            return op.results
        return target.blocks[0].args[self.own_arguments :]

    def joins(
        self, op: Operation
    ) -> Iterator[tuple[list[Region | None], list[Operand]]]:
        """
        The targets of control flow, together where they get the same.

        The sources are operands: the first of those that are forwarded.
        """
        found: dict[Region | None, list[Operand]] = {}
        for source in (None, *op.regions):
            ends = (op,) if source is None else ends_of(source)
            firsts = [Operand(end, i) for end in ends if (i := _first(end)) is not None]
            for target in self.successors(op, source) if firsts else ():
                found.setdefault(target, []).extend(firsts)
        while found:
            targets = [region for region in (*op.regions, None) if region in found]
            sources = found[targets[0]]
            same = [target for target in targets if found[target] == sources]
            for target in same:
                del found[target]
            yield same, sources


def _integers(op: Operation, name: str) -> Iterator[int]:
    array = cast("DenseArrayBase[IntegerType]", op.properties[name])
    return map(int, array.get_values())


def ends_of(region: Region) -> Iterator[Operation]:
    """The terminators that leave `region`."""
    for block in region.blocks:
        if block.last_op is not None and not block.last_op.successors:
            yield block.last_op


def _first(op: Operation) -> int | None:
    """The first operand that `op` forwards."""
    flow = Forwarding.of(op)
    return None if flow is None else flow.forwarded


def operands_of(op: Operation) -> list[Operand]:
    """All operands of `op`."""
    return [Operand(op, position) for position in range(len(op.operands))]


def decisions(op: Operation) -> Sequence[Operand]:
    """The operands that decide which successor control flow takes at `op`."""
    flow = Forwarding.of(op)
    if flow is None:
        # Of an unknown branch, all may.
        return operands_of(op) if op.successors else ()
    found = operands_of(op)[: flow.decides]
    if isinstance(flow, RegionBranch) and flow.runs is Runs.LOOP:
        for end in ends_of(op.regions[0]):
            found += decisions(end)
    return found


def forwarded(op: Operation) -> Sequence[Sequence[Operand]]:
    """The operands that `op` forwards, for each successor; one group if it has none."""
    match Forwarding.of(op):
        case Branch() as flow:
            limits = accumulate(flow.counts(op), initial=flow.decides)
        case Forwarding(forwarded=int(first)):
            limits = (first, len(op.operands))
        case _:
            return ()
    operands = operands_of(op)
    return [operands[start:end] for start, end in pairwise(limits)]


def set_forwarded(op: Operation, groups: Sequence[Sequence[SSAValue]]) -> None:
    """Let `op` forward these values, for each successor, instead of those it does."""
    old = sum(map(len, forwarded(op)))
    op.operands = (*op.operands[: len(op.operands) - old], *chain(*groups))
    if (branch := Branch.of(op)) is not None:
        branch.set_counts(op, [len(group) for group in groups])


@dataclass(eq=False)
class Phi:
    """A value that control flow brings from one of several sources."""

    values: tuple[SSAValue, ...]
    """The block arguments and the result that it is known as."""

    sources: tuple[Operand, ...]
    """Where it comes from."""


def phis(op: Operation) -> Iterator[Phi]:
    """What control flow in and out of the regions of `op` forwards, in order."""
    flow = RegionBranch.of(op)
    for targets, firsts in () if flow is None else flow.joins(op):
        assert flow is not None
        inputs = [flow.inputs(op, target) for target in targets]
        for i, values in enumerate(zip(*inputs, strict=True)):
            yield Phi(values, _nth(firsts, i))


def _nth(firsts: Sequence[Operand], position: int) -> tuple[Operand, ...]:
    found = (Operand(op, first + position) for op, first in firsts)
    return tuple(each for each in found if each.position < len(each.op.operands))


def phi_of(value: SSAValue) -> Phi | None:
    """The phi that `value`, of an operation with regions, is known as; if it is one."""
    match value:
        case OpResult():
            op, target, position = value.op, None, value.index
        case BlockArgument():
            op, target, position = (
                value.block.parent_op(),
                value.block.parent,
                value.index,
            )
            if target is not None and target.blocks.first is not value.block:
                return None
        case _:
            return None
    flow = None if op is None else RegionBranch.of(op)
    if op is None or flow is None:
        return None
    if target is not None:
        position -= flow.own_arguments
    for targets, firsts in flow.joins(op) if position >= 0 else ():
        if target in targets:
            values = tuple(flow.inputs(op, each)[position] for each in targets)
            return Phi(values, _nth(firsts, position))
    return None


def phis_of_blocks(region: Region) -> Iterator[Phi]:
    """The arguments of the blocks of `region` that others branch to."""
    sources: dict[Block, list[Sequence[Operand]]] = {}
    for block in region.blocks if len(region.blocks) > 1 else ():
        end = block.last_op
        if end is not None and end.successors:
            for target, operands in zip(end.successors, forwarded(end), strict=True):
                sources.setdefault(target, []).append(operands)
    for block, groups in sources.items():
        for argument in block.args:
            yield Phi((argument,), tuple(group[argument.index] for group in groups))


def all_phis(root: Operation) -> Iterator[Phi]:
    """The phis in `root`, in the order of the source."""
    for op in root.walk():
        if op.regions:
            yield from phis(op)
            if op is root or RegionBranch.of(op) is not None:
                for region in op.regions:
                    yield from phis_of_blocks(region)
