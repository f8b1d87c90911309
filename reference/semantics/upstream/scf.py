"""The meaning of `scf`. Bounds of loops are signed; steps must be positive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from spmd.dialects.diagnostics import fail
from spmd.dialects.rewriting import constant_index
from spmd.dialects.work_groups import is_work_item_loop
from spmd.reference.compiler import (
    Body,
    Terminate,
    helper,
    meaning,
    trap,
)
from spmd.reference.semantics.expressions import element

MOST_ITERATIONS = 2_000_000
"""How long a checked run waits for a loop to end."""


def assign_to(targets: Sequence[str]) -> Terminate:
    """A terminator whose operands become the targets."""

    def finish(body: Body, last: Operation) -> None:
        body.assign(targets, body.uses(last.operands))

    return finish


@meaning(scf.IfOp)
def _if(body: Body, op: scf.IfOp) -> None:
    condition = body.condition(op.cond, op, "condition")
    results = [body.new(result) for result in op.results]
    with body.suite(f"if {condition}"):
        body.region(op.true_region, assign_to(results))
    if op.false_region.blocks:
        with body.suite("else"):
            body.region(op.false_region, assign_to(results))


@meaning(scf.IndexSwitchOp)
def _index_switch(body: Body, op: scf.IndexSwitchOp) -> None:
    flag = body.condition(op.arg, op, "case")
    results = [body.new(result) for result in op.results]
    cases = [int(case) & ((1 << 64) - 1) for case in op.cases.iter_values()]
    regions = [*op.case_regions, op.default_region]
    for region, where in zip(regions, body.cases(flag, cases), strict=True):
        with where:
            body.region(region, assign_to(results))


@meaning(scf.ExecuteRegionOp)
def _execute_region(body: Body, op: scf.ExecuteRegionOp) -> None:
    results = [body.new(result) for result in op.results]
    body.region(op.region, assign_to(results))


@helper
def positive(step: int, site: int) -> int:
    if step <= 0:
        trap(site, f"expected a loop with a positive step, got {step}")
    return step


def bound(body: Body, value: SSAValue, op: Operation) -> str:
    """The bound of a loop as a Python number with its sign."""
    scalar = element(value.type, op)
    number = constant_index(value)
    if number is not None and number >= 0:
        return str(number)
    return f"signed({body.condition(value, op, 'loop bound')}, {scalar.bits})"


def loop_range(
    body: Body, op: Operation, lower: SSAValue, upper: SSAValue, step: SSAValue
) -> str:
    """The iterations of a loop as an expression."""
    by = bound(body, step, op)
    if (constant_index(step) or 0) <= 0:
        by = f"positive({by}, {body.site(op)})"
    return f"range({bound(body, lower, op)}, {bound(body, upper, op)}, {by})"


def induction(body: Body, variable: SSAValue, lower: SSAValue, op: Operation) -> None:
    """Bring the loop's number, which may be negative, into the form of a value."""
    number = constant_index(lower)
    if number is None or number < 0:
        name = body.use(variable)
        body.line(f"{name} &= {element(variable.type, op).mask}")


def write_for(body: Body, op: scf.ForOp) -> None:
    """A loop, whose iterations may be work-items that need not wait."""
    variable, *carried = op.body.block.args
    names = [body.new(value) for value in carried]
    body.assign(names, body.uses(op.iter_args))
    iterations = loop_range(body, op, op.lb, op.ub, op.step)
    if is_work_item_loop(op):
        iterations = f"schedule({iterations})"
    head = f"for {body.new(variable)} in {iterations}"
    with body.iterations(op) as next_iteration, body.suite(head):
        next_iteration()
        induction(body, variable, op.lb, op)
        body.region(op.body, assign_to(names))
    body.assign([body.new(result) for result in op.results], names)


@helper
def endless(site: int) -> None:
    trap(site, f"a loop that is still running after {MOST_ITERATIONS} iterations")


def guard_against_endless(body: Body, op: Operation) -> Callable[[], None]:
    """Counts iterations where somebody watches; nobody waits for a loop without end."""
    if not body.checked:
        return lambda: None
    count = body.fresh("iterations")
    body.line(f"{count} = 0")

    def check() -> None:
        body.line(f"{count} += 1")
        body.line(f"if {count} > {MOST_ITERATIONS}: endless({body.site(op)})")

    return check


@meaning(scf.WhileOp)
def _while(body: Body, op: scf.WhileOp) -> None:
    before = [body.new(value) for value in op.before_region.block.args]
    after = [body.new(value) for value in op.after_region.block.args]
    body.assign(before, body.uses(op.arguments))

    def condition(body: Body, last: Operation) -> None:
        if not isinstance(last, scf.ConditionOp):
            fail(op, f"expected a region that ends in scf.condition, got {last.name}")
        body.assign(after, body.uses(last.args))
        decision = body.condition(last.condition, last, "condition")
        body.line(f"if not {decision}: break")

    endless = guard_against_endless(body, op)
    with body.iterations(op) as next_iteration, body.suite("while True"):
        next_iteration()
        endless()
        body.region(op.before_region, condition)
        body.region(op.after_region, assign_to(before))
    body.assign([body.new(result) for result in op.results], after)


@meaning(scf.ParallelOp)
def _parallel(body: Body, op: scf.ParallelOp) -> None:
    totals = [body.new(result) for result in op.results]
    body.assign(totals, body.uses(op.initVals))
    depth = body.depth
    bounds = zip(op.body.block.args, op.lowerBound, op.upperBound, op.step, strict=True)
    for variable, lower, upper, step in bounds:
        iterations = loop_range(body, op, lower, upper, step)
        body.line(f"for {body.new(variable)} in {iterations}:")
        body.depth += 1
        induction(body, variable, lower, op)

    def reduce(body: Body, last: Operation) -> None:
        if not isinstance(last, scf.ReduceOp):
            fail(op, f"expected a region that ends in scf.reduce, got {last.name}")
        body.line("pass")
        for total, operand, region in zip(
            totals, last.args, last.reductions, strict=True
        ):
            left, right = region.block.args
            body.assign([body.new(left), body.new(right)], [total, body.use(operand)])
            body.region(region, assign_to([total]))

    body.region(op.body, reduce)
    body.depth = depth
