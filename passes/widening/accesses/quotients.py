"""
Loads of elements that neighbouring lanes share, as `x[i // 2]`.

Lanes divide what grows by a fixed step, smaller than the divisor: each has the element of the lane
before, or the next one. With `n` the number that the first lane divides by `d`, and `step` that
from lane to lane, lane `i` has the element `(n % d + step * i) // d` after that of the first.
So what is loaded is a vector of those that are there for any `n`, and the element of the
last lane, which may be one more. The lanes take theirs from registers.

```mlir
// before: 8 lanes, and %first is the %i of lane 0
%half = arith.divui %i, %c2 : index
%v = memref.load %x[%half] : memref<?xf32>

// after
%start = arith.divui %first, %c2 : index
%odd = arith.andi %first, %c1 : index
%most = vector.load %x[%start] : memref<?xf32>, vector<4xf32>
%last = memref.load %x[%start + (%odd + 7) / 2] : memref<?xf32>
%v = // element (%odd + lane) / 2 of %most, %last
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import IndexType, i32
from xdsl.ir import SSAValue

from spmd.analysis.memory.quotients import Quotient, quotient_in
from spmd.dialects.building import Rematerializer, joined, permuted, shuffle
from spmd.dialects.element_types import size_in_bytes, vector_type
from spmd.passes.widening.accesses.addresses import has_unit_stride, remark
from spmd.passes.widening.lanes import Active, Strided, Uniform, Varying
from spmd.passes.widening.state import Widening

PART_BYTES = 32
"""Of the lanes that take their elements from one register."""


def load_shared(widening: Widening, op: memref.LoadOp, active: Active) -> bool:
    """Load what `op` does as a vector that several lanes share, if that is what they do."""
    found = _shared_index(widening, op, active)
    if found is None:
        return False
    element = op.res.type
    lanes = min(widening.width, PART_BYTES // size_in_bytes(element))
    load = _Load(widening, op, found, lanes)
    parts = [load.part(first) for first in range(0, widening.width, lanes)]
    widening.hold(op, [Varying(joined(widening, parts))])
    return True


def _shared_index(
    widening: Widening, op: memref.LoadOp, active: Active
) -> tuple[Quotient, Strided] | None:
    """What the last index of `op` is a quotient of, if lanes share nothing but elements."""
    one_row = widening.row is not None or widening.rows == 1
    if not (active.all and one_row and has_unit_stride(op.memref)):
        return None
    if op.memref in widening.private or widening.differs(op.memref):
        return None
    *outer, last = op.indices

    def is_uniform(value: SSAValue) -> bool:
        return isinstance(widening.of(value), Uniform)

    if not all(map(is_uniform, outer)):
        return None
    found = quotient_in(last, is_uniform, widening.ranges)
    if found is None or widening.shape(found.number).wraps:
        return None
    match widening.of(found.number):
        case Strided(stride=step) as held if 0 < step < found.divisor:
            return found, held
        case _:
            return None


class _Load:
    """Loads the elements of `lanes` lanes at a time."""

    def __init__(
        self,
        widening: Widening,
        op: memref.LoadOp,
        shared: tuple[Quotient, Strided],
        lanes: int,
    ):
        self._widening = widening
        self._op = op
        self._lanes = lanes
        quotient, number = shared
        self._divisor, self._step = quotient.divisor, number.stride
        array = widening.array(op.memref)

        def known(value: SSAValue) -> SSAValue | None:
            match widening.of(value):
                case Uniform(scalar=scalar) | Strided(first=scalar):
                    return scalar
                case _:
                    return None

        again = Rematerializer(widening, known)
        *outer, self._start = map(again.get, op.indices)
        self._place = array, outer
        found = again.get(quotient.value)
        divisor = widening.constants.number(quotient.divisor, found.type)
        whole = widening.add(arith.MuliOp(found, divisor))
        rest = widening.add(arith.SubiOp(number.first, whole), "rest")
        if rest.type != IndexType():
            rest = widening.add(arith.IndexCastOp(rest, IndexType()), "rest")
        self._rest = rest
        self._places: dict[SSAValue, SSAValue] = {}

    def part(self, lane: int) -> SSAValue:
        """What the lanes from `lane` on load."""
        widening, index = self._widening, self._widening.constants.index
        ahead, rest = divmod(self._step * lane, self._divisor)
        start = self._start
        if ahead:
            start = widening.add(arith.AddiOp(start, index(ahead)), start)
        left = self._rest
        if rest:
            beyond = widening.add(arith.AddiOp(left, index(rest)), left)
            more, left = self._divided(beyond)
            start = widening.add(arith.AddiOp(start, more), start)
        span = self._step * (self._lanes - 1)
        sure = span // self._divisor + 1
        farthest = widening.add(arith.AddiOp(left, index(span)), "farthest")
        most, _ = self._divided(farthest)
        last = widening.add(arith.AddiOp(start, most), "last")
        array, outer = self._place
        type_ = vector_type(self._op.res.type, sure)
        row = vector.LoadOp(array, [*outer, start], type_)
        why = f"lanes share elements, as an index is divided by {self._divisor}"
        remark(row, "row", why)
        first = widening.add(row, self._op.res)
        one = widening.add(memref.LoadOp.get(array, [*outer, last]), self._op.res)
        ends = widening.add(vector.BroadcastOp(one, type_), one)
        order = [min(k, sure) for k in range(self._lanes)]
        elements = widening.add(shuffle(first, ends, order), self._op.res)
        places = self._places_after(left)
        return permuted(widening, widening.constants, elements, places)

    def _places_after(self, rest: SSAValue) -> SSAValue:
        """Which element each lane of a part takes, counted from its first one."""
        if (found := self._places.get(rest)) is None:
            w, lanes = self._widening, self._lanes
            ahead = w.constants.numbers(_steps(self._step, lanes), i32, "steps")
            narrow = w.add(arith.IndexCastOp(rest, i32), rest)
            spread = w.add(vector.BroadcastOp(narrow, vector_type(i32, lanes)), rest)
            numbers = w.add(arith.AddiOp(spread, ahead), "numbers")
            by = w.constants.dense(self._divisor, i32, lanes)
            found = self._places[rest] = w.add(arith.DivUIOp(numbers, by), "places")
        return found

    def _divided(self, number: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The quotient and the rest of a number that is not negative."""
        by = self._widening.constants.index(self._divisor)
        quotient = self._widening.add(arith.DivUIOp(number, by), "quotient")
        return quotient, self._widening.add(arith.RemUIOp(number, by), "rest")


def _steps(step: int, lanes: int) -> Sequence[int]:
    return range(0, step * lanes, step)
