"""Loops as `scf.while` and `scf.for`."""

from __future__ import annotations

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Region, SSAValue

from spmd.dialects.rewriting import hint
from spmd.passes.structuring.block_graph import Variable
from spmd.passes.structuring.code import HeadedLoop, Loop
from spmd.passes.structuring.counts import Count, find_count
from spmd.passes.structuring.state import State, add
from spmd.passes.structuring.values import Value


def write_loop(state: State, item: Loop, out: Block) -> None:
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
    like = state.graph.end(item.entries[0])
    live = 0 if item.entry is None else item.entry.bit
    for entry in item.entries:
        live |= state.graph.live[entry]
    sets = state.set_in(item.body)
    carried = list(state.graph.among(sets & live))
    initial = state.values(carried)
    mark = len(state.before)
    block = state.begin(carried)
    # Who goes around once more is not asked where to go on after the loop.
    decided = sets & state.decided & ~live
    for jump in item.back:
        state.undecided[jump] = list(state.graph.among(decided))
    state.write_arm(item.body, block)
    results = list(state.graph.among(sets & state.live_after(item.exits)))
    handed = state.values(carried)
    # Of what the loop computes, among its results.
    place: dict[Variable, int] = {}
    unchanged: dict[Variable, Value] = {}
    for variable in results:
        value = state.now.get(variable)
        if isinstance(value, SSAValue) and block.is_ancestor(value.owner):
            if value not in handed:
                handed.append(value)
            place[variable] = handed.index(value)
        else:
            unchanged[variable] = value
    again = 1 if item.again is None else state.now[item.again]
    block.add_op(scf.ConditionOp(state.pool.materialize(again, i1), *handed))
    state.go_back(mark)
    types = [value.type for value in handed]
    following = Block(arg_types=types)
    for argument, value in zip(following.args, handed, strict=True):
        hint(argument, value)
    following.add_op(scf.YieldOp(*following.args[: len(carried)]))
    op = scf.WhileOp(initial, types, Region(block), Region(following))
    add(out, op, like)
    for variable, value in unchanged.items():
        state.assign(variable, value)
    for variable, number in place.items():
        state.assign(variable, hint(op.results[number], variable.name))
    for carried, last in item.kept:
        state.assign(carried, state.now.get(last))


def write_headed_loop(state: State, item: HeadedLoop, out: Block) -> None:
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
    sets = state.set_in_headed(item)
    if (count := find_count(state.graph, item, sets)) is not None:
        _counted_loop(state, item, sets, count, out)
        return
    carried = list(state.graph.among(sets & state.graph.live[item.header]))
    initial = state.values(carried)
    end = state.graph.end(item.header)
    assert isinstance(end, cf.ConditionalBranchOp)
    mark = len(state.before)
    block = state.begin(carried)
    state.run(item.header, block)
    condition = state.operand(end.cond)
    if state.graph.jumps[item.header][0] is not item.inside:
        condition = state.pool.negated(condition, block, end)
    after = state.graph.live_on(item.out)
    live = after | state.graph.live_on(item.inside)
    forwarded = [
        variable
        for variable in state.graph.among(sets & live)
        if isinstance(value := state.now.get(variable), SSAValue)
        and block.is_ancestor(value.owner)
    ]
    block.add_op(scf.ConditionOp(condition, *state.values(forwarded)))
    body = state.begin(forwarded)
    state.go(item.inside)
    state.write_arm(item.body, body)
    body.add_op(scf.YieldOp(*state.values(carried)))
    state.go_back(mark)
    types = [variable.type for variable in forwarded]
    op = scf.WhileOp(initial, types, Region(block), Region(body))
    add(out, op, end)
    state.set_results(forwarded, op)
    state.go(item.out)


def _counted_loop(
    state: State, item: HeadedLoop, sets: int, count: Count, out: Block
) -> None:
    """
    ```mlir
    %r = scf.for %i = %lower to %upper step %step iter_args(%a = %init) -> (i32) {
      ...
      scf.yield %b : i32
    }
    ```
    """
    live = sets & state.graph.live[item.header] & ~count.induction.bit
    carried = list(state.graph.among(live))
    initial = state.values(carried)
    (lower,) = state.values([count.induction])
    upper, step = map(state.operand, (count.upper, count.step))
    mark = len(state.before)
    body = state.begin([count.induction, *carried])
    state.go(item.inside)
    state.write_arm(item.body, body)
    body.add_op(scf.YieldOp(*state.values(carried)))
    state.go_back(mark)
    op = scf.ForOp(lower, upper, step, initial, body)
    add(out, op, state.graph.end(item.header))
    state.set_results(carried, op)
    state.go(item.out)
