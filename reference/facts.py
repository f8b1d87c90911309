"""
What the compiler has to know of a module beforehand: which values may be undefined, and
in which ops a work-item may have to wait for others.

Both are over-approximations; a value wrongly held for undefined costs a test at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from spmd.dialects.enclosing import enclosing
from spmd.dialects.interfaces.computation import floats_ruled_out
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.interfaces.memory import stored_memory
from spmd.dialects.spmd import ConvergentOp, SubGroupOp, SubGroupQueryOp
from spmd.dialects.work_groups import is_group_memory, is_work_item_loop

OpT = TypeVar("OpT", bound=Operation)

POISON_SOURCES: dict[type[Operation], Callable[[Any], bool]] = {}
OPAQUE_TO_POISON: set[type[Operation]] = set()
"""Ops whose results are defined even if the compiler fears for an operand."""


def poison_source(
    *ops: type[OpT],
) -> Callable[[Callable[[OpT], bool]], Callable[[OpT], bool]]:
    """Registers a test whether an op can make an undefined value of defined ones."""

    def register(test: Callable[[OpT], bool]) -> Callable[[OpT], bool]:
        for op in ops:
            POISON_SOURCES[op] = cast(Callable[[Any], bool], test)
        return test

    return register


def functions_of(module: ModuleOp) -> dict[str, func.FuncOp]:
    """The functions of the module by name."""
    return {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}


def calls_of(module: ModuleOp) -> dict[str, list[func.CallOp]]:
    """The calls of each function, by its name."""
    calls: dict[str, list[func.CallOp]] = {}
    for op in module.walk():
        if isinstance(op, func.CallOp):
            calls.setdefault(op.callee.string_value(), []).append(op)
    return calls


def _entry_arguments(op: Operation) -> Iterator[SSAValue]:
    for region in op.regions:
        if region.blocks:
            yield from region.blocks[0].args


def values_that_may_be_poison(module: ModuleOp) -> set[SSAValue]:
    """
    Sources, and everything computed from them.

    Regions are taken as a whole: one undefined value that enters or leaves an op with
    regions makes its results and the arguments of its regions suspect.
    """
    functions = functions_of(module)
    calls = calls_of(module)

    def reached_by_operands(op: Operation) -> Iterator[SSAValue]:
        yield from op.results
        yield from _entry_arguments(op)
        for block in op.successors:
            yield from block.args
        if isinstance(op, func.CallOp):
            callee = functions.get(op.callee.string_value())
            if callee is not None:
                yield from _entry_arguments(callee)
        parent = op.parent_op()
        ends_its_block = op.parent is not None and op.parent.last_op is op
        if parent is None or not ends_its_block:
            return
        if isinstance(parent, func.FuncOp):
            for call in calls.get(parent.sym_name.data, []):
                yield from call.results
        else:
            yield from parent.results
            yield from _entry_arguments(parent)

    poison: set[SSAValue] = set()
    work: list[SSAValue] = []
    for op in module.walk():
        makes = POISON_SOURCES.get(type(op))
        if (makes is not None and makes(op)) or floats_ruled_out(op):
            work += op.results
    while work:
        value = work.pop()
        if value in poison:
            continue
        poison.add(value)
        for use in value.uses:
            if type(use.operation) not in OPAQUE_TO_POISON:
                work += reached_by_operands(use.operation)
    return poison


def is_in_work_item_loop(op: Operation) -> bool:
    """Whether `op` stands in a loop over work-items."""
    loop = enclosing(op, scf.ForOp)
    return loop is not None and (is_work_item_loop(loop) or is_in_work_item_loop(loop))


def runs_work_items(op: Operation) -> bool:
    """Whether `op` runs work-items of its own; nobody outside waits for those."""
    if isinstance(op, SubGroupOp):
        return True
    return is_work_item_loop(op) and not is_in_work_item_loop(op)


def ops_that_wait(
    module: ModuleOp, poison: set[SSAValue]
) -> tuple[set[Operation], set[Operation]]:
    """
    Ops at which work-items wait for each other, calls that reach one, and all ops around them.

    Lanes of a sub-group also wait for each other where they decide on a value that may
    be undefined in some of them. In work-item loops an op that asks for a lane counts as
    one that waits: only work-items that are run together know theirs.

    Second: the stores before which lanes wait that do so anywhere, as others may yet load what the
    lanes have in common. Lanes that wait nowhere run one after the other, which is all the same.
    """
    functions = functions_of(module)
    calls = calls_of(module)

    def waits(op: Operation) -> bool:
        if isinstance(op, ConvergentOp):
            return True
        if isinstance(op, SubGroupQueryOp):
            return is_in_work_item_loop(op)
        decided_by = [operand.value for operand in decisions(op)]
        if isinstance(op, scf.ParallelOp):
            decided_by += [*op.lowerBound, *op.upperBound, *op.step]
        return not poison.isdisjoint(decided_by) and (
            enclosing(op, SubGroupOp) is not None
        )

    waiting: set[Operation] = set()
    work: list[Operation] = [op for op in module.walk() if waits(op)]
    _wait_around(work, waiting, functions, calls)
    common = {
        op
        for group in waiting
        if isinstance(group, SubGroupOp)
        for op in group.body.walk()
        if (memory := stored_memory(op)) is not None and _is_in_common(memory, group)
    }
    _wait_around([*common], waiting, functions, calls)
    return waiting, common


def _is_in_common(memory: SSAValue, group: SubGroupOp) -> bool:
    """Whether `memory` is allocated for the work-group, and so for all lanes of `group`."""
    return is_group_memory(memory.owner) and not group.is_ancestor(memory.owner)


def _wait_around(
    work: list[Operation],
    waiting: set[Operation],
    functions: Mapping[str, func.FuncOp],
    calls: Mapping[str, Sequence[Operation]],
) -> None:
    """Adds ops to those that wait, and what is around them; empties `work`."""
    while work:
        op = work.pop()
        if op in waiting:
            continue
        waiting.add(op)
        if runs_work_items(op):
            continue
        parent = op.parent_op()
        if isinstance(op, func.FuncOp):
            if functions.get(op.sym_name.data) is op:
                work += calls.get(op.sym_name.data, [])
        elif parent is not None and not isinstance(parent, ModuleOp):
            work.append(parent)
