"""Sub-group collectives: vector reductions."""

from __future__ import annotations

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AnyFloat
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.utils.hints import isa

from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import BroadcastOp, Kind, ReduceOp
from spmd.dialects.spmd.kinds import neutral_element
from spmd.passes.widening.emitter import reduction
from spmd.passes.widening.lanes import Active, Strided, Uniform
from spmd.passes.widening.state import Widening

_INTEGER_KINDS = {
    Kind.MIN: CombiningKindFlag.MINSI,
    Kind.MAX: CombiningKindFlag.MAXSI,
}
_FLOAT_KINDS = {
    Kind.MIN: CombiningKindFlag.MINIMUMF,
    Kind.MAX: CombiningKindFlag.MAXIMUMF,
}


def combining_kind(kind: Kind, floating: bool) -> CombiningKindFlag:
    """What `vector.reduction` calls a kind."""
    own = _FLOAT_KINDS if floating else _INTEGER_KINDS
    return own.get(kind) or CombiningKindFlag(kind.value)


def widen_reduce(widening: Widening, op: ReduceOp, active: Active) -> None:
    """Lanes that are off contribute the neutral element."""
    emitter = widening.emitter
    type_ = op.value.type
    lanes = emitter.vector(widening.of(op.value))
    if active.mask is not None:
        neutral = neutral_element(op.kind.data, type_)
        nothing = emitter.dense(neutral.value.data, type_)
        on = emitter.vector(active.mask)
        lanes = emitter.insert(arith.SelectOp(on, lanes, nothing))
    kind = combining_kind(op.kind.data, isa(type_, AnyFloat))
    widening.hold(op, [Uniform(emitter.insert(reduction(lanes, kind, type_)))])


def widen_broadcast(widening: Widening, op: BroadcastOp, active: Active) -> None:
    """The element of one lane, which all others get."""
    emitter = widening.emitter
    held = widening.of(op.value)
    source = widening.once(op.source, active)
    match held:
        case Uniform():
            widening.hold(op, [held])
        case Strided(first=first) if constant_index(source) == 0:
            widening.hold(op, [Uniform(first)])
        case _:
            lane = constant_index(source)
            place = source if lane is None else lane
            lanes = emitter.vector(held)
            extract = vector.ExtractOp(lanes, [place], op.value.type)
            widening.hold(op, [Uniform(emitter.insert(extract))])
