"""
Building IR in the place of other IR without losing where it came from.

xDSL's rewriter copies name hints but no locations, and `rewriter.replace` gives the name
of the first result to every new value. What is built here keeps both: a new operation
stands where the old one stood in the source, and its results have the names of the
results they replace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    UnknownLoc,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import (
    MemoryAllocEffect,
    MemoryEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    is_side_effect_free,
)

from spmd.dialects.enclosing import is_terminator, parent_block, terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.limits import MAX_INDEX

ValueT = TypeVar("ValueT", bound=SSAValue)

NO_SIGNED_WRAP = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))

NO_WRAP = arith.IntegerOverflowAttr(
    (arith.IntegerOverflowFlag.NSW, arith.IntegerOverflowFlag.NUW)
)
"""Index arithmetic on ids and sizes cannot wrap: they are bounded by the global size."""


@cache
def _never_has_effect(kind: type[Operation]) -> bool:
    effects = [trait for trait in kind.traits if isinstance(trait, MemoryEffect)]
    return bool(effects) and all(isinstance(trait, NoMemoryEffect) for trait in effects)


def has_no_effect(op: Operation) -> bool:
    """Whether `op`, with all inside of it, neither accesses memory nor does anything else."""
    if op.regions:
        return op.get_trait(RecursiveMemoryEffect) is not None and all(
            has_no_effect(inner) or is_terminator(inner)
            for region in op.regions
            for block in region.blocks
            for inner in block.ops
        )
    return (
        _never_has_effect(type(op))
        or FunctionOfOperands.of(op) is not None  # xDSL 0.74 does not mark all of them
        or is_side_effect_free(op)
    )


def locate(op: Operation, like: Operation) -> None:
    """
    Give `op`, and what is inside of it, the location of `like` where it has none.

    What stands in an operation that has one got its own together with it: to look there
    each time that something is put around it would take the square of the nesting.
    """
    if isinstance(like.location, UnknownLoc):
        return
    worklist = [op]
    while worklist:
        at = worklist.pop()
        if isinstance(at.location, UnknownLoc):
            at.location = like.location
        elif at is not op:
            continue
        for region in at.regions:
            for block in region.blocks:
                worklist.extend(block.ops)


def hint(value: ValueT, like: SSAValue | str | None) -> ValueT:
    """Give `value` the name of `like` if it has none."""
    if value.name_hint is None:
        value.name_hint = like.name_hint if isinstance(like, SSAValue) else like
    return value


def named(value: SSAValue, role: str) -> str | None:
    """The name of what has a role for `value`, if that has a name."""
    return value.name_hint and f"{value.name_hint}_{role}"


def replace(
    op: Operation,
    new_ops: Operation | Sequence[Operation],
    new_results: Sequence[SSAValue | None] | None = None,
) -> None:
    """
    Put `new_ops` in the place of `op` and erase it.

    Its results are replaced by `new_results` (by default those of the last new
    operation), which take their names unless they have one; `None` says that a result
    has no uses. New operations without a location get that of `op`.
    """
    ops = (new_ops,) if isinstance(new_ops, Operation) else tuple(new_ops)
    block = parent_block(op)
    if new_results is None:
        new_results = ops[-1].results if ops else ()
    for new in ops:
        locate(new, op)
    block.insert_ops_before(ops, op)
    for old, new in zip(op.results, new_results, strict=True):
        if new is not None:
            hint(new, old)
            old.replace_all_uses_with(new)
    block.erase_op(op)


def replace_by_body(op: Operation, body: Block) -> None:
    """Put what is in `body` in the place of `op`, which results in what its end has."""
    end = terminator(body)
    results = tuple(end.operands)
    body.erase_op(end)
    ops = tuple(body.ops)
    for inner in ops:
        inner.detach()
    replace(op, ops, results)


def constant_index(value: SSAValue) -> int | None:
    """The number that `value` is, if it is an integer or index constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def known_numbers(low: SSAValue, high: SSAValue, step: SSAValue) -> range | None:
    """What a loop counts, if its bounds are constants an `index` apart and it counts upwards."""
    first, end, by = map(constant_index, (low, high, step))
    if first is None or end is None or by is None or by <= 0:
        return None
    if end - first > MAX_INDEX:  # Python's `len` has 64 bits as well.
        return None
    return range(first, end, by)


def trip_count(loop: Operation) -> int | None:
    """How often `loop` runs, if it is counted and its bounds are known."""
    if not isinstance(loop, scf.ForOp):
        return None
    numbers = known_numbers(loop.lb, loop.ub, loop.step)
    return None if numbers is None else len(numbers)


def is_poison(value: SSAValue) -> bool:
    """Whether nothing depends on `value`, so that any other one will do."""
    return type(value.owner) is ub.PoisonOp


def splat_number(value: SSAValue) -> float | None:
    """The number that `value`, or each of its elements, is, if that is a constant."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    attribute = owner.value
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return attribute.value.data
    if isinstance(attribute, DenseIntOrFPElementsAttr) and attribute.is_splat():
        number = attribute.get_values()[0]
        return None if isinstance(number, tuple) else number
    return None


def erase_dead_ops(
    region: Region, keep: Callable[[Operation], bool] | None = None
) -> None:
    """
    Erase operations without effects whose results have no uses, in one backward walk.

    An allocation that nobody uses is dead too. What `keep` says stays, with all around it.
    """
    for block in region.blocks:
        for op in reversed(block.ops):
            for inner in op.regions:
                erase_dead_ops(inner, keep)
            if _is_dead(op) and not (keep and any(map(keep, op.walk()))):
                block.erase_op(op)


def erase_if_dead(value: SSAValue) -> None:
    """Erase the operation of `value` if it has no effect and nobody uses it."""
    op = value.owner
    if isinstance(op, Operation) and _is_dead(op):
        op.detach()
        op.erase()


def merge_equal_ops(block: Block) -> None:
    """
    Let one operation stand for equal ones without effects and regions, in one forward walk.

    The first stays, with its name; the block's nested regions are not looked at.
    """
    known: dict[object, Operation] = {}
    for op in block.ops:
        if op.regions or not op.results or not has_no_effect(op):
            continue
        key = (
            op.name,
            op.operands,
            op.result_types,
            tuple(sorted(op.properties.items())),
            tuple(sorted(op.attributes.items())),
        )
        first = known.setdefault(key, op)
        if first is not op:
            for old, new in zip(op.results, first.results, strict=True):
                old.replace_all_uses_with(hint(new, old))
            block.erase_op(op)


def _is_dead(op: Operation) -> bool:
    if any(result.first_use is not None for result in op.results):
        return False
    if is_terminator(op):
        return False
    if op.get_trait(MemoryAllocEffect) is not None:
        return bool(op.results)
    return has_no_effect(op)
