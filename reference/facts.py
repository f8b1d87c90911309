"""
What the compiler has to know of a module beforehand: which values may be undefined, and
in which ops a work-item may have to wait for others.

Both are over-approximations; a value wrongly held for undefined costs a test at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from spmd.dialects.spmd import SubGroupQueryOp

OpT = TypeVar("OpT", bound=Operation)

POISON_SOURCES: dict[type[Operation], Callable[[Any], bool]] = {}
WAITING: set[type[Operation]] = set()
"""Ops at which a work-item waits for others."""
HOSTS: list[Callable[[Operation], bool]] = []
"""Tests for ops that run work-items of their own; nobody outside waits for those."""
LANE_HOSTS: set[type[Operation]] = set()
"""Those of them that run lanes in lock step."""
DECISIONS: dict[type[Operation], Callable[[Any], Sequence[SSAValue]]] = {}
"""What ops with control flow decide on."""
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


def values_that_may_be_poison(module: ModuleOp) -> set[SSAValue]:
    """
    Sources, and everything computed from them.

    Regions are taken as a whole: one undefined value that enters or leaves an op with
    regions makes its results and the arguments of its regions suspect.
    """
    functions = functions_of(module)
    poison: set[SSAValue] = set()

    def mark(values: object) -> None:
        poison.update(cast("tuple[SSAValue, ...]", values))

    ops = [op for op in module.walk() if op is not module]
    size = -1
    while len(poison) != size:
        size = len(poison)
        for op in ops:
            source = POISON_SOURCES.get(type(op))
            made = source is not None and source(op)
            if made:
                mark(op.results)
            if not made and (
                type(op) in OPAQUE_TO_POISON or poison.isdisjoint(op.operands)
            ):
                continue
            mark(op.results)
            for block in op.successors:
                mark(block.args)
            for region in op.regions:
                if region.blocks:
                    mark(region.blocks[0].args)
            if isinstance(op, func.CallOp):
                callee = functions.get(op.callee.string_value())
                if callee is not None and not callee.is_declaration:
                    mark(callee.body.blocks[0].args)
            parent = op.parent_op()
            if op is not op.parent.last_op if op.parent is not None else True:
                continue
            if isinstance(parent, func.FuncOp):
                for call in ops:
                    if (
                        isinstance(call, func.CallOp)
                        and call.callee.string_value() == parent.sym_name.data
                    ):
                        mark(call.results)
            elif parent is not None and not isinstance(parent, ModuleOp):
                mark(parent.results)
                for region in parent.regions:
                    if region.blocks:
                        mark(region.blocks[0].args)
    return poison


def is_in_lanes(op: Operation) -> bool:
    """Whether the op stands in an op that runs lanes in lock step."""
    parent = op.parent_op()
    while parent is not None:
        if type(parent) in LANE_HOSTS:
            return True
        parent = parent.parent_op()
    return False


def _is_in_work_item_loop(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None:
        if "spmd.work_items" in parent.attributes:
            return True
        parent = parent.parent_op()
    return False


def ops_that_wait(module: ModuleOp, poison: set[SSAValue]) -> set[Operation]:
    """
    Ops in `WAITING`, calls that reach one, and all ops around them.

    Lanes of a sub-group also wait for each other where they decide on a value that may
    be undefined in some of them. In work-item loops an op that asks for a lane counts as
    one that waits: only work-items that are run together know theirs.
    """
    functions = functions_of(module)
    calls: dict[str, list[Operation]] = {}
    work: list[Operation] = []
    for op in module.walk():
        if isinstance(op, func.CallOp):
            calls.setdefault(op.callee.string_value(), []).append(op)
        elif (
            type(op) in WAITING
            or (isinstance(op, SubGroupQueryOp) and _is_in_work_item_loop(op))
        ) or (
            type(op) in DECISIONS
            and not poison.isdisjoint(DECISIONS[type(op)](op))
            and is_in_lanes(op)
        ):
            work.append(op)
    waiting: set[Operation] = set()
    while work:
        op = work.pop()
        if op in waiting:
            continue
        waiting.add(op)
        if any(is_host(op) for is_host in HOSTS):
            continue
        parent = op.parent_op()
        if isinstance(op, func.FuncOp):
            if functions.get(op.sym_name.data) is op:
                work += calls.get(op.sym_name.data, [])
        elif parent is not None and not isinstance(parent, ModuleOp):
            work.append(parent)
    return waiting
