"""Branches as `scf.if`, `scf.index_switch` and `arith.select`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, MemRefType, i1, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.rewriting import hint
from spmd.passes.structuring.block_graph import Variable
from spmd.passes.structuring.code import Arm
from spmd.passes.structuring.state import State, add
from spmd.passes.structuring.values import Value


class Finished(NamedTuple):
    """An arm that is written, and what variables are at its end, if they matter."""

    block: Block
    values: dict[Variable, Value]


def write_switch(
    state: State, end: cf.SwitchOp, arms: Sequence[Arm], out: Block
) -> None:
    """Write what `cf.switch` chooses from; the last arm is the default."""
    flag = state.operand(end.flag)
    values = end.case_values
    numbers = [] if values is None else [int(n) for n in values.get_values()]
    if len(arms) == 2:
        case = state.pool.constants.number(numbers[0], flag.type)
        equal = arith.CmpiOp(flag, case, "eq")
        add(out, equal, end)
        write_if(state, equal.result, arms, out, end)
        return
    if not isinstance(flag.type, IndexType):
        cast = arith.IndexCastOp(flag, IndexType())
        add(out, cast, end)
        flag = cast.result
    write_index_switch(state, flag, numbers, arms, out, end)


def write_if(
    state: State, condition: SSAValue, arms: Sequence[Arm], out: Block, like: Operation
) -> None:
    """Write two arms, or a choice of values if they do nothing."""
    finished = _finish(state, arms)
    then, other = finished
    results: list[Variable] = []
    for variable, values in _undecided(state, arms, finished):
        if variable.type == i1 and values == [1, 0]:
            state.assign(variable, condition)
        elif variable.type == i1 and values == [0, 1]:
            state.assign(variable, state.pool.negated(condition, out, like))
        else:
            results.append(variable)
    nothing_done = then.block.first_op is None and other.block.first_op is None
    if nothing_done and not any(isa(v.type, MemRefType) for v in results):
        for variable in results:
            a, b = (
                state.pool.materialize(one.values[variable], variable.type)
                for one in finished
            )
            select = arith.SelectOp(condition, a, b)
            add(out, select, like)
            state.assign(variable, hint(select.result, variable.name))
        return
    if then.block.first_op is None and not results:
        condition = state.pool.negated(condition, out, like)
        then, other = other, then
    has_else = bool(results) or other.block.first_op is not None
    regions = [_close(state, one, results) for one in (then, other)]
    types = [variable.type for variable in results]
    op = scf.IfOp(condition, types, regions[0], regions[1] if has_else else None)
    add(out, op, like)
    state.set_results(results, op)


def write_index_switch(
    state: State,
    flag: SSAValue,
    numbers: Sequence[int],
    arms: Sequence[Arm],
    out: Block,
    like: Operation,
) -> None:
    """Write arms for `numbers`, and the last one for all others."""
    finished = _finish(state, arms)
    results = [variable for variable, _ in _undecided(state, arms, finished)]
    *cases, default = (_close(state, one, results) for one in finished)
    op = scf.IndexSwitchOp(
        flag,
        DenseArrayBase.from_list(i64, list(numbers)),
        default,
        cases,
        [variable.type for variable in results],
    )
    add(out, op, like)
    state.set_results(results, op)


def _results_of(state: State, arms: Sequence[Arm]) -> list[Variable]:
    """What is set in one of the arms and may be asked after them."""
    set_ = live = 0
    for arm in arms:
        set_ |= state.set_in(arm)
        live |= state.live_after(arm.after)
    return list(state.graph.among(set_ & live))


def _finish(state: State, arms: Sequence[Arm]) -> list[Finished]:
    """Write arms, each from the same begin."""
    results = _results_of(state, arms)
    finished: list[Finished] = []
    for arm in arms:
        mark = len(state.before)
        block = Block()
        state.write_arm(arm, block)
        live = state.live_after(arm.after)
        values = {v: state.now.get(v) for v in results if v.bit & live}
        finished.append(Finished(block, values))
        state.go_back(mark)
    return finished


def _undecided(
    state: State, arms: Sequence[Arm], finished: Sequence[Finished]
) -> Iterator[tuple[Variable, list[Value]]]:
    """The variables that several arms set, and to what; what one value sets, has it."""
    for variable in _results_of(state, arms):
        values = [one.values.get(variable) for one in finished]
        if _is_known_after(finished, values):
            state.assign(variable, next((v for v in values if v is not None), None))
        else:
            yield variable, values


def _close(state: State, arm: Finished, results: Sequence[Variable]) -> Region:
    values = [state.pool.materialize(arm.values.get(v), v.type) for v in results]
    arm.block.add_op(scf.YieldOp(*values))
    return Region(arm.block)


def _is_known_after(arms: Sequence[Finished], values: Sequence[Value]) -> bool:
    """Whether a variable has one value after all arms that set it, made in none."""
    known = {value for value in values if value is not None}
    if len(known) > 1:
        return False
    return not any(
        isinstance(value, SSAValue) and arm.block.is_ancestor(value.owner)
        for arm, value in zip(arms, values, strict=True)
    )
