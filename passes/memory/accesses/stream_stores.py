"""
Stores to arrays that no cache can hold go around the caches.

A store to a line that is in no cache loads it first, and what was stored leaves the caches
again before anybody reads it. With `nontemporal` a line that is stored whole goes to memory as
it is: a third of the traffic of a copy is saved (J. D. McCalpin, STREAM; Intel, Optimization
Reference Manual, 2023, section 9.4.1). A line that is stored in part costs more that way than it
saves, so only vectors are streamed that follow one another without a gap, or are several
lines long, and that no loop stores again to the same place.

```mlir
// before
func.func @k(%x: memref<?xf32>, %y: memref<?xf32> {spmd.streamed}, ...) {
  scf.for %i = %first to %end step %c32 {
    %v = vector.load %x[%i] : memref<?xf32>, vector<32xf32>
    vector.store %v, %y[%i] : memref<?xf32>, vector<32xf32>
  }

// after
    vector.store %v, %y[%i] {nontemporal = true} : memref<?xf32>, vector<32xf32>

// after, if %y is marked {spmd.streamed = 16 : i64}, %first is a multiple of 16, and %i2 is %i + 12
    %v0 = vector.shuffle %v, %v [0, 1, 2, 3] : vector<32xf32>, vector<32xf32>
    vector.store %v0, %y[%i] {nontemporal = true, alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
    ...  // 8 more, to the end of the line that %y begins in
    %v2 = vector.shuffle %v, %v [12, 13, ..., 27] : vector<32xf32>, vector<32xf32>
    vector.store %v2, %y[%i2] {nontemporal = true, alignment = 64 : i64} : memref<?xf32>, vector<16xf32>
    ...  // the last 4
```

Where it is known how an array lies in its lines, each store is as long as CPUs can align it: they
have stores around the caches of one number, or of a whole register that is aligned. Of NumPy's
large arrays each begins 16 bytes after a line.

Requires: level 4.
Ensures: level 4; the same accesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, scf, vector
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, ModuleOp, VectorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.memory.polynomials import Atom, Polynomial
from spmd.analysis.memory.sums import Sums, ValueAtom
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool, shuffle
from spmd.dialects.element_types import memref_layout, memref_type, size_in_bytes
from spmd.dialects.enclosing import is_streamed, line_offset
from spmd.dialects.limits import CACHE_LINE
from spmd.dialects.remarks import StreamedStore, remark

FEWEST_LINES = 4
"""A vector of so many is streamed wherever it lies; those at its ends may be stored in part."""


@dataclass(frozen=True)
class StreamStoresPass(ModulePass):
    """Stores around the caches; see the module docstring."""

    name = "stream-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            sums, ranges = Sums(), IntegerRanges()
            constants = ConstantPool(function.body.blocks[0])
            for store in _streamed_stores(function):
                if _fills_lines(store, sums):
                    store.nontemporal = BoolAttr.from_bool(True)
                    remark(StreamedStore, store)
                    place = _place_in_line(store, sums, ranges)
                    if place is not None:
                        _store_in_parts(store, place, constants)


def _streamed_stores(function: func.FuncOp) -> list[vector.StoreOp]:
    """The stores of vectors to arguments that are marked."""
    return [
        use.operation
        for argument in function.args
        if is_streamed(argument)
        for use in argument.uses
        if isinstance(use.operation, vector.StoreOp)
    ]


def _fills_lines(store: vector.StoreOp, sums: Sums) -> bool:
    """Whether `store` fills most of its lines, each one once and without much in between."""
    loops = _loops_around(store)
    if loops is None:
        return False
    for loop in loops:
        if all(_distance(loop, index, sums) == 0 for index in store.indices):
            return False
    array = memref_type(store.base)
    shape = cast("VectorType[Attribute]", store.vector.type).get_shape()
    layout = memref_layout(array)
    if layout is None or layout.strides[-1] != 1 or len(shape) != 1:
        return False
    (lanes,) = shape
    if lanes * size_in_bytes(array.element_type) >= FEWEST_LINES * CACHE_LINE:
        return True
    return bool(loops) and _distance(loops[0], store.indices[-1], sums) == lanes


def _loops_around(op: Operation) -> list[scf.ForOp] | None:
    """The loops around `op`, from the inside out; `None` if one of them does not count."""
    loops: list[scf.ForOp] = []
    around = op.parent_op()
    while around is not None and not isinstance(around, func.FuncOp):
        if isinstance(around, scf.WhileOp):
            return None
        if isinstance(around, scf.ForOp):
            loops.append(around)
        around = around.parent_op()
    return loops


def _distance(loop: scf.ForOp, index: SSAValue, sums: Sums) -> int | None:
    """How far `index` is from that of the next iteration of `loop`, if it is known to be so."""
    counter = loop.body.block.args[0]

    def following(atom: Atom) -> Polynomial | None:
        if isinstance(atom, ValueAtom) and atom.value is counter:
            return Polynomial.of(atom) + sums.of(loop.step)
        return None

    at = sums.of(index)
    return (at.replaced(following) - at).constant


def _place_in_line(
    store: vector.StoreOp, sums: Sums, ranges: IntegerRanges
) -> int | None:
    """How many bytes after the start of a cache line `store` begins, if that is known."""
    begin = line_offset(store.base)
    if begin is None:
        return None
    size = size_in_bytes(memref_type(store.base).element_type)
    at = sums.of(store.indices[-1])
    for atoms, factor in at.terms.items():
        if not atoms:
            continue
        divisors = [
            ranges.of(atom.value).divisor if isinstance(atom, ValueAtom) else 1
            for atom in atoms
        ]
        if prod(divisors) * factor * size % CACHE_LINE:
            return None
    return (begin + at.offset * size) % CACHE_LINE


def _store_in_parts(store: vector.StoreOp, place: int, constants: ConstantPool) -> None:
    """Stores part by part, each of which lies in one line and is aligned."""
    at, value, base = Builder.before(store), store.vector, store.base
    *rows, index = store.indices
    type_ = cast("VectorType[Attribute]", value.type)
    size, lanes = size_in_bytes(type_.element_type), type_.get_shape()[0]
    first = 0
    while first < lanes:
        part = _longest_part(place + first * size, (lanes - first) * size)
        count = max(1, part // size)
        here = index
        if first:
            here = at.add(arith.AddiOp(index, constants.index(first)), index)
        places = range(first, first + count)
        piece = value
        if count < lanes:
            piece = at.add(shuffle(value, value, places), value)
        new = vector.StoreOp(piece, base, [*rows, here], store.nontemporal)
        new.attributes["alignment"] = IntegerAttr(part, i64)
        at.append(new)
        first += count
    Rewriter.erase_op(store)


def _longest_part(place: int, size: int) -> int:
    """The bytes of the longest aligned part of a line that begins there; `size` are left."""
    place %= CACHE_LINE
    aligned = place & -place or CACHE_LINE
    return min(aligned, 1 << size.bit_length() - 1)
