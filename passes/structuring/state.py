"""What variables are while code is written, and how the code of a block is moved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from spmd.dialects.rewriting import hint, locate
from spmd.passes.structuring.block_graph import BlockGraph, Jump, Variable, bits_of
from spmd.passes.structuring.code import (
    Arm,
    Branch,
    Dispatch,
    Go,
    HeadedLoop,
    Loop,
    Places,
    Run,
    Start,
)
from spmd.passes.structuring.values import Pool, Value


class State(ABC):
    """The current value of each variable, and what code may set."""

    def __init__(self, graph: BlockGraph, pool: Pool):
        self.graph = graph
        self.pool = pool
        self.now: dict[Variable, Value] = {}
        self.before: list[tuple[Variable, Value]] = []
        """What variables were before they were set, to go back."""

        self.decided = ~graph.of_values
        """All variables that say where to go on, as bits."""

        self.undecided: dict[Jump, list[Variable]] = {}
        """What variables that say where to go on may be anything after a jump."""

        self._sets: dict[Arm, int] = {}

    @abstractmethod
    def write_arm(self, arm: Arm, out: Block) -> None:
        """Write `arm` at the end of `out`."""

    def assign(self, variable: Variable, value: Value) -> None:
        """Let `variable` be `value` from here on."""
        self.before.append((variable, self.now.get(variable)))
        self.now[variable] = value

    def value(self, value: SSAValue) -> Value:
        """What stands for a value of the source now."""
        variable = self.graph.variable(value)
        return value if variable is None else self.now.get(variable)

    def operand(self, value: SSAValue) -> SSAValue:
        """What stands for a value of the source now, as an operand."""
        return self.pool.materialize(self.value(value), value.type)

    def live_after(self, places: Places) -> int:
        """What may be asked after code that goes on at `places`."""
        live = self.decided
        for place in places:
            live |= self.graph.live[place.block]
        return live

    def set_in(self, arm: Arm) -> int:
        """What an arm may set, but for what only it asks."""
        if (known := self._sets.get(arm)) is None:
            known, own = 0, 0
            for item in arm.items:
                match item:
                    case Start():
                        own |= bits_of(item.variables)
                    case Run():
                        known |= self.graph.defined[item.block]
                    case Go():
                        known |= self.set_by(item.jump)
                    case Branch() | Dispatch():
                        for inner in item.arms:
                            known |= self.set_in(inner)
                    case Loop():
                        known |= self.set_in(item.body)
                    case HeadedLoop():
                        known |= self.set_in_headed(item) | self.set_by(item.out)
            known &= ~own
            self._sets[arm] = known
        return known

    def set_in_headed(self, loop: HeadedLoop) -> int:
        """What a loop may set, but for the jump out of it."""
        return (
            self.graph.defined[loop.header]
            | self.set_by(loop.inside)
            | self.set_in(loop.body)
        )

    def set_by(self, jump: Jump) -> int:
        """What a jump sets."""
        live = self.graph.live[jump.target]
        arguments = bits_of(self.graph.arguments[jump.target]) & live
        kept = [variable for each in jump.keeps for variable in each]
        return arguments | bits_of([*kept, *(variable for variable, _ in jump.sets)])

    def go_back(self, mark: int) -> None:
        """Forget what was set since then."""
        while len(self.before) > mark:
            variable, value = self.before.pop()
            self.now[variable] = value

    def values(self, variables: Sequence[Variable]) -> list[SSAValue]:
        """What variables are now, as operands."""
        return [
            self.pool.materialize(self.now.get(variable), variable.type)
            for variable in variables
        ]

    def begin(self, variables: Sequence[Variable]) -> Block:
        """A block whose arguments are what variables are from there on."""
        block = Block(arg_types=[variable.type for variable in variables])
        for variable, argument in zip(variables, block.args, strict=True):
            self.assign(variable, hint(argument, variable.name))
        return block

    def run(self, number: int, out: Block) -> None:
        """Move the operations of a block to the end of `out`."""
        end = self.graph.end(number)
        for op in tuple(self.graph.blocks[number].ops):
            if op is end:
                break
            for inner in op.walk() if op.regions else (op,):
                self._rename(inner)
            op.detach()
            out.add_op(op)
            for result in op.results:
                if (variable := self.graph.variable(result)) is not None:
                    self.assign(variable, result)

    def _rename(self, op: Operation) -> None:
        for index, operand in enumerate(op.operands):
            if (variable := self.graph.variable(operand)) is not None:
                now = self.now.get(variable)
                if now is not operand:
                    new = self.pool.materialize(now, operand.type)
                    op.operands[index] = new

    def go(self, jump: Jump) -> None:
        """Set what a jump sets."""
        live = self.graph.live[jump.target]
        new = [
            (argument, self.value(value))
            for argument, value in zip(
                self.graph.arguments[jump.target], jump.values, strict=True
            )
            if argument.bit & live
        ]
        for variable in self.undecided.get(jump, ()):
            self.assign(variable, None)
        for variable, value in (*new, *jump.sets):
            self.assign(variable, value)
        for carried, last in jump.keeps:
            self.assign(last, self.now.get(carried))
            self.assign(carried, None)

    def set_results(self, variables: Sequence[Variable], op: Operation) -> None:
        """Let variables be the results of `op`."""
        for variable, result in zip(variables, op.results, strict=True):
            self.assign(variable, hint(result, variable.name))


def add(block: Block, op: Operation, like: Operation) -> None:
    """Write `op`, which stands for `like` of the source."""
    locate(op, like)
    block.add_op(op)
