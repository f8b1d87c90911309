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
```

Requires: level 4.
Ensures: level 4; the same accesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, scf, vector
from xdsl.dialects.builtin import BoolAttr, ModuleOp, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.memory.polynomials import Atom, Polynomial
from spmd.analysis.memory.sums import Sums, ValueAtom
from spmd.dialects.element_types import memref_layout, memref_type, size_in_bytes
from spmd.dialects.enclosing import is_streamed
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
            sums = Sums()
            for store in _streamed_stores(function):
                if _fills_lines(store, sums):
                    store.nontemporal = BoolAttr.from_bool(True)
                    remark(StreamedStore, store)


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
