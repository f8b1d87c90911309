"""
Writes the structure of a graph of blocks as `scf` operations.

The operations of the blocks are moved, not copied. While code is written, every variable
has a current value; what an arm or a loop sets, and what is live behind it, becomes a
result. On a way that does not set a variable its value is `ub.poison`, which nothing uses:
the source reads a value only where it is defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    MemRefType,
    i1,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.rewriting import hint, locate
from spmd.passes.structuring.block_graph import BlockGraph, Jump, Variable
from spmd.passes.structuring.counts import Count, find_count
from spmd.passes.structuring.plan import (
    Arm,
    Branch,
    Dispatch,
    Go,
    HeadedLoop,
    Item,
    Loop,
    Places,
    Plan,
    Run,
    Start,
)
from spmd.passes.structuring.values import Pool, Value, is_made_in


class Finished(NamedTuple):
    """An arm that is written, and what variables are at its end, if they matter."""

    block: Block
    values: dict[Variable, Value]


class Place(NamedTuple):
    """The result of a loop that has this number."""

    number: int


class Writer:
    """Writes one graph."""

    def __init__(self, graph: BlockGraph, plan: Plan, pool: Pool):
        self.graph = graph
        self.plan = plan
        self.pool = pool
        self._now: dict[Variable, Value] = {}
        self._before: list[tuple[Variable, Value]] = []
        """What variables were before they were set, to go back."""

        self._decided = 0
        """All variables that say where to go on, as bits."""

        self._sets: dict[Arm, int] = {}

    def write(self) -> tuple[Block, Sequence[SSAValue]]:
        """All code in one block without a terminator, and the values to leave with."""
        for value, variable in self.graph.given():
            self._now[variable] = value
        block = Block()
        self._decided = ~self.graph.of_values
        self._write(self.plan.code, block)
        leaving = [
            self.pool.materialize(self._now.get(variable), variable.type)
            for variable in self.graph.arguments[self.graph.exit]
        ]
        return block, leaving

    # Variables

    def _set(self, variable: Variable, value: Value) -> None:
        self._before.append((variable, self._now.get(variable)))
        self._now[variable] = value

    def _value(self, value: SSAValue) -> Value:
        """What stands for a value of the source now."""
        variable = self.graph.variable(value)
        return value if variable is None else self._now.get(variable)

    def _operand(self, value: SSAValue) -> SSAValue:
        return self.pool.materialize(self._value(value), value.type)

    def _live_after(self, places: Places) -> int:
        """What may be asked behind code that goes on at `places`."""
        live = self._decided
        for place in places:
            live |= self.graph.live[place if place >= 0 else ~place]
        return live

    def _set_in(self, arm: Arm) -> int:
        """What an arm may set, but for what only it asks."""
        if (known := self._sets.get(arm)) is None:
            known, own = 0, 0
            for item in arm.items:
                match item:
                    case Start():
                        own |= _bits(item.variables)
                    case Run():
                        known |= self.graph.defined[item.block]
                    case Go():
                        known |= self._set_by(item.jump)
                    case Branch() | Dispatch():
                        for inner in item.arms:
                            known |= self._set_in(inner)
                    case Loop():
                        known |= self._set_in(item.body)
                    case HeadedLoop():
                        known |= self._set_in_headed(item) | self._set_by(item.out)
            known &= ~own
            self._sets[arm] = known
        return known

    def _set_in_headed(self, loop: HeadedLoop) -> int:
        return (
            self.graph.defined[loop.header]
            | self._set_by(loop.inside)
            | self._set_in(loop.body)
        )

    def _set_by(self, jump: Jump) -> int:
        live = self.graph.live[jump.target]
        arguments = _bits(self.graph.arguments[jump.target]) & live
        return arguments | _bits([variable for variable, _ in jump.sets])

    # Items

    def _write(self, arm: Arm, out: Block) -> None:
        for item in arm.items:
            self._write_item(item, out)

    def _write_item(self, item: Item, out: Block) -> None:
        match item:
            case Start():
                for variable in item.variables:
                    self._set(variable, 0)
            case Run():
                self._run(item.block, out)
            case Go():
                self._go(item.jump)
            case Branch():
                self._branch(item, out)
            case Dispatch():
                self._dispatch(item, out)
            case Loop():
                self._loop(item, out)
            case HeadedLoop():
                self._headed_loop(item, out)

    def _run(self, number: int, out: Block) -> None:
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
                    self._set(variable, result)

    def _rename(self, op: Operation) -> None:
        for index, operand in enumerate(op.operands):
            if (variable := self.graph.variable(operand)) is not None:
                now = self._now.get(variable)
                if now is not operand:
                    new = self.pool.materialize(now, operand.type)
                    op.operands[index] = new

    def _go(self, jump: Jump) -> None:
        live = self.graph.live[jump.target]
        new = [
            (argument, self._value(value))
            for argument, value in zip(
                self.graph.arguments[jump.target], jump.values, strict=True
            )
            if argument.bit & live
        ]
        for variable, value in (*new, *jump.sets):
            self._set(variable, value)

    # Branches

    def _branch(self, item: Branch, out: Block) -> None:
        end = self.graph.end(item.block)
        match end:
            case cf.ConditionalBranchOp():
                self._if(self._operand(end.cond), item.arms, out, end)
            case cf.SwitchOp():
                self._switch(end, item.arms, out)
            case _:
                raise AssertionError(f"{end.name} has one way on")

    def _dispatch(self, item: Dispatch, out: Block) -> None:
        end = self.graph.end(item.like)
        way = self.pool.materialize(self._now[item.variable], item.variable.type)
        if len(item.arms) == 2:
            self._if(way, item.arms, out, end)
        else:
            numbers = range(1, len(item.arms))
            self._index_switch(way, numbers, item.arms, out, end)

    def _switch(self, end: cf.SwitchOp, arms: Sequence[Arm], out: Block) -> None:
        flag = self._operand(end.flag)
        values = end.case_values
        numbers = [] if values is None else [int(n) for n in values.get_values()]
        if len(arms) == 2:
            case = self.pool.constants.number(numbers[0], flag.type)
            equal = arith.CmpiOp(flag, case, "eq")
            _add(out, equal, end)
            self._if(equal.result, arms, out, end)
            return
        if not isinstance(flag.type, IndexType):
            cast = arith.IndexCastOp(flag, IndexType())
            _add(out, cast, end)
            flag = cast.result
        self._index_switch(flag, numbers, arms, out, end)

    def _if(
        self, condition: SSAValue, arms: Sequence[Arm], out: Block, like: Operation
    ) -> None:
        finished = self._finish(arms)
        then, other = finished
        results: list[Variable] = []
        for variable in self._results_of(arms):
            values = [one.values.get(variable) for one in finished]
            if _is_known_behind(finished, values):
                self._set(variable, next((v for v in values if v is not None), None))
            elif variable.type == i1 and values == [1, 0]:
                self._set(variable, condition)
            elif variable.type == i1 and values == [0, 1]:
                self._set(variable, self.pool.negated(condition, out, like))
            else:
                results.append(variable)
        nothing_done = then.block.first_op is None and other.block.first_op is None
        if nothing_done and not any(isa(v.type, MemRefType) for v in results):
            for variable in results:
                a, b = (
                    self.pool.materialize(one.values[variable], variable.type)
                    for one in finished
                )
                select = arith.SelectOp(condition, a, b)
                _add(out, select, like)
                self._set(variable, hint(select.result, variable.name))
            return
        if then.block.first_op is None and not results:
            condition = self.pool.negated(condition, out, like)
            then, other = other, then
        has_else = bool(results) or other.block.first_op is not None
        regions = [self._close(one, results) for one in (then, other)]
        types = [variable.type for variable in results]
        op = scf.IfOp(condition, types, regions[0], regions[1] if has_else else None)
        _add(out, op, like)
        self._set_results(results, op)

    def _index_switch(
        self,
        flag: SSAValue,
        numbers: Sequence[int],
        arms: Sequence[Arm],
        out: Block,
        like: Operation,
    ) -> None:
        finished = self._finish(arms)
        results: list[Variable] = []
        for variable in self._results_of(arms):
            values = [one.values.get(variable) for one in finished]
            if _is_known_behind(finished, values):
                self._set(variable, next((v for v in values if v is not None), None))
            else:
                results.append(variable)
        *cases, default = (self._close(one, results) for one in finished)
        op = scf.IndexSwitchOp(
            flag,
            DenseArrayBase.from_list(i64, list(numbers)),
            default,
            cases,
            [variable.type for variable in results],
        )
        _add(out, op, like)
        self._set_results(results, op)

    def _results_of(self, arms: Sequence[Arm]) -> list[Variable]:
        """What is set in one of the arms and may be asked behind them."""
        set_ = live = 0
        for arm in arms:
            set_ |= self._set_in(arm)
            live |= self._live_after(arm.after)
        return list(self.graph.among(set_ & live))

    def _finish(self, arms: Sequence[Arm]) -> list[Finished]:
        """Write arms, each from the same begin."""
        results = self._results_of(arms)
        finished: list[Finished] = []
        for arm in arms:
            mark = len(self._before)
            block = Block()
            self._write(arm, block)
            live = self._live_after(arm.after)
            values = {v: self._now.get(v) for v in results if v.bit & live}
            finished.append(Finished(block, values))
            self._go_back(mark)
        return finished

    def _go_back(self, mark: int) -> None:
        """Forget what was set since then."""
        while len(self._before) > mark:
            variable, value = self._before.pop()
            self._now[variable] = value

    def _close(self, arm: Finished, results: Sequence[Variable]) -> Region:
        values = [self.pool.materialize(arm.values.get(v), v.type) for v in results]
        arm.block.add_op(scf.YieldOp(*values))
        return Region(arm.block)

    def _set_results(self, variables: Sequence[Variable], op: Operation) -> None:
        for variable, result in zip(variables, op.results, strict=True):
            self._set(variable, hint(result, variable.name))

    # Loops

    def _loop(self, item: Loop, out: Block) -> None:
        """
        A loop whose condition comes last.

        ```mlir
        %r = scf.while (%a = %init) : (i32) -> i32 {
          ...
          scf.condition(%again) %b : i32
        } do {
        ^bb0(%b: i32):
          scf.yield %b : i32
        }
        ```
        """
        like = self.graph.end(item.entries[0])
        live = 0 if item.entry is None else item.entry.bit
        for entry in item.entries:
            live |= self.graph.live[entry]
        sets = self._set_in(item.body)
        carried = list(self.graph.among(sets & live))
        initial = self._values(carried)
        mark = len(self._before)
        block = self._begin(carried)
        self._write(item.body, block)
        results = list(self.graph.among(sets & self._live_after(item.exits)))
        handed = self._values(carried)
        place: dict[SSAValue, int] = {}
        behind: list[tuple[Variable, Value | Place]] = []
        for variable in results:
            value = self._now.get(variable)
            if isinstance(value, SSAValue) and is_made_in(value, block):
                if value in handed:
                    place[value] = handed.index(value)
                elif value not in place:
                    place[value] = len(handed)
                    handed.append(value)
                behind.append((variable, Place(place[value])))
            else:
                behind.append((variable, value))
        again = 1 if item.again is None else self._now[item.again]
        block.add_op(scf.ConditionOp(self.pool.materialize(again, i1), *handed))
        self._go_back(mark)
        types = [value.type for value in handed]
        following = Block(arg_types=types)
        for argument, value in zip(following.args, handed, strict=True):
            hint(argument, value)
        following.add_op(scf.YieldOp(*following.args[: len(carried)]))
        op = scf.WhileOp(initial, types, Region(block), Region(following))
        _add(out, op, like)
        for variable, value in behind:
            if isinstance(value, Place):
                value = hint(op.results[value.number], variable.name)
            self._set(variable, value)

    def _headed_loop(self, item: HeadedLoop, out: Block) -> None:
        """
        A loop whose condition comes first.

        ```mlir
        %r = scf.while (%a = %init) : (i32) -> i32 {
          ...
          scf.condition(%c) %a : i32
        } do {
        ^bb0(%a: i32):
          ...
          scf.yield %b : i32
        }
        ```
        """
        sets = self._set_in_headed(item)
        if (count := find_count(self.graph, item, sets)) is not None:
            self._counted_loop(item, sets, count, out)
            return
        carried = list(self.graph.among(sets & self.graph.live[item.header]))
        initial = self._values(carried)
        end = self.graph.end(item.header)
        assert isinstance(end, cf.ConditionalBranchOp)
        mark = len(self._before)
        block = self._begin(carried)
        self._run(item.header, block)
        condition = self._operand(end.cond)
        if self.graph.jumps[item.header][0] is not item.inside:
            condition = self.pool.negated(condition, block, end)
        behind = self.graph.live_on(item.out)
        live = behind | self.graph.live_on(item.inside)
        forwarded = [
            variable
            for variable in self.graph.among(sets & live)
            if isinstance(value := self._now.get(variable), SSAValue)
            and is_made_in(value, block)
        ]
        block.add_op(scf.ConditionOp(condition, *self._values(forwarded)))
        body = self._begin(forwarded)
        self._go(item.inside)
        self._write(item.body, body)
        body.add_op(scf.YieldOp(*self._values(carried)))
        self._go_back(mark)
        types = [variable.type for variable in forwarded]
        op = scf.WhileOp(initial, types, Region(block), Region(body))
        _add(out, op, end)
        self._set_results(forwarded, op)
        self._go(item.out)

    def _counted_loop(
        self, item: HeadedLoop, sets: int, count: Count, out: Block
    ) -> None:
        """
        ```mlir
        %r = scf.for %i = %lower to %upper step %step iter_args(%a = %init) -> (i32) {
          ...
          scf.yield %b : i32
        }
        ```
        """
        live = sets & self.graph.live[item.header] & ~count.induction.bit
        carried = list(self.graph.among(live))
        initial = self._values(carried)
        (lower,) = self._values([count.induction])
        upper, step = map(self._operand, (count.upper, count.step))
        mark = len(self._before)
        body = self._begin([count.induction, *carried])
        self._go(item.inside)
        self._write(item.body, body)
        body.add_op(scf.YieldOp(*self._values(carried)))
        self._go_back(mark)
        op = scf.ForOp(lower, upper, step, initial, body)
        _add(out, op, self.graph.end(item.header))
        self._set_results(carried, op)
        self._go(item.out)

    def _values(self, variables: Sequence[Variable]) -> list[SSAValue]:
        return [
            self.pool.materialize(self._now.get(variable), variable.type)
            for variable in variables
        ]

    def _begin(self, variables: Sequence[Variable]) -> Block:
        """A block whose arguments are what variables are from there on."""
        block = Block(arg_types=[variable.type for variable in variables])
        for variable, argument in zip(variables, block.args, strict=True):
            self._set(variable, hint(argument, variable.name))
        return block


def _bits(variables: Sequence[Variable]) -> int:
    bits = 0
    for variable in variables:
        bits |= variable.bit
    return bits


def _is_known_behind(arms: Sequence[Finished], values: Sequence[Value]) -> bool:
    """Whether a variable has one value behind all arms that set it, made in none."""
    known = {value for value in values if value is not None}
    if len(known) > 1:
        return False
    return not any(
        isinstance(value, SSAValue) and is_made_in(value, arm.block)
        for arm, value in zip(arms, values, strict=True)
    )


def _add(block: Block, op: Operation, like: Operation) -> None:
    locate(op, like)
    block.add_op(op)
