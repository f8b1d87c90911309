"""
Whether the analysis is right about real runs.

`check_kernel` writes a `test.trace` operation after every definition of a kernel (and
before every use in another block), runs the kernel in the reference interpreter, and
compares what work-items had in the same execution of an operation, that is: in the same
iteration of every loop around it, with what the analysis says:

* lanes of a strided value are as far apart as the stride says, and aligned;
* values that are uniform in all dimensions are the same in all of a group;
* where all lanes are active, all work-items of the group come along;
* integers are within their range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.shapes.shape import Shape
from spmd.dialects.spmd import ConvergentOp, KernelOp
from spmd.reference.compiler import Body, meaning
from spmd.reference.interpreter import Interpreter
from spmd.reference.scalars import POISON
from tests.analysis.concrete import is_multiple, wrap
from tests.analysis.programs import parse
from tests.execution.harness import Launch

Item = tuple[int, int, int]


@irdl_op_definition
class TraceOp(ConvergentOp):
    """Reports a value of a work-item."""

    name = "test.trace"
    value = operand_def()


@dataclass
class Claim:
    """What the analysis says of a value at one place."""

    text: str
    shapes: Sequence[Shape]
    uniform: bool
    all_active: bool
    width: int | None
    range: IntegerRange | None


@dataclass
class Trace:
    """All that the work-items of all groups reported."""

    claims: dict[Operation, Claim] = field(default_factory=dict[Operation, Claim])
    seen: dict[tuple[Any, ...], dict[Item, Any]] = field(
        default_factory=dict[tuple[Any, ...], dict[Item, Any]]
    )
    sizes: dict[Any, Item] = field(default_factory=dict[Any, Item])
    ops: dict[int, Operation] = field(default_factory=dict[int, Operation])


CURRENT: list[Trace] = []
"""The trace that is being written."""


def _record(item: Any, position: tuple[int, ...], value: Any) -> None:
    trace = CURRENT[-1]
    trace.sizes[item.group.id] = item.group.size
    trace.seen.setdefault((item.group.id, position), {})[item.local] = value


@meaning(TraceOp)
def _trace(body: Body, op: TraceOp) -> None:
    site = body.site(op)
    CURRENT[-1].ops[site] = op
    record = body.program.bind(_record, "record")
    body.line(f"{record}(w, {body.position(site)}, {body.use(op.value)})")


def _is_number(value: SSAValue) -> bool:
    return not hasattr(value.type, "shape")


def _places(kernel: KernelOp) -> Iterator[tuple[SSAValue, Block, Operation]]:
    """Values, and operations before which they are to be traced."""
    for op in list(kernel.walk()):
        for region in op.regions:
            for block in region.blocks:
                first = block.first_op
                for argument in block.args:
                    if first is not None:
                        yield argument, block, first
        for result in op.results:
            after = op.next_op
            if op.parent is not None and after is not None:
                yield result, op.parent, after
            for use in list(result.uses):
                user = use.operation
                if user.parent is not op.parent and user.parent is not None:
                    yield result, user.parent, user


def instrument(kernel: KernelOp, divergence: Divergence) -> dict[Operation, Claim]:
    """Trace the values of a kernel; returns what is claimed of each."""
    ranges = IntegerRanges()
    claims: dict[Operation, Claim] = {}
    planned: list[tuple[TraceOp, Operation, Claim]] = []
    for value, _, before in _places(kernel):
        if not _is_number(value):
            continue
        width = bit_width(value.type)
        number = isinstance(value.type, IntegerType | IndexType)
        shapes = [divergence.shape_at(value, before, d) for d in range(3)]
        named = value.name_hint or (
            "argument" if isinstance(value, BlockArgument) else str(value.owner)
        )
        claim = Claim(
            f"%{named} before {before.name}",
            shapes,
            divergence.is_uniform(value),
            divergence.all_active(before),
            width,
            ranges.of(value) if number and width != 1 else None,
        )
        planned.append((TraceOp(operands=[value]), before, claim))
    for trace, before, claim in planned:
        Rewriter.insert_op(trace, InsertPoint.before(before))
        claims[trace] = claim
    return claims


def check_kernel(
    module: ModuleOp, run: Callable[[Interpreter], None], *, schedule: str = "in-order"
) -> int:
    """Compare all kernels of a module with a run; returns how much was compared."""
    trace = Trace()
    for op in list(module.ops):
        if isinstance(op, KernelOp):
            trace.claims.update(instrument(op, analyze_kernel(op)))
    CURRENT.append(trace)
    try:
        run(Interpreter(module, schedule=schedule))
    finally:
        CURRENT.pop()
    for (group, position), values in trace.seen.items():
        claim = trace.claims[trace.ops[position[-1]]]
        problem = _why_wrong(claim, values, trace.sizes[group])
        assert problem is None, f"{claim.text}: {problem}"
    return len(trace.seen)


def check_launch(
    source: str, arguments: Sequence[Any], launch: Launch, schedule: str = "in-order"
) -> int:
    """Compare the only kernel of a module with a run."""
    module = parse(source)
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    return check_kernel(
        module,
        lambda interpreter: interpreter.run_kernel(
            kernel.sym_name.data,
            arguments,
            global_size=launch.global_size,
            group_size=launch.group_size,
        ),
        schedule=schedule,
    )


def _why_wrong(claim: Claim, values: dict[Item, Any], size: Item) -> str | None:
    """Why a claim is false of the values of the work-items of one group."""
    shapes = ", ".join(map(str, claim.shapes))
    if claim.all_active and len(values) != math.prod(size):
        return f"all lanes are active, but only {sorted(values)} of {size} are here"
    defined = {
        item: wrap(value, claim.width) if claim.width else value
        for item, value in values.items()
        if value is not POISON
    }
    if claim.uniform and len({_bits(value) for value in defined.values()}) > 1:
        return f"uniform, but the work-items have {defined}"
    for dimension, shape in enumerate(claim.shapes):
        for line in _lines(defined, dimension):
            if not _fits(shape, line, claim.width):
                return f"({shapes}) in dimension {dimension}, but it has {line}"
    known = claim.range
    if known is not None:
        for value in defined.values():
            if not known.low <= value <= known.high:
                return f"{known}, but it is {value}"
            if not is_multiple(value, known.divisor):
                return f"{known}, but it is {value}"
    return None


def _bits(value: Any) -> Any:
    return "nan" if isinstance(value, float) and math.isnan(value) else repr(value)


def _lines(values: dict[Item, Any], dimension: int) -> Iterator[dict[int, Any]]:
    """The values of work-items that differ in one coordinate only."""
    lines: dict[tuple[int, ...], dict[int, Any]] = {}
    for item, value in values.items():
        others = tuple(c for d, c in enumerate(item) if d != dimension)
        lines.setdefault(others, {})[item[dimension]] = value
    yield from lines.values()


def _fits(shape: Shape, line: dict[int, Any], width: int | None) -> bool:
    if shape.is_undef:
        return False
    if width is None or width == 1:
        return not shape.is_uniform or len({_bits(v) for v in line.values()}) == 1
    if shape.stride is None:
        return all(is_multiple(value, shape.alignment) for value in line.values())
    firsts = {value - shape.stride * t for t, value in line.items()}
    if shape.wraps:
        firsts = {wrap(first, width) for first in firsts}
    return len(firsts) == 1 and all(is_multiple(f, shape.alignment) for f in firsts)
