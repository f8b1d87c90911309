"""
Scans of a work-group several elements at a time.

Each element waits for the one before it where a scan is a loop: four cycles for a sum of floats.
In a vector it takes a few shuffles, and only the total is carried from one vector to the next.

```mlir
// before
%sum = scf.for %i = %c0 to %c256 step %c1 iter_args(%total = %zero) -> (f32) {
  %v = memref.load %context[%i] : memref<256xf32>
  %next = arith.addf %total, %v fastmath<reassoc> : f32
  memref.store %next, %context[%i] : memref<256xf32>
  scf.yield %next : f32
}
// after, for registers of 128 bits
%sum = scf.for %i = %c0 to %c256 step %c4 iter_args(%total = %zero) -> (f32) {
  %v = vector.load %context[%i] : memref<256xf32>, vector<4xf32>
  %a = vector.shuffle %v, %zeros [4, 0, 1, 2] : vector<4xf32>, vector<4xf32>
  %b = arith.addf %a, %v : vector<4xf32>
  %c = vector.shuffle %b, %zeros [4, 4, 0, 1] : vector<4xf32>, vector<4xf32>
  %d = arith.addf %c, %b : vector<4xf32>
  %before = vector.broadcast %total : f32 to vector<4xf32>
  %next = arith.addf %before, %d : vector<4xf32>
  vector.store %next, %context[%i] : memref<256xf32>, vector<4xf32>
  %last = vector.extract %d[3] : f32 from vector<4xf32>
  %next_total = arith.addf %total, %last : f32
  scf.yield %next_total : f32
}
```

*Legality.* A loop that does nothing but combine an element with a total and store the result, of
one array into itself or into another one, both contiguous, by an operation that may be
regrouped: integers, the largest and smallest, and floats with `reassoc`, as those of scans have.

*What it costs.* Two operations on a register for each doubling, and four more, beside the time
that the elements wait for each other one by one.

Source: G. E. Blelloch, *Prefix sums and their applications*, 1990, section 1.2 (scan vectors,
and the totals before them).

Requires: level 1 or 4.
Ensures: the same level, but for vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import IndexType, ModuleOp, NoneAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from spmd.analysis.memory.accesses import may_overlap
from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import memref_type, size_in_bytes, vector_type
from spmd.dialects.enclosing import is_outside
from spmd.dialects.interfaces.computation import fast_math_flags
from spmd.dialects.interfaces.cost import CostClass
from spmd.dialects.rewriting import constant_index, hint, replace, trip_count
from spmd.dialects.spmd.types import (
    Kind,
    combine,
    is_float,
    kind_of,
    neutral_element,
)
from spmd.dialects.work_groups import is_work_item_loop, work_group_functions
from spmd.passes.collectives.lane_scans import moved_up, scan_lanes
from spmd.passes.targets import (
    DEFAULT_TARGET,
    FLOAT_LATENCY,
    LANES,
    LATENCY,
    target_named,
)


@dataclass(frozen=True)
class VectorizeScansPass(ModulePass):
    """Scans of vectors and their totals; see the module docstring."""

    name = "vectorize-scans"

    target: str | int = DEFAULT_TARGET
    """How long a register is: a name of `passes/targets.py`, or its bits."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bits = target_named(self.target).register_bits
        for function in work_group_functions(op):
            constants = ConstantPool(function.body.blocks[0])
            for loop in tuple(function.walk()):
                scan = _scan_of(loop)
                if scan is not None and (lanes := scan.lanes(bits)) is not None:
                    _vectorize(scan, lanes, constants)


