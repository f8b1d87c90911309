"""What the work-items of a group, and the lanes of a sub-group, do together in `gpu`."""

from __future__ import annotations

from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from spmd.dialects.building import Builder
from spmd.dialects.compat.gpu import lanes
from spmd.dialects.compat.gpu.lanes import ShuffleMode
from spmd.dialects.diagnostics import fail
from spmd.dialects.rewriting import NO_WRAP, replace
from spmd.dialects.spmd import (
    AllOp,
    BallotOp,
    BroadcastOp,
    Kind,
    LaneIdOp,
    LocalSizeOp,
    ReduceOp,
    Scope,
    ShuffleOp,
    SubGroupSizeOp,
)
from spmd.dialects.spmd.types import (
    combine,
    is_float,
    is_integer,
    neutral_element,
    why_not_kind,
)
from spmd.passes.frontends.reductions import known_kind

# Reductions


def _kind(op: Operation, name: str, type_: Attribute) -> Kind:
    """What combines two values as `name` does: `minsi`, `minimumf` and `minnumf` are `min`."""
    kind = Kind(name if name.endswith("ui") else name[:3])
    wants_float, wants_integer = name.endswith("f"), name.endswith(("si", "ui"))
    why = why_not_kind(kind, type_)
    if (wants_float and is_integer(type_)) or (wants_integer and is_float(type_)):
        wanted = "a float" if wants_float else "an integer"
        why = f"expected {wanted} for {name}, got {type_}"
    if why is not None:
        fail(op, why)
    return kind


def _reduce(
    op: Operation, kind: gpu.AllReduceOpAttr, value: SSAValue, scope: Scope
) -> None:
    """Reductions of `spmd` give a NaN where one joins; `minnumf` where nothing else does."""
    at, name = Builder.before(op), str(kind.data)
    by = _kind(op, name, value.type)
    if not name.endswith("numf"):
        replace(op, ReduceOp(by, value, scope))
        return
    is_nan = at.add(arith.CmpfOp(value, value, "uno"))
    neutral = at.add(arith.ConstantOp(neutral_element(by, value.type)))
    number = at.add(arith.SelectOp(is_nan, neutral, value))
    reduced = at.add(ReduceOp(by, number, scope))
    all_nan = at.add(AllOp(is_nan, scope))
    replace(op, arith.SelectOp(all_nan, value, reduced))


def convert_all_reduce(op: gpu.AllReduceOp) -> None:
    """One reduction, or of a region a loop over the values of the group."""
    if op.op is not None:
        _reduce(op, op.op, op.operand, Scope.WORK_GROUP)
        return
    if len(op.body.blocks) != 1:
        fail(op, "expected a gpu.all_reduce whose region has one block")
    region = op.body.block
    kind = known_kind(region)
    if kind is not None:
        replace(op, ReduceOp(kind, op.operand, Scope.WORK_GROUP))
    else:
        _reduce_by(op, region)


def _reduce_by(op: gpu.AllReduceOp, region: Block) -> None:
    """
    Let everybody combine all values, one after the other.

    All find the same, so that one does it for the group: what is broadcast from the same
    work-item to all is one load.
    """
    at = Builder.before(op)
    zero, one = (
        at.add(arith.ConstantOp(IntegerAttr(number, IndexType()))) for number in (0, 1)
    )
    items = at.add(LocalSizeOp("x"))
    for dimension in ("y", "z"):
        size = at.add(LocalSizeOp(dimension))
        items = at.add(arith.MuliOp(items, size, overflow=NO_WRAP))
    first = at.add(BroadcastOp(op.operand, zero, Scope.WORK_GROUP))
    body = Block(arg_types=[IndexType(), op.operand.type])
    item, found = body.args
    inside = Builder.at_end(body, op)
    there = inside.add(BroadcastOp(op.operand, item, Scope.WORK_GROUP))
    for old, new in zip(region.args, (found, there), strict=True):
        old.replace_all_uses_with(new)
    end = region.last_op
    assert isinstance(end, gpu.YieldOp)
    inside.move(inner for inner in region.ops if inner is not end)
    inside.append(scf.YieldOp(*end.values))
    replace(op, scf.ForOp(one, items, one, [first], body))


