"""Loops over work-items become loops over sub-groups, and one more sub-group for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, StringAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import constant_index, hint, trip_count
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NOT_VECTORIZED
from spmd.passes.work_item_loops.nests import nested_loops


def strip_mine(
    loop: scf.ForOp, width: int, constants: ConstantPool, why_rest_stays: str | None
) -> list[SubGroupOp]:
    """
    Replace `loop` by sub-groups of `width` lanes, and give these.

    It stays for an unknown number of work-items that fill none, if there is a reason.
    """
    items = trip_count(loop)
    if items is None:
        return _strip_mine_dynamic(loop, width, constants, why_rest_stays)
    groups = _strip_mine_static(loop, width, items, constants)
    Rewriter.erase_op(loop)
    return groups


def _strip_mine_dynamic(
    loop: scf.ForOp, width: int, constants: ConstantPool, why_rest_stays: str | None
) -> list[SubGroupOp]:
    """Full sub-groups in a loop and one with the rest, or a loop."""
    at = Builder.before(loop)
    items, from_zero = loop.ub, constant_index(loop.lb) == 0
    if not from_zero:
        items = at.add(arith.SubiOp(loop.ub, loop.lb), "items")
    if not IntegerRanges().of(items).is_non_negative:
        # A loop that ends before it starts has no work-items.
        items = at.add(arith.MaxSIOp(items, constants.index(0)), "items")
    end = whole = at.add(arith.AndIOp(items, constants.index(-width)), "whole")
    rest = None
    if why_rest_stays is None:
        rest = at.add(arith.AndIOp(items, constants.index(width - 1)), "rest")
    if not from_zero:
        end = at.add(arith.AddiOp(loop.lb, whole), "end")
    full = _full_sub_groups(at, loop, width, end, constants)
    if why_rest_stays is not None:
        loop.operands = (end, *loop.operands[1:])
        loop.attributes[NOT_VECTORIZED] = StringAttr(why_rest_stays)
        return [full]
    last = _sub_group(loop, width, end, rest)
    at.append(last)
    Rewriter.erase_op(loop)
    return [full, last]


def _strip_mine_static(
    loop: scf.ForOp, width: int, items: int, constants: ConstantPool
) -> list[SubGroupOp]:
    """Only the sub-groups that occur; the last one is as narrow as it can be."""
    at = Builder.before(loop)
    start = constant_index(loop.lb)
    assert start is not None, "a loop with a known trip count starts at a constant"
    whole, rest = divmod(items, width)
    groups: list[SubGroupOp] = []
    if whole == 1:
        groups.append(_sub_group(loop, width, loop.lb))
        at.append(groups[-1])
    elif whole > 1:
        end = constants.index(start + whole * width)
        groups.append(_full_sub_groups(at, loop, width, end, constants))
    if rest:
        lanes = 1 << (rest - 1).bit_length()
        begin = constants.index(start + whole * width)
        count = None if lanes == rest else constants.index(rest)
        groups.append(_sub_group(loop, lanes, begin, count))
        at.append(groups[-1])
    return groups


def _full_sub_groups(
    at: Builder, loop: scf.ForOp, width: int, end: SSAValue, constants: ConstantPool
) -> SubGroupOp:
    """A loop over the sub-groups up to `end`, whose lanes all exist."""
    body = Block(arg_types=[IndexType()])
    group = _sub_group(loop, width, hint(body.args[0], "first"))
    body.add_ops((group, scf.YieldOp()))
    at.append(scf.ForOp(loop.lb, end, constants.index(width), (), body))
    return group


def _sub_group(
    loop: scf.ForOp, width: int, first: SSAValue, count: SSAValue | None = None
) -> SubGroupOp:
    """The body of `loop`, once for each of `width` lanes from `first` on."""
    counts = () if count is None else (count,)
    group = SubGroupOp([width], [first], counts)
    source, target = loop.body.block, group.body.block
    end = terminator(target)
    item = source.args[0]
    lane = hint(target.args[0], item)
    mapping: dict[SSAValue, SSAValue] = {item: lane}
    copies = [op.clone(mapping) for op in source.ops if op is not source.last_op]
    target.insert_ops_before(copies, end)
    return group


def strip_mine_tiles(
    loops: Sequence[scf.ForOp], extents: Sequence[int], constants: ConstantPool
) -> list[SubGroupOp]:
    """
    Replace a nest of `loops` by sub-groups with lanes along all of them, and give these.

    The loops stand from the outside, the `extents` are those of the lanes, of rows first.
    Where a tile may go beyond the end of a loop, it is asked whether it does.
    """
    at = Builder.before(loops[0])
    bounds = [
        (loop.lb, loop.ub, constants.index(extent))
        for loop, extent in zip(loops, reversed(extents), strict=True)
    ]
    nest = nested_loops(bounds)
    firsts = [
        hint(loop.body.block.args[0], f"first_{old.body.block.args[0].name_hint}")
        for loop, old in zip(nest, loops, strict=True)
    ]
    inside = Builder.at_end(nest[-1].body.block, loops[-1])
    counts: list[SSAValue] = []
    full: SSAValue | None = None
    for loop, first, extent in zip(loops, firsts, reversed(extents), strict=True):
        lanes, items = constants.index(extent), trip_count(loop)
        if items is not None and items % extent == 0:
            counts.append(lanes)
            continue
        count = inside.add(arith.SubiOp(loop.ub, first), "count")
        counts.append(count)
        all_exist = inside.add(arith.CmpiOp(count, lanes, "sge"), "full")
        if full is not None:
            all_exist = inside.add(arith.AndIOp(full, all_exist), "full")
        full = all_exist
    firsts.reverse()
    counts.reverse()
    groups = [_tile(loops, extents, firsts)]
    if full is None:
        inside.append(groups[0])
    else:
        groups.append(_tile(loops, extents, firsts, counts))
        all_lanes, some = (Region(Block([each, scf.YieldOp()])) for each in groups)
        inside.append(scf.IfOp(full, (), all_lanes, some))
    inside.append(scf.YieldOp())
    at.append(nest[0])
    Rewriter.erase_op(loops[0])
    return groups


def _tile(
    loops: Sequence[scf.ForOp],
    extents: Sequence[int],
    firsts: Sequence[SSAValue],
    counts: Sequence[SSAValue] = (),
) -> SubGroupOp:
    """The body of the innermost of `loops`, once for each lane."""
    group = SubGroupOp(extents, firsts, counts)
    target = group.body.block
    mapping: dict[SSAValue, SSAValue] = {
        (item := loop.body.block.args[0]): hint(lane, item)
        for loop, lane in zip(reversed(loops), target.args, strict=True)
    }
    source = loops[-1].body.block
    copies = [op.clone(mapping) for op in source.ops if op is not source.last_op]
    target.insert_ops_before(copies, terminator(target))
    return group
