"""
The meaning of work-item loops in which lanes wait for each other (level 1).

The loops run to the end first: each iteration of the innermost one only makes its
work-item, with the linear local id that the induction variables give. Then all of them
take turns, as the work-items of a kernel do. Other work-item loops are plain loops.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from spmd.dialects.diagnostics import fail
from spmd.dialects.work_groups import is_work_item_loop, work_item_dimension
from spmd.reference.compiler import Body, helper, meaning
from spmd.reference.items import WorkItem
from spmd.reference.semantics.upstream.scf import induction, loop_range, write_for


@helper
def make_item(group: WorkItem, local: tuple[int, int, int]) -> WorkItem:
    """The work-item at a place of the group, whether others exist or not."""
    x, y, z = local
    width, height, _ = group.group.size
    return WorkItem(group.group, x + width * (y + height * z), local)


@meaning(scf.ForOp)
def _for(body: Body, op: scf.ForOp) -> None:
    """A loop; the outermost of some work-item loops may have lanes that wait."""
    if not is_work_item_loop(op) or op not in body.program.waiting:
        write_for(body, op)
        return
    items = body.fresh("items")
    body.line(f"{items} = {{}}")
    known = set(body.names)
    _work_items(body, op, {}, items, known)
    body.line(f"run_together(list({items}), lambda item: {items}[item](item))")


def _work_items(
    body: Body,
    op: scf.ForOp,
    indices: dict[int | None, str],
    items: str,
    known: set[SSAValue],
) -> None:
    variable = op.body.block.args[0]
    if op.iter_args:
        fail(op, "expected a work-item loop that carries no values")
    iterations = loop_range(body, op, op.lb, op.ub, op.step)
    with body.suite(f"for {body.new(variable)} in {iterations}"):
        induction(body, variable, op.lb, op)
        here = {**indices, work_item_dimension(op): body.use(variable)}
        if not any(is_work_item_loop(each) for each in op.body.walk()):
            _item(body, op, here, items, known)
            return
        for each in op.body.block.ops:
            if is_work_item_loop(each):
                _work_items(body, each, here, items, known)
            elif each is not op.body.block.last_op:
                body.write(each)


def _item(
    body: Body,
    op: scf.ForOp,
    indices: dict[int | None, str],
    items: str,
    known: set[SSAValue],
) -> None:
    """Make the work-item of one iteration; what the loops computed comes along."""
    along = [
        name
        for value, name in body.names.items()
        if value not in known and name.isidentifier()
    ]
    name = body.fresh("item")
    parameters = ["w", "k=()", *(f"{each}={each}" for each in along)]
    with body.suite(f"def {name}({', '.join(parameters)})"):
        body.line("if False: yield")
        path, body.path = body.path, []
        for each in op.body.block.ops:
            if each is not op.body.block.last_op:
                body.write(each)
        body.path = path
    local = ", ".join(indices.get(dimension, "0") for dimension in range(3))
    body.line(f"{items}[make_item(w, ({local}))] = {name}")