def convert_subgroup_reduce(op: lanes.SubgroupReduceOp) -> None:
    """One reduction, or of clusters one exchange of each number of lanes that doubles."""
    if op.cluster_size is None:
        _reduce(op, op.op, op.value, Scope.SUB_GROUP)
        return
    name = str(op.op.data)
    if name.endswith("numf"):
        fail(op, f"expected gpu.subgroup_reduce without cluster for {name}")
    kind, at, found = _kind(op, name, op.value.type), Builder.before(op), op.value
    stride = 1 if op.cluster_stride is None else op.cluster_stride.value.data
    lane, lanes_here = at.add(LaneIdOp()), at.add(SubGroupSizeOp())
    distance = stride
    while distance < stride * op.cluster_size.value.data:
        step = at.add(arith.ConstantOp(IntegerAttr(distance, IndexType())))
        other = at.add(arith.XOrIOp(lane, step))
        is_there = at.add(arith.CmpiOp(other, lanes_here, "ult"))
        source = at.add(arith.SelectOp(is_there, other, lane))
        got = at.add(ShuffleOp("idx", found, source))
        both = at.add(combine(kind, found, got))
        found = at.add(arith.SelectOp(is_there, both, found))
        distance *= 2
    replace(op, (), (found,))


# Exchanges


def _lane(at: Builder) -> SSAValue:
    return at.add(arith.IndexCastOp(at.add(LaneIdOp()), i32))


def _number(at: Builder, value: int) -> SSAValue:
    return at.add(arith.ConstantOp(IntegerAttr(value, i32)))


def _read(at: Builder, value: SSAValue, source: SSAValue) -> SSAValue:
    """What the lane `source`, an i32, has."""
    return at.add(
        ShuffleOp("idx", value, at.add(arith.IndexCastOp(source, IndexType())))
    )


def convert_shuffle(op: lanes.ShuffleOp) -> None:
    """The lane is counted as unsigned: below 0 is beyond the width, too."""
    at = Builder.before(op)
    lane = _lane(at)
    match op.mode.data:
        case ShuffleMode.XOR:
            source = at.add(arith.XOrIOp(lane, op.offset))
        case ShuffleMode.UP:
            source = at.add(arith.SubiOp(lane, op.offset))
        case ShuffleMode.DOWN:
            source = at.add(arith.AddiOp(lane, op.offset))
        case ShuffleMode.IDX:
            source = op.offset
    valid = at.add(arith.CmpiOp(source, op.width, "ult"), op.valid)
    # A lane that there is, for those that read none.
    there = at.add(arith.SelectOp(valid, source, lane))
    replace(op, (), (_read(at, op.value, there), valid))


def convert_rotate(op: lanes.RotateOp) -> None:
    """The width is a power of two, so that the ring is closed by a mask."""
    at, width = Builder.before(op), op.width.value.data
    lane = _lane(at)
    valid = at.add(arith.CmpiOp(lane, _number(at, width), "ult"), op.valid)
    further = at.add(arith.AddiOp(lane, _number(at, op.offset.value.data)))
    source = at.add(arith.AndIOp(further, _number(at, width - 1)))
    there = at.add(arith.SelectOp(valid, source, lane))
    replace(op, (), (_read(at, op.value, there), valid))


def convert_subgroup_broadcast(op: lanes.SubgroupBroadcastOp) -> None:
    """The first active lane is the least one that is here."""
    at = Builder.before(op)
    if op.lane is None:
        source = at.add(ReduceOp(Kind.MINUI, at.add(LaneIdOp()), Scope.SUB_GROUP))
    else:
        source = at.add(arith.IndexCastOp(op.lane, IndexType()))
    replace(op, BroadcastOp(op.src, source, Scope.SUB_GROUP))


def convert_ballot(op: lanes.BallotOp) -> None:
    """Bits beyond the width of the result are not there."""
    at, type_ = Builder.before(op), op.result.type
    assert isinstance(type_, IntegerType)
    bits = at.add(BallotOp(op.predicate))
    width = type_.width.data
    if width > 64:
        fail(op, f"expected a ballot of at most 64 bits, got {type_}")
    replace(op, (), (bits if width == 64 else at.add(arith.TruncIOp(bits, type_)),))
