"""
The meaning of sub-groups in lock step (levels 2 and 3).

Every lane runs the body as scalar code; lanes wait for each other at sub-group ops. In a
program without races that is lock step: no lane can see what another does in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from xdsl.ir import Operation

from spmd.dialects.spmd import MaskedOp, SubGroupOp
from spmd.reference.compiler import Body, as_tuple, helper, meaning
from spmd.reference.facts import poison_source
from spmd.reference.semantics.upstream.arith import poison_of
from spmd.reference.semantics.upstream.scf import assign_to


@dataclass(eq=False, slots=True)
class Lane:
    """One lane of a sub-group; `indices` are the arguments of the body."""

    lane: int
    indices: tuple[int, ...]
    sub_group_length: int

    allocates: ClassVar = "private"
    sub_group: ClassVar = 0

    def __str__(self) -> str:
        return f"lane {self.lane} (index {', '.join(map(str, self.indices))})"


@helper
def lanes_of(
    shape: tuple[int, ...], bases: tuple[int, ...], counts: tuple[int, ...] | None
) -> list[Lane]:
    """The lanes that exist, the first dimension fastest."""
    extents = reversed(shape)
    lanes: list[tuple[int, tuple[int, ...]]] = []
    for number, offsets in enumerate(product(*map(range, extents))):
        inner_first = offsets[::-1]
        if counts is None or all(
            offset < count for offset, count in zip(inner_first, counts, strict=True)
        ):
            indices = [(b + o) for b, o in zip(bases, inner_first, strict=True)]
            lanes.append((number, tuple(index & ((1 << 64) - 1) for index in indices)))
    return [Lane(number, indices, len(lanes)) for number, indices in lanes]


def _end(body: Body, last: Operation) -> None:
    body.line("pass")


@meaning(SubGroupOp)
def _sub_group(body: Body, op: SubGroupOp) -> None:
    body.require([*op.bases, *op.counts], op, "index or count")
    bases = as_tuple(body.uses(op.bases))
    counts = as_tuple(body.uses(op.counts)) if op.counts else None
    lanes = f"lanes_of({op.lane_shape}, {bases}, {counts})"
    indices = ", ".join(body.new(argument) for argument in op.body.block.args)
    if op not in body.program.waiting:
        outer = body.fresh("outer")
        body.line(f"{outer} = w")
        with body.suite(f"for w in {lanes}"):
            body.line(f"{indices}, = w.indices")
            body.in_lanes = True
            body.region(op.body, _end)
            body.in_lanes = False
        body.line(f"w = {outer}")
        return
    name = body.fresh("lane")
    with body.suite(f"def {name}(w, k=())"):
        body.line("if False: yield")
        body.line(f"{indices}, = w.indices")
        path, body.path, body.in_lanes = body.path, [], True
        body.region(op.body, _end)
        body.path, body.in_lanes = path, False
    body.line(f"run_together({lanes}, {name})")


poison_source(MaskedOp)(lambda op: bool(op.res) and not op.old)


@meaning(MaskedOp)
def _masked(body: Body, op: MaskedOp) -> None:
    body.require([op.mask], op, "mask")
    results = [body.new(result) for result in op.res]
    with body.suite(f"if {body.use(op.mask)}"):
        body.region(op.body, assign_to(results))
    if results:
        with body.suite("else"):
            none = [f"({poison_of(result.type)})" for result in op.res]
            body.assign(results, body.uses(op.old) if op.old else none)
