"""
Sub-group collectives as operations on vectors.

| op          | becomes                                                            |
| ----------- | ------------------------------------------------------------------ |
| `any` `all` `reduce` | `vector.reduction`                                        |
| `ballot`    | `vector.bitcast` to one integer                                    |
| `elect`     | the first lane of a prefix, else the smallest active index          |
| `scan`      | one `vector.shuffle` and one combination per power of two          |
| `broadcast` | `vector.extract`                                                   |
| `shuffle`   | `vector.shuffle` if the lanes are known, else a store and a gather, which machines do in registers |
| `barrier`   | nothing: lanes run in lock step                                    |

Inactive lanes contribute the neutral element.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i8,
    i64,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.building import reduction, shuffle
from spmd.dialects.compat.memory import GatherOp
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import vector_type
from spmd.dialects.rewriting import constant_index, hint
from spmd.dialects.spmd import (
    AllOp,
    AnyOp,
    BallotOp,
    BarrierOp,
    BroadcastOp,
    ElectOp,
    Kind,
    ReduceOp,
    ScanMode,
    ScanOp,
    ShuffleMode,
    ShuffleOp,
)
from spmd.dialects.spmd.types import neutral_element
from spmd.dialects.work_groups import aligned_alloca
from spmd.passes.collectives.float_order import FloatOrder
from spmd.passes.collectives.lane_scans import scan_lanes
from spmd.passes.sub_groups.shuffle_sources import source_lane
from spmd.passes.widening.accesses.addresses import remark
from spmd.passes.widening.lanes import Active, Prefix, Strided, Uniform, Varying
from spmd.passes.widening.state import Widening
from spmd.passes.widening.votes import widen_vote

_SIGNED_KINDS = {
    Kind.MIN: CombiningKindFlag.MINSI,
    Kind.MAX: CombiningKindFlag.MAXSI,
}
"""What `vector.reduction` calls them."""


def widen_collective(widening: Widening, op: Operation, active: Active) -> None:
    """What `op` of the sub-group gives, where inactive lanes take no part."""
    match op:
        case BarrierOp():
            pass  # Lanes in lock step see each other's memory.
        case AnyOp() | AllOp():
            widen_vote(widening, op, active)
        case BallotOp():
            _widen_ballot(widening, op, active)
        case ElectOp():
            _widen_elect(widening, op, active)
        case ReduceOp():
            _widen_reduce(widening, op, active)
        case ScanOp():
            _widen_scan(widening, op, active)
        case BroadcastOp():
            _widen_broadcast(widening, op, active)
        case ShuffleOp():
            _widen_shuffle(widening, op, active)
        case _:
            fail(op, f"expected a collective of the sub-group, got {op.name}")


def _widen_reduce(widening: Widening, op: ReduceOp, active: Active) -> None:
    """Inactive lanes contribute the neutral element."""
    lanes, _ = _contributions(widening, op, active)
    widening.hold(op, [Uniform(reduce_lanes(widening, op.kind.data, lanes))])


def reduce_lanes(widening: Widening, kind: Kind, lanes: SSAValue) -> SSAValue:
    """All elements of `lanes` combined."""
    element = cast(VectorType[Attribute], lanes.type).element_type
    if FloatOrder.serves(kind, element):
        order = FloatOrder(kind, widening.add, widening.constants)
        return order.value(reduce_lanes(widening, kind, order.key(lanes)), element)
    flag = _SIGNED_KINDS.get(kind) or CombiningKindFlag(kind.value)
    return widening.add(reduction(lanes, flag, element))


def _widen_broadcast(widening: Widening, op: BroadcastOp, active: Active) -> None:
    """The element of one lane, which all others get."""
    held = widening.of(op.value)
    source = _one_source(widening, op, active)
    match held:
        case Uniform():
            widening.hold(op, [held])
        case Strided(first=first) if constant_index(source) == 0:
            widening.hold(op, [Uniform(first)])
        case _:
            lanes = widening.vector(held)
            widening.hold(op, [_element(widening, lanes, source)])


def _element(widening: Widening, lanes: SSAValue, source: SSAValue) -> Uniform:
    """What the lane of number `source` has."""
    lane = constant_index(source)
    place = source if lane is None else lane
    if lane is not None and not 0 <= lane < widening.width:
        place = 0  # nobody: any value will do
    type_ = cast(VectorType[Attribute], lanes.type)
    extract = vector.ExtractOp(lanes, [place], type_.element_type)
    return Uniform(widening.add(extract))


def _one_source(widening: Widening, op: BroadcastOp, active: Active) -> SSAValue:
    """The lane that all lanes name, whether it is known to be uniform or not."""
    held = widening.of(op.source)
    if not isinstance(held, Uniform):
        held = Varying(widening.vector(held))
    return widening.scalar(held, active)


def _contributions(
    widening: Widening, op: ReduceOp | ScanOp, active: Active
) -> tuple[SSAValue, SSAValue]:
    """What each lane adds, and what changes nothing."""
    neutral = neutral_element(op.kind.data, op.value.type)
    nothing = widening.dense(neutral.value.data, op.value.type)
    lanes = widening.vector(widening.of(op.value))
    return widening.in_active(active, lanes, nothing), nothing


def _widen_scan(widening: Widening, op: ScanOp, active: Active) -> None:
    lanes, nothing = _contributions(widening, op, active)
    exclusive = op.mode.data is ScanMode.EXCLUSIVE
    add, constants = widening.add, widening.constants
    lanes = scan_lanes(add, constants, op.kind.data, lanes, nothing, exclusive)
    widening.hold(op, [Varying(lanes)])


def _widen_ballot(widening: Widening, op: BallotOp, active: Active) -> None:
    """The bits of a mask as one integer, lane 0 in the lowest."""
    votes = widening.vector(widening.of(op.predicate))
    number = ballot(widening, widening.in_active(active, votes, 0))
    widening.hold(op, [Uniform(number)])


def ballot(widening: Widening, votes: SSAValue) -> SSAValue:
    """The bits of a mask as a number of 64 bits, or of as many as there are lanes."""
    bits = IntegerType(widening.width)
    if widening.width > 1:
        votes = widening.add(vector.BitcastOp(votes, vector_type(bits, 1)))
    number = widening.add(vector.ExtractOp(votes, [0], bits))
    if widening.width < 64:
        number = widening.add(arith.ExtUIOp(number, i64))
    return number


def _widen_elect(widening: Widening, op: ElectOp, active: Active) -> None:
    index = IndexType()
    if active.first:
        one = widening.constants.number(1, index)
        widening.lanes[op.result] = Prefix(one, op.result.name_hint)
        return
    lanes = widening.steps(index, 1)
    here = widening.in_active(active, lanes, widening.width)
    first = widening.add(reduction(here, CombiningKindFlag.MINUI, index))
    chosen = arith.CmpiOp(lanes, widening.vector(Uniform(first)), "eq")
    widening.hold(op, [Varying(widening.add(chosen))])


def _widen_shuffle(widening: Widening, op: ShuffleOp, active: Active) -> None:
    held, selector = widening.of(op.value), widening.of(op.selector)
    if isinstance(held, Uniform):
        widening.hold(op, [held])
        return
    lanes = widening.vector(held)
    if isinstance(selector, Uniform):
        known = constant_index(selector.scalar)
        if op.mode.data is ShuffleMode.IDX:
            widening.hold(op, [_element(widening, lanes, selector.scalar)])
            return
        if known is not None:
            order = [
                _source(op.mode.data, i, known, widening.width)
                for i in range(widening.width)
            ]
            widening.hold(op, [Varying(widening.add(shuffle(lanes, lanes, order)))])
            return
    places = _places(widening, op.mode.data, widening.vector(selector))
    widening.hold(op, [Varying(_picked(widening, op, lanes, places))])


def _source(mode: ShuffleMode, lane: int, selector: int, width: int) -> int:
    """The lane to read; the own one instead of one that does not exist."""
    match mode:
        case ShuffleMode.IDX:
            source = selector
        case ShuffleMode.XOR:
            source = lane ^ selector
        case ShuffleMode.UP:
            source = lane - selector
        case ShuffleMode.DOWN:
            source = lane + selector
        case ShuffleMode.ROTATE:
            source = (lane + selector) % width
    return source if 0 <= source < width else lane


def _places(widening: Widening, mode: ShuffleMode, selector: SSAValue) -> SSAValue:
    """Which lane each lane reads, made to be one that exists."""
    index = IndexType()
    lane = widening.steps(index, 1)
    last = widening.dense(widening.width - 1, index)
    return source_lane(mode, lane, selector, last, widening.add)


def _picked(
    widening: Widening, op: ShuffleOp, lanes: SSAValue, places: SSAValue
) -> SSAValue:
    """Elements in an order known only at run time: through memory of this thread."""
    element = op.value.type
    if element == i1:
        wide = widening.vector_type(i8)
        lanes = widening.add(arith.ExtUIOp(lanes, wide))  # pyright: ignore[reportArgumentType]
    stored = i8 if element == i1 else element
    array = aligned_alloca(MemRefType(stored, [widening.width]))
    hint(array.memref, op.value.name_hint)
    widening.at_function_head(array)
    widening.append(vector.StoreOp(lanes, array.memref, [widening.zero]))
    gather = GatherOp(
        array.memref,
        [widening.zero],
        places,
        widening.all_on(),
        widening.dense(0, stored),
    )
    why = "which lanes a shuffle takes from is known only at run time"
    remark(gather, "gather", why)
    picked = widening.add(gather)
    if element == i1:
        zero = widening.dense(0, i8)
        picked = widening.add(arith.CmpiOp(picked, zero, "ne"))
    return picked
