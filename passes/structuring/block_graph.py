"""
What a region of blocks looks like to the structurizer.

Blocks are numbered in reverse post-order; all edges out of the region lead to one node
after the last block. What a block needs from others is a *variable*: an argument, which
the jumps to the block set, or a value that other blocks use, which is set where it is
defined. A variable has a value on an edge only if it is *live* there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from spmd.analysis.graphs.bit_vectors import numbers, solve_backward
from spmd.analysis.graphs.traversal import reverse_post_order, successors_of
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.control_flow import decisions
from spmd.passes.structuring.successors import (
    edges_past,
    find_empty,
    replace_trivial_arguments,
)


@dataclass(eq=False)
class Variable:
    """Something that has one value at a time; its bit stands for it in sets."""

    bit: int
    type: Attribute
    name: str | None = None


class Kept(NamedTuple):
    """A value that a loop carries, and what it was where the loop was left."""

    carried: Variable
    last: Variable


@dataclass(eq=False)
class Jump:
    """One of the edges at the end of a block."""

    source: int
    target: int
    values: Sequence[SSAValue]
    """For each argument of the target."""

    sets: list[tuple[Variable, int]] = field(default_factory=list[tuple[Variable, int]])
    """What is decided by taking this edge."""

    keeps: list[Kept] = field(default_factory=list["Kept"])
    """What a loop that this edge leaves is left with."""


class BlockGraph:
    """The blocks of `region` that can be reached, with jumps, variables and liveness."""

    def __init__(self, region: Region, same: Mapping[SSAValue, SSAValue] | None = None):
        """`same` maps values to those that they are new values of (see `structurize`)."""
        self.same: Mapping[SSAValue, SSAValue] = same or {}
        entry = region.blocks[0]
        # Successors go backwards, so that what stands first in a branch comes first.
        order = reverse_post_order(entry, lambda block: reversed(successors_of(block)))
        replace_trivial_arguments(order, self.same)
        empty = find_empty(order, self.same)
        edges = {block: edges_past(block, empty) for block in order}
        self.blocks = reverse_post_order(
            entry,
            lambda block: [to for to, _ in reversed(edges[block]) if to is not None],
        )
        self.exit = len(self.blocks)
        self.variables: list[Variable] = []
        self._of_value: dict[SSAValue, Variable] = {}
        number_of: dict[Block | None, int] = {None: self.exit}
        number_of.update((block, number) for number, block in enumerate(self.blocks))
        self.jumps = [
            tuple(Jump(number, number_of[to], values) for to, values in edges[block])
            for number, block in enumerate(self.blocks)
        ]
        self.arrivals: list[list[Jump]] = [[] for _ in range(self.exit + 1)]
        for jumps in self.jumps:
            for jump in jumps:
                self.arrivals[jump.target].append(jump)
        self.arguments: list[Sequence[Variable]] = [
            [self._variable(argument) for argument in block.args] if number else ()
            for number, block in enumerate(self.blocks)
        ]
        leaving = next(iter(self.arrivals[self.exit]), None)
        values = leaving.values if leaving is not None else ()
        self.arguments.append([self.new(value.type, None) for value in values])
        self._used: list[int] = []
        self.defined: list[int] = []
        """The variables that the operations of a block set, as bits."""
        self._find_uses()
        self.of_values = (1 << len(self.variables)) - 1
        """All variables so far: those that stand for values of the source."""

        self.live: Mapping[int, int] = self._find_live()
        """The variables with a value that matters where a block begins, as bits."""

    def new(self, type_: Attribute, name: str | None) -> Variable:
        """A variable that stands for no value of the source."""
        variable = Variable(1 << len(self.variables), type_, name)
        self.variables.append(variable)
        return variable

    def among(self, bits: int) -> Iterator[Variable]:
        """The variables of a set, in order."""
        return (self.variables[number] for number in numbers(bits))

    def given(self) -> Iterator[tuple[SSAValue, Variable]]:
        """The variables that have a value from elsewhere to begin with."""
        for value in dict.fromkeys(self.same.values()):
            if (variable := self._of_value.get(value)) is not None:
                yield value, variable

    def variable(self, value: SSAValue) -> Variable | None:
        """The variable that has this value, if one has."""
        return self._of_value.get(self.same.get(value, value))

    def end(self, number: int) -> Operation:
        """The terminator of a block."""
        return terminator(self.blocks[number])

    def live_on(self, jump: Jump) -> int:
        """The variables that matter on an edge, before it sets those of the target."""
        return self._before(jump, self.live[jump.target])

    def keep(self, entries: Sequence[int], leaving: Sequence[Jump]) -> Sequence[Kept]:
        """
        Let what a loop goes on with and what it is left with be different variables.

        Work-items that go on may all have the same, while those that leave do not leave
        with it: in one variable both would be mixed.
        """
        live = [
            (jump, self.live[jump.target] & ~bits_of(self.arguments[jump.target]))
            for jump in leaving
        ]
        found: list[Kept] = []
        for carried in chain(*(self.arguments[entry] for entry in entries)):
            if exits := [jump for jump, bits in live if carried.bit & bits]:
                found.append(Kept(carried, self.new(carried.type, carried.name)))
                for jump in exits:
                    jump.keeps.append(found[-1])
        return found

    def _before(self, jump: Jump, live: int) -> int:
        """The variables that matter on an edge, from those that do at its target."""
        arguments = self.arguments[jump.target]
        needed = 0
        for argument, value in zip(arguments, jump.values, strict=True):
            if argument.bit & live and (variable := self.variable(value)) is not None:
                needed |= variable.bit
        return live & ~bits_of(arguments) | needed

    def _variable(self, value: SSAValue) -> Variable:
        value = self.same.get(value, value)
        if (known := self._of_value.get(value)) is None:
            known = self.new(value.type, value.name_hint)
            self._of_value[value] = known
        return known

    def _find_uses(self) -> None:
        home: dict[SSAValue, int] = {}
        for number, block in enumerate(self.blocks):
            home.update((argument, number) for argument in block.args if number)
            # What the first block defines is known everywhere.
            if number:
                home.update((r, number) for op in block.ops for r in op.results)
        again = set(self.same.values())
        users: list[set[SSAValue]] = []
        for number, block in enumerate(self.blocks):
            end = self.end(number)
            # Variables are numbered in the order of the source: IR is always the same.
            used = dict.fromkeys(
                operand
                for op in block.walk()
                if op is not end
                for operand in op.operands
            )
            used.update((each.value, None) for each in decisions(end))
            users.append(set(used))
            passed = dict.fromkeys(
                value for jump in self.jumps[number] for value in jump.values
            )
            for value in used | passed:
                elsewhere = home.get(value, number) != number
                passed_on = value in passed and value in home
                if elsewhere or passed_on or value in again or value in self.same:
                    self._variable(value)
        for number, block in enumerate(self.blocks):
            own: set[SSAValue] = {r for op in block.ops for r in op.results}
            self.defined.append(self._bits(own))
            self._used.append(self._bits(users[number] - own))

    def _bits(self, values: Iterable[SSAValue]) -> int:
        bits = 0
        for value in values:
            if (variable := self.variable(value)) is not None:
                bits |= variable.bit
        return bits

    def _find_live(self) -> Mapping[int, int]:
        def successors(node: int | Jump) -> Sequence[int | Jump]:
            if isinstance(node, Jump):
                return (node.target,)
            return self.jumps[node] if node != self.exit else ()

        def transfer(node: int | Jump, live: int) -> int:
            if isinstance(node, Jump):
                return self._before(node, live)
            if node == self.exit:
                return sum(variable.bit for variable in self.arguments[node])
            return live & ~self.defined[node] | self._used[node]

        nodes = [n for i, jumps in enumerate(self.jumps) for n in (i, *jumps)]
        live = solve_backward([*nodes, self.exit], successors, transfer).before
        return {n: bits for n, bits in live.items() if isinstance(n, int)}


def bits_of(variables: Iterable[Variable]) -> int:
    """A set of variables."""
    bits = 0
    for variable in variables:
        bits |= variable.bit
    return bits