@dataclass(frozen=True)
class _Scan:
    """A loop that combines elements one by one, and what it is made of."""

    loop: scf.ForOp
    load: memref.LoadOp
    combination: Operation
    store: memref.StoreOp
    kind: Kind

    @property
    def is_exclusive(self) -> bool:
        """Whether an element gets what those before it are together."""
        return self.store.value is not self.combination.results[0]

    def lanes(self, register_bits: int) -> int | None:
        """How many elements a register has, if it pays to scan so many at a time."""
        element = self.load.res.type
        bits = bit_width(element) or size_in_bytes(element) * 8
        lanes = register_bits // bits
        latency = FLOAT_LATENCY if is_float(element) else LATENCY[CostClass.SIMPLE]
        operations = 2 * (lanes.bit_length() - 1) + 4
        if bits < 8 or (trip_count(self.loop) or lanes) < lanes:
            return None
        return lanes if operations * LANES[CostClass.SIMPLE] < latency * lanes else None


def _scan_of(loop: Operation) -> _Scan | None:
    """The scan that `loop` is, if it is one whose elements may be regrouped."""
    if not isinstance(loop, scf.ForOp) or is_work_item_loop(loop) or len(loop.res) != 1:
        return None
    if constant_index(loop.lb) != 0 or constant_index(loop.step) != 1:
        return None
    match tuple(loop.body.block.ops):
        case (memref.LoadOp() as load, combination, memref.StoreOp() as store, end):
            pass
        case _:
            return None
    counter, total = loop.body.block.args
    indices = tuple(load.indices)
    kind = kind_of(combination)
    if (
        kind is None
        or not _is_regroupable(combination, kind)
        or tuple(combination.operands) != (total, load.res)
        or tuple(end.operands) != tuple(combination.results)
        or store.value not in (total, combination.results[0])
        or indices[-1:] != (counter,)
        or tuple(store.indices) != indices
        or not all(is_outside(index, loop) for index in indices[:-1])
    ):
        return None
    memories = load.memref, store.memref
    if memories[0] is not memories[1] and may_overlap(*memories):
        return None
    if any(memref_type(memory).layout != NoneAttr() for memory in memories):
        return None
    return _Scan(loop, load, combination, store, kind)


def _is_regroupable(combination: Operation, kind: Kind) -> bool:
    """Whether it does not matter which of several values are combined first."""
    is_rounded = is_float(combination.results[0].type) and kind in (Kind.ADD, Kind.MUL)
    return not is_rounded or FastMathFlag.REASSOC in fast_math_flags(combination)


def _vectorize(scan: _Scan, lanes: int, constants: ConstantPool) -> None:
    """Scan `lanes` elements at a time, and what is left in a loop as before."""
    loop, element = scan.loop, scan.load.res.type
    at = Builder.before(loop)
    count = trip_count(loop)
    if count is None:
        whole = at.add(arith.AndIOp(loop.ub, constants.index(-lanes)), "whole")
    else:
        whole = constants.index(count - count % lanes)
    body = Block(arg_types=(IndexType(), element))
    counter, total = body.args
    for argument, old in zip(body.args, loop.body.block.args, strict=True):
        hint(argument, old)
    vectors = scf.ForOp(loop.lb, whole, constants.index(lanes), loop.iter_args, body)
    at.append(vectors)
    with at.into(body):
        indices = (*scan.load.indices[:-1], counter)
        type_ = vector_type(element, lanes)
        load = vector.LoadOp(scan.load.memref, indices, type_)
        values = at.add(load, scan.load.res)
        number = neutral_element(scan.kind, element).value.data
        nothing = constants.dense(number, element, lanes)
        scanned = scan_lanes(at.add, constants, scan.kind, values, nothing, False)
        spread = at.add(vector.BroadcastOp(total, type_), "before")
        results = at.add(
            combine(scan.kind, spread, scanned), scan.combination.results[0]
        )
        if scan.is_exclusive:
            results = moved_up(at.add, results, spread, 1)
        at.append(vector.StoreOp(results, scan.store.memref, indices))
        last = at.add(vector.ExtractOp(scanned, [lanes - 1], element), "last")
        at.append(scf.YieldOp(at.add(combine(scan.kind, total, last))))
    if count is not None and count % lanes == 0:
        replace(loop, (), vectors.res)
    else:
        loop.operands[0] = whole
        loop.operands[3] = hint(vectors.res[0], total)
