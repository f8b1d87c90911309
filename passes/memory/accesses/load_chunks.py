"""
Loads of vectors that overlap become loads of vectors that do not, and shuffles.

The points of a stencil in one row are vectors that begin one element after the other, and
rows of lanes below each other load the same. All that several such loads access is a strip of
memory; it is loaded once, in chunks, and each vector is put together from two of them. Where
registers are as long as cache lines, as with AVX-512, nearly every load that is not a chunk takes
two lines, and a shuffle costs less; where they are shorter, nothing is changed. Only elements
that some of the loads access are loaded.

These are the access groups and chunks of S. Moll, *Vectorization System for Unstructured Codes
with a Data-parallel Compiler IR*, 2021, sections 11.4 and 11.6.

Requires: level 4.
Ensures: level 4.

```mlir
// before: a point and its neighbours in x
%w = vector.load %a[%i] : memref<?xf64>, vector<8xf64>
%c = vector.load %a[%i1] : memref<?xf64>, vector<8xf64>
%e = vector.load %a[%i2] : memref<?xf64>, vector<8xf64>

// after
%w = vector.load %a[%i] : memref<?xf64>, vector<8xf64>
%at = arith.addi %i, %c8 : index
%w_1 = vector.load %a[%at] : memref<?xf64>, vector<2xf64>
%w_rest = vector.shuffle %w_1, %w_1 [0, 1, 0, 0, 0, 0, 0, 0] : vector<2xf64>, vector<2xf64>
%c = vector.shuffle %w, %w_rest [1, 2, 3, 4, 5, 6, 7, 8] : vector<8xf64>, vector<8xf64>
%e = vector.shuffle %w, %w_rest [2, 3, 4, 5, 6, 7, 8, 9] : vector<8xf64>, vector<8xf64>
```
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    ModuleOp,
)
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.memory.accesses import accesses_of, may_overlap
from spmd.analysis.memory.sums import Sums
from spmd.dialects.building import Builder, ConstantPool, shuffle
from spmd.dialects.element_types import memref_type, vector_type
from spmd.dialects.remarks import CombinedAccesses, remark
from spmd.passes.targets import (
    CACHE_LINE_BITS,
    DEFAULT_TARGET,
    Target,
    target_named,
)

FEWEST = 3
"""Different vectors of a strip, from which on chunks are fewer loads."""

_Load: TypeAlias = tuple[int, vector.LoadOp]
"""Where the vector begins, from the others of a strip, and the op."""


def chunks_pay(lanes: int, bits: int, register_bits: int) -> bool:
    """Whether vectors of so many `lanes` that overlap are better loaded in chunks."""
    if register_bits < CACHE_LINE_BITS:  # Most vectors lie in one cache line.
        return False
    if bits < 32:  # Shuffles of small elements cost more than loads.
        return False
    return lanes * bits % CACHE_LINE_BITS == 0  # It fills registers.


def _may_be_chunks(op: vector.LoadOp, target: Target) -> bool:
    lanes, *others = op.result.type.get_shape()
    element = memref_type(op.base).element_type
    if others or not isinstance(element, FixedBitwidthType):
        return False
    return chunks_pay(lanes, element.bitwidth, target.register_bits)


@dataclass(frozen=True)
class LoadChunksPass(ModulePass):
    """Chunks instead of vectors that overlap; see the module docstring."""

    name = "load-chunks"

    target: str | int = DEFAULT_TARGET
    """A name of `passes/targets.py`, or the bits of a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_named(self.target)
        for function in op.ops:
            if not isinstance(function, func.FuncOp) or not function.body.blocks:
                continue
            found = Counter(
                each.parent
                for each in function.walk()
                if isinstance(each, vector.LoadOp)
            )
            constants = ConstantPool(function.body.blocks[0])
            for block, loads in found.items():
                if block is not None and loads >= FEWEST:
                    for strip in _strips(block, target):
                        _load_strip(strip, constants)


def _strips(block: Block, target: Target) -> Iterator[list[_Load]]:
    """Loads of `block` that overlap, with nothing written in between, as they stand in it."""
    sums = Sums()
    waiting: dict[tuple[SSAValue, object], list[_Load]] = {}
    found: list[list[_Load]] = []
    for op in block.ops:
        if isinstance(op, vector.LoadOp):
            if _may_be_chunks(op, target):
                *outer, last = map(sums.of, op.indices)
                rest = last - last.offset
                place = tuple(frozenset(each.terms.items()) for each in (*outer, rest))
                key = op.base, (op.result.type, place)
                waiting.setdefault(key, []).append((last.offset, op))
            continue
        touched = accesses_of(op)
        for key in [*waiting]:
            if touched.unknown or any(may_overlap(m, key[0]) for m in touched.writes):
                found.append(waiting.pop(key))
    for loads in (*found, *waiting.values()):
        yield from _parts(loads)


def _parts(loads: Sequence[_Load]) -> Iterator[list[_Load]]:
    """Those that overlap, or follow each other; of several vectors each."""
    rest: list[_Load] = [*loads]
    while rest:
        first = min(offset for offset, _ in rest)
        end = first + _lanes(rest[0][1])
        part = [load for load in rest if load[0] <= end]
        if len({offset for offset, _ in part}) >= FEWEST:
            yield part
        rest = [load for load in rest if load[0] > end]


def _load_strip(loads: Sequence[_Load], constants: ConstantPool) -> None:
    """Load what `loads` access in two chunks, and take their vectors from these."""
    offset, op = loads[0]
    lanes = _lanes(op)
    first = min(each for each, _ in loads)
    span = max(each for each, _ in loads) - first
    at = Builder.before(op)

    def load(place: int, length: int) -> vector.LoadOp:
        *outer, index = op.indices
        if place != offset:
            index = at.add(arith.AddiOp(index, constants.index(place - offset)), "at")
        part = vector_type(op.result.type.get_element_type(), length)
        chunk = vector.LoadOp(op.base, [*outer, index], part)
        at.add(chunk, op.result)
        return chunk

    head = load(first, lanes)
    # The elements after it, in as few as make a vector.
    length = 1 << (span - 1).bit_length()
    tail = load(first + lanes + span - length, length)
    after = [min(length - span + lane, length - 1) for lane in range(lanes)]
    rest = at.add(shuffle(tail.result, tail.result, after), "rest")
    made: dict[int, SSAValue] = {first: head.result}
    for offset, op in loads:
        if offset not in made:
            begin = offset - first
            part = shuffle(head.result, rest, range(begin, begin + lanes))
            made[offset] = Builder.before(op).add(part, op.result)
        remark(CombinedAccesses, op, (head, tail))
        op.result.replace_all_uses_with(made[offset])
        Rewriter.erase_op(op)


def _lanes(op: vector.LoadOp) -> int:
    (lanes,) = op.result.type.get_shape()
    return lanes
