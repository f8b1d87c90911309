"""
What a region of blocks looks like to the structurizer.

Blocks are numbered in reverse post-order; all ways out of the region lead to one node
behind the last block. What a block needs from others is a *variable*: an argument, which
the jumps to the block set, or a value that other blocks use, which is set where it is
defined. A variable has a value on a way only if it is *live* there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import cf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from spmd.passes.structuring.successors import (
    find_empty,
    in_order,
    replace_trivial_arguments,
    successors_of,
    ways_past,
)


@dataclass(eq=False)
class Variable:
    """Something that has one value at a time; its bit stands for it in sets."""

    bit: int
    type: Attribute
    name: str | None = None


@dataclass(eq=False)
class Jump:
    """One of the ways on at the end of a block."""

    source: int
    target: int
    values: Sequence[SSAValue]
    """For each argument of the target."""

    sets: list[tuple[Variable, int]] = field(default_factory=list[tuple[Variable, int]])
    """What is decided by going this way."""


class BlockGraph:
    """The blocks of `region` that can be reached, with jumps, variables and liveness."""

    def __init__(self, region: Region, same: Mapping[SSAValue, SSAValue] | None = None):
        """`same` maps values to those that they are new values of (see `structurize`)."""
        self.same: Mapping[SSAValue, SSAValue] = same or {}
        order = in_order(region, successors_of)
        replace_trivial_arguments(order, self.same)
        empty = find_empty(order, self.same)
        ways = {block: ways_past(block, empty) for block in order}
        self.blocks = in_order(region, lambda block: [to for to, _ in ways[block]])
        self.exit = len(self.blocks)
        self.variables: list[Variable] = []
        self._of_value: dict[SSAValue, Variable] = {}
        numbers: dict[Block | None, int] = {None: self.exit}
        numbers.update((block, number) for number, block in enumerate(self.blocks))
        self.jumps = [
            tuple(Jump(number, numbers[to], values) for to, values in ways[block])
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

        self.live = self._find_live()
        """The variables with a value that matters where a block begins, as bits."""

    def new(self, type_: Attribute, name: str | None) -> Variable:
        """A variable that stands for no value of the source."""
        variable = Variable(1 << len(self.variables), type_, name)
        self.variables.append(variable)
        return variable

    def among(self, bits: int) -> Iterator[Variable]:
        """The variables of a set, in order."""
        while bits:
            lowest = bits & -bits
            yield self.variables[lowest.bit_length() - 1]
            bits ^= lowest

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
        end = self.blocks[number].last_op
        assert end is not None, "a block has a terminator"
        return end

    def live_on(self, jump: Jump) -> int:
        """The variables that matter on a way, before it sets those of the target."""
        live = self.live[jump.target]
        arguments = self.arguments[jump.target]
        needed = 0
        for argument, value in zip(arguments, jump.values, strict=True):
            if argument.bit & live and (variable := self.variable(value)) is not None:
                needed |= variable.bit
        for argument in arguments:
            live &= ~argument.bit
        return live | needed

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
            used = {
                operand
                for op in block.walk()
                if op is not end
                for operand in op.operands
            }
            if isinstance(end, cf.ConditionalBranchOp | cf.SwitchOp):
                used.add(end.operands[0])  # what decides
            users.append(used)
            passed = {value for jump in self.jumps[number] for value in jump.values}
            for value in (*used, *passed):
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

    def _find_live(self) -> list[int]:
        live = [0] * self.exit
        live.append(sum(variable.bit for variable in self.arguments[self.exit]))
        self.live = live
        waiting = dict.fromkeys(reversed(range(self.exit)))
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            found = 0
            for jump in self.jumps[number]:
                found |= self.live_on(jump)
            found = found & ~self.defined[number] | self._used[number]
            if found != live[number]:
                live[number] = found
                waiting.update((jump.source, None) for jump in self.arrivals[number])
        return live
