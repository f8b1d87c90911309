"""Reductions of `scf.parallel`: within each work-group by a kernel, then over the groups."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, Block, SSAValue

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.limits import Sizes
from spmd.dialects.rewriting import NO_WRAP
from spmd.dialects.spmd import (
    BarrierOp,
    GroupIdOp,
    Kind,
    LocalAllocOp,
    LocalIdOp,
    LocalSizeOp,
    NumGroupsOp,
    ReduceOp,
)
from spmd.dialects.spmd.ids import DimensionOp
from spmd.dialects.spmd.types import LOCAL, kind_of, why_not_kind
from spmd.passes.frontends.loop_nests import combined
from spmd.passes.work_item_loops.nests import nested_loops

_DIMENSIONS = ("x", "y", "z")


def partial_results_type(type_: Attribute) -> MemRefType[Attribute]:
    """Of the memory that has what each group reduced."""
    return MemRefType(type_, [DYNAMIC_INDEX])


def known_kind(region: Block) -> Kind | None:
    """The kind of reduction that `region` is, if the dialect has it."""
    op, end = region.first_op, region.last_op
    if op is None or end is None or op.next_op is not end:
        return None
    kind = kind_of(op)
    if kind is None or why_not_kind(kind, op.results[0].type) is not None:
        return None
    both = set(op.operands) == set(region.args)
    return kind if both and end.operands[0] is op.results[0] else None


def _linear(
    at: Builder, ids: Sequence[SSAValue], sizes: Sequence[SSAValue], name: str
) -> SSAValue:
    """x + X * (y + Y * z)."""
    found = ids[-1]
    for id_, size in zip(reversed(ids[:-1]), reversed(sizes[:-1]), strict=True):
        rows = at.add(arith.MuliOp(found, size, overflow=NO_WRAP))
        found = at.add(arith.AddiOp(rows, id_, overflow=NO_WRAP), name)
    return found


def reduce_in_group(
    at: Builder,
    constants: ConstantPool,
    reduce: scf.ReduceOp,
    partial: Sequence[SSAValue],
    group: Sizes,
) -> None:
    """
    In a kernel: let the first work-item of each group store what the group reduced.

    What the dialect has no reduction for is done by that work-item, one value after the
    other: regions of `scf.reduce` are associative and commutative, and that is all.
    """

    def each(kind: type[DimensionOp]) -> list[SSAValue]:
        return [at.add(kind(dimension)) for dimension in _DIMENSIONS]

    sizes = each(LocalSizeOp)
    item = _linear(at, each(LocalIdOp), sizes, "item")
    place = _linear(at, each(GroupIdOp), each(NumGroupsOp), "group")
    found: list[SSAValue] = []
    for region, value in zip(reduce.reductions, reduce.args, strict=True):
        kind = known_kind(region.block)
        if kind is not None:
            found.append(at.add(ReduceOp(kind, value, "work_group"), value))
        else:
            type_ = MemRefType(value.type, [prod(group)], memory_space=LOCAL)
            tile = at.add(LocalAllocOp(type_), "values")
            at.append(memref.StoreOp.get(value, tile, [item]))
            found.append(tile)
    if any(isinstance(each.type, MemRefType) for each in found):
        at.append(BarrierOp())
    first = at.add(arith.CmpiOp(item, constants.index(0), "eq"), "first")
    with at.into(Block()) as then:
        for region, value, target in zip(
            reduce.reductions, found, partial, strict=True
        ):
            if isinstance(value.type, MemRefType):
                count = sizes[0]
                for size in sizes[1:]:
                    count = at.add(arith.MuliOp(count, size, overflow=NO_WRAP))
                value = _fold(at, constants, region.block, value, count)
            at.append(memref.StoreOp.get(value, target, [place]))
        at.append(scf.YieldOp())
    at.append(scf.IfOp(first, [], [then]))


def _fold(
    at: Builder,
    constants: ConstantPool,
    region: Block,
    values: SSAValue,
    count: SSAValue,
    initial: SSAValue | None = None,
) -> SSAValue:
    """All elements of `values`, of which there are `count`, combined with `initial`."""
    start = constants.index(0 if initial is not None else 1)
    if initial is None:
        initial = at.add(memref.LoadOp.get(values, [constants.index(0)]))
    (loop,) = nested_loops([(start, count, constants.index(1))], [initial])
    body = loop.body.block
    with at.into(body):
        value = at.add(memref.LoadOp.get(values, [body.args[0]]))
        at.append(scf.YieldOp(combined(at, region, body.args[1], value)))
    return at.add(loop)


def reduce_groups(
    at: Builder,
    constants: ConstantPool,
    loop: scf.ParallelOp,
    partial: Sequence[SSAValue],
    groups: SSAValue,
) -> list[SSAValue]:
    """In the host function: what all groups reduced, and give back the memory."""
    reduce = loop.body.block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    found: list[SSAValue] = []
    for region, initial, memory in zip(
        reduce.reductions, loop.initVals, partial, strict=True
    ):
        found.append(_fold(at, constants, region.block, memory, groups, initial))
        at.append(memref.DeallocOp.get(memory))
    return found
