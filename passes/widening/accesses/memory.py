"""Memory accesses, chosen by the shape of their address."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith, memref, scf, vector
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.divergence.access_patterns import Pattern
from spmd.analysis.memory.accesses import is_inside
from spmd.dialects.building import shuffle
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import memref_type, size_in_bytes
from spmd.dialects.interfaces.memory import MemoryHint
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.limits import CACHE_LINE, MAX_LANES
from spmd.dialects.rewriting import hint
from spmd.dialects.work_groups import NEAR_EDGE, is_group_memory
from spmd.passes.memory.lower_memory_types import LOCAL_SPACE
from spmd.passes.widening.accesses.addresses import (
    AnyVector,
    LaneAddresses,
    has_unit_stride,
    index_lanes,
    remark,
    why_not_contiguous,
)
from spmd.passes.widening.accesses.columns import (
    column_dimension,
    load_columns,
    store_columns,
)
from spmd.passes.widening.accesses.quotients import load_shared
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lanes import (
    Active,
    Lanes,
    Rows,
    Strided,
    Uniform,
    Varying,
)
from spmd.passes.widening.state import Widening
from spmd.passes.widening.votes import first_active, in_lane


def widen_load(widening: Widening, op: memref.LoadOp, active: Active) -> None:
    """
    Row by row, if rows have addresses of their own and do not follow each other.

    | address                   | becomes                                    |
    | ------------------------- | ------------------------------------------ |
    | neighbours across rows    | loads of columns, transposed in registers  |
    | uniform                   | `memref.load`, if some lane is active      |
    | contiguous                | `vector.load` or `vector.maskedload`       |
    | contiguous, never outside | `vector.load`: garbage may be loaded       |
    | reversed                  | the same and `vector.shuffle`              |
    | shared by neighbours      | a shorter `vector.load` and a permutation  |
    | anything else             | `vector.gather`                            |
    | private, uniform element  | `vector.load`: garbage may be loaded       |
    """
    if (along := column_dimension(widening, op, active)) is not None:
        load_columns(widening, op, active, along)
        return
    if _has_rows(widening, op):
        widening.by_rows(op, active, widen_load)
        return
    if load_shared(widening, op, active):
        return
    type_ = widening.vector_type(op.res.type)
    access, indices = _addresses(widening, op)
    match access.pattern:
        case Pattern.UNIFORM:
            widening.hold(op, [_load_once(widening, op, access, active)])
            return
        case Pattern.CONTIGUOUS:
            harmless = _is_in_bounds(widening, op, active)
            mask = None if harmless else widening.mask(active)
            loaded = _load(widening, access, type_, mask)
            _keep_streaming(op, loaded.owner)
        case Pattern.REVERSED:
            mask = widening.mask(active)
            mask = mask and _reverse(widening, mask)
            loaded = _load(widening, access, type_, mask)
            remark(loaded.owner, "reversed", why_not_contiguous(op, indices))
            loaded = _reverse(widening, loaded)
        case _:
            on = widening.mask(active) or widening.all_on()
            off = widening.dense(0, op.res.type)
            gather = GatherOp(access.array, access.first, access.offsets, on, off)
            remark(gather, "gather", why_not_contiguous(op, indices))
            if NEAR_EDGE in op.attributes:
                gather.attributes[NEAR_EDGE] = op.attributes[NEAR_EDGE]
            loaded = widening.add(gather)
    widening.hold(op, [Varying(loaded)])


def widen_store(widening: Widening, op: memref.StoreOp, active: Active) -> None:
    """
    Row by row, as loads are.

    | address                   | becomes                                    |
    | ------------------------- | ------------------------------------------ |
    | neighbours across rows    | transposed in registers, stores of columns |
    | uniform                   | `memref.store`, if some lane is active     |
    | contiguous                | `vector.store` or `vector.maskedstore`     |
    | contiguous, local memory  | load, `arith.select` and store if possible |
    | reversed                  | `vector.shuffle` and the same              |
    | anything else             | `vector.scatter`                           |

    Memory that other threads see is never read for a store. Private and local memory is
    not seen: what inactive lanes have there may be stored back as it was.
    """
    if (along := column_dimension(widening, op, active)) is not None:
        store_columns(widening, op, active, along)
        return
    if _has_rows(widening, op):
        widening.by_rows(op, active, widen_store)
        return
    access, indices = _addresses(widening, op)
    if access.pattern is Pattern.UNIFORM:
        _store_once(widening, op, access, active)
        return
    stored, mask = widening.vector(widening.of(op.value)), widening.mask(active)
    match access.pattern:
        case Pattern.CONTIGUOUS:
            hidden = _is_of_group(widening, op.memref)
            if mask and hidden and _is_in_bounds(widening, op, active):
                if not _is_written_together(widening, op.memref):
                    stored = _blended(widening, access, stored, mask)
                mask = None
            store = _vector_store(access, stored, mask)
            _keep_streaming(op, store)
        case Pattern.REVERSED:
            stored = _reverse(widening, stored)
            mask = mask and _reverse(widening, mask)
            store = _vector_store(access, stored, mask)
            remark(store, "reversed", why_not_contiguous(op, indices))
        case _:
            on = mask or widening.all_on()
            store = ScatterOp(access.array, access.first, access.offsets, on, stored)
            remark(store, "scatter", why_not_contiguous(op, indices))
    widening.append(store)


def _addresses(
    widening: Widening, op: memref.LoadOp | memref.StoreOp
) -> tuple[LaneAddresses, list[Lanes]]:
    """Where the lanes of `op` go, and how they hold its indices."""
    indices = [index_lanes(widening, index) for index in op.indices]
    array = widening.array(op.memref)
    if _follow_each_other(widening, op):
        first = [widening.of_lane(index, 0) for index in indices]
        return LaneAddresses.through_rows(widening, array, first), indices
    if _is_own(widening, op.memref):
        indices.append(widening.lane_index)
    return LaneAddresses.of(widening, array, indices), indices


def _has_rows(widening: Widening, op: memref.LoadOp | memref.StoreOp) -> bool:
    """Whether rows have addresses of their own, which do not follow each other."""
    held = [index_lanes(widening, index) for index in op.indices]
    rows = any(isinstance(each, Rows) for each in held)
    vectors = any(isinstance(each, Varying) for each in held)
    return rows and not vectors and not _follow_each_other(widening, op)


def _follow_each_other(widening: Widening, op: memref.LoadOp | memref.StoreOp) -> bool:
    """Whether the rows are contiguous, and each begins where the one before ends."""
    held = [index_lanes(widening, index) for index in op.indices]
    if not any(isinstance(each, Rows) for each in held):
        return False
    *outer, last = (widening.row_of(each, 0) for each in held)
    if (
        _is_own(widening, op.memref)
        or not has_unit_stride(op.memref)
        or not (isinstance(last, Strided) and last.stride == 1)
        or not all(isinstance(each, Uniform) for each in outer)
    ):
        return False
    extents = widening.group.lane_shape
    steps = [prod(extents[:dim]) for dim in range(len(extents))]
    return widening.strides(op) == steps


def _vector_store(
    access: LaneAddresses, stored: SSAValue, mask: SSAValue | None
) -> Operation:
    if mask is None:
        return vector.StoreOp(stored, access.array, access.first)
    return vector.MaskedStoreOp(access.array, access.first, mask, stored)


def _keep_streaming(op: memref.LoadOp | memref.StoreOp, new: Operation | Block) -> None:
    """Say of `new` as well that it is accessed once only; masked accesses cannot."""
    if isinstance(new, vector.LoadOp | vector.StoreOp):
        new.nontemporal = op.nontemporal


# Uniform addresses


def _load_once(
    widening: Widening,
    op: memref.LoadOp,
    access: LaneAddresses,
    active: Active,
) -> Lanes:
    load = memref.LoadOp.get(access.array, access.first)
    load.properties.update(
        {k: v for k, v in op.properties.items() if k not in load.properties}
    )
    if active.some:
        return Uniform(widening.add(load))
    assert active.mask is not None
    some = widening.vote(active.mask)
    inside = Block([load])
    inside.add_op(scf.YieldOp(hint(load.res, op.res)))
    nothing = Block([scf.YieldOp(widening.constants.zero(op.res.type))])
    guard = scf.IfOp(some, [op.res.type], Region(inside), Region(nothing))
    return Uniform(widening.add(guard, op.res))


def _store_once(
    widening: Widening, op: memref.StoreOp, access: LaneAddresses, active: Active
) -> None:
    """Stores what the first active lane has: others may only store the same value there."""
    if active.some:
        is_same = isinstance(widening.of(op.value), Uniform)
        lane = None if is_same else first_active(widening, active, "storing")
        value = in_lane(widening, op.value, lane)
        widening.append(memref.StoreOp.get(value, access.array, access.first))
        return
    assert active.mask is not None
    some = widening.vote(active.mask)
    guarded = Block()
    with widening.into(guarded):
        _store_once(widening, op, access, Active(active.mask))
        widening.append(scf.YieldOp())
    widening.append(scf.IfOp(some, [], Region(guarded)))


def _blended(
    widening: Widening, access: LaneAddresses, stored: SSAValue, mask: SSAValue
) -> SSAValue:
    """
    What is in memory where lanes are inactive.

    A masked store would make the next load wait until it has left the core.
    """
    type_ = cast(AnyVector, stored.type)
    load = vector.LoadOp(access.array, access.first, type_)
    remark(load, "blend", "inactive lanes keep what is there")
    return widening.add(arith.SelectOp(mask, stored, widening.add(load)))


def _is_own(widening: Widening, array: SSAValue) -> bool:
    """Whether each lane has a part of the array that `array` becomes."""
    private = widening.private.get(array)
    return private is not None and private.part is None


def _is_written_together(widening: Widening, array: SSAValue) -> bool:
    """Whether no lane that is inactive at a store to `array` has anything there."""
    private = widening.private.get(array)
    return private is not None and private.written_together


def _is_of_group(widening: Widening, array: SSAValue) -> bool:
    """Whether no other thread sees the memory of `array`."""
    type_ = memref_type(array)
    if type_.memory_space == LOCAL_SPACE or _is_own(widening, array):
        return True
    return is_group_memory(underlying_object(array).owner)


def _is_in_bounds(
    widening: Widening, op: memref.LoadOp | memref.StoreOp, active: Active
) -> bool:
    """Whether all lanes access elements that exist, also the inactive ones."""
    # What is contiguous of private arrays is the same element of all lanes.
    some = active.some and _is_own(widening, op.memref)
    return some or is_inside(op, widening.ranges)


# Contiguous addresses


def _load(
    widening: Widening,
    access: LaneAddresses,
    type_: AnyVector,
    mask: SSAValue | None,
) -> SSAValue:
    if mask is None:
        return widening.add(vector.LoadOp(access.array, access.first, type_))
    off = widening.dense(0, type_.element_type)
    return widening.add(vector.MaskedLoadOp(access.array, access.first, mask, off))


def _reverse(widening: Widening, value: SSAValue) -> SSAValue:
    order = range(widening.width)[::-1]
    return widening.add(shuffle(value, value, order), value)


# Hints


def widen_hint(widening: Widening, op: Operation) -> None:
    """
    | address       | becomes                                |
    | ------------- | -------------------------------------- |
    | uniform       | the op, once                           |
    | strided       | the op for one lane of each cache line |
    | anything else | the op for each lane                   |

    Inactive lanes ask as well, which does no harm. Private arrays are in the cache,
    and what differs between lanes is not worth a loop over them.
    """
    hint = MemoryHint.of(op)
    assert hint is not None
    memory, indices = op.operands[hint.operand], op.operands[hint.operand + 1 :]
    if memory in widening.private or widening.differs(memory):
        return
    array, held = widening.array(memory), [widening.of(index) for index in indices]
    if any(isinstance(each, Rows) for each in held):
        widening.by_rows(op, Active(), lambda w, op, _: widen_hint(w, op))
        return
    for lane in range(0, widening.width, _lanes_in_one_line(memory, held)):
        address = [widening.of_lane(index, lane) for index in held]
        widening.append(clone_with(op, [array, *address], ()))


def _lanes_in_one_line(memory: SSAValue, indices: Sequence[Lanes]) -> int:
    """How many neighbouring lanes access one cache line, if the first one begins it."""
    if all(isinstance(index, Uniform) for index in indices):
        return MAX_LANES
    *outer, last = indices
    if not (
        isinstance(last, Strided)
        and has_unit_stride(memory)
        and all(isinstance(index, Uniform) for index in outer)
    ):
        return 1
    element = size_in_bytes(memref_type(memory).element_type)
    return max(1, CACHE_LINE // (element * max(1, abs(last.stride))))
