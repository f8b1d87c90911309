"""
Gathers and scatters with known steps become loads and stores of whole vectors.

Lanes that access every second to eighth element, or all of them backwards, leave little out
between them, and what one access leaves out, others of the group often take: x, y, z and w of
one item, the two parts of complex numbers. All that lies between the first lane and the last
is loaded at once, and shuffled apart; what a group stores without a gap is shuffled together,
and stored at once.
Nothing is touched that no active lane touches, but gaps inside of what one lane, or two
neighbours, access anyway. As Nuzman, Rosen, Zaks, "Auto-Vectorization of Interleaved Data
for SIMD", PLDI 2006, for steps of any length.

Steps need not be equal: of `x[i ^ 1]`, `x[i // 2]` or `x[i // 8 * 8 + 7 - i % 8]` it is known which
elements lanes access, as sub-groups begin at multiples of their lanes (`analysis/memory/lane_sums.py`).

A group is left alone where gathers cost less, by the number of vector operations.

Requires: level 4.
Ensures: level 4.

```mlir
// before: the real and the imaginary part of 4 numbers
%re = vector.gather %x[%i, %c0] [%steps], %all_on, %zeros : memref<?x2xf32>, ...
%im = vector.gather %x[%i, %c1] [%steps], %all_on, %zeros : memref<?x2xf32>, ...

// after
%x_flat = memref.collapse_shape %x [[0, 1]] : memref<?x2xf32> into memref<?xf32>
%at = arith.muli %i, %c2 : index
%both = vector.load %x_flat[%at] : memref<?xf32>, vector<8xf32>
%re = vector.shuffle %both, %both [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
%im = vector.shuffle %both, %both [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.memory.interleaved import InterleavedGroup, interleaved_groups
from spmd.dialects import compat
from spmd.dialects.building import ConstantPool
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import memref_type, size_in_bytes
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.rewriting import (
    erase_dead_ops,
    has_no_effect,
    hint,
    merge_equal_ops,
)
from spmd.passes.memory.accesses.interleaving import Interleaving
from spmd.passes.memory.accesses.memory_order import MemoryOrder
from spmd.passes.memory.accesses.transposition import transposed
from spmd.passes.memory.accesses.whole_vectors import (
    WholeVectors,
    is_all_on,
    lanes_of,
    why_not_whole,
)
from spmd.passes.targets import DEFAULT_TARGET, Target, target_named


@dataclass(frozen=True)
class CombineStridedAccessesPass(ModulePass):
    """Whole vectors instead of gathers with a step; see the module docstring."""

    name = "combine-strided-accesses"

    target: str | int = DEFAULT_TARGET
    """A name of `passes/targets.py`, or the bits of a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_named(self.target)
        compat.ensure("arith", "vector")
        for function in op.ops:
            if not isinstance(function, func.FuncOp) or not function.body.blocks:
                continue
            blocks = dict[Block, None]()
            for inner in function.walk():
                if isinstance(inner, GatherOp | ScatterOp) and inner.parent is not None:
                    blocks[inner.parent] = None
            constants = ConstantPool(function.body.blocks[0])
            combined = 0
            for block in blocks:
                combined += _combine(block, constants, target)
            if combined:
                erase_dead_ops(function.body)


def _combine(block: Block, constants: ConstantPool, target: Target) -> int:
    """How many groups of `block` became whole vectors."""
    merge_equal_ops(block)  # Python computes `2 * i` wherever it is written.
    groups = [g for g in interleaved_groups(block) if why_not_whole(g) is None]
    loads = [_Loads(each, constants) for each in groups if each.is_load]
    stores = [each for each in groups if not each.is_load]
    if stores:
        merge_equal_ops(block)  # There may be more now that loads are.
        numbers = {op: number for number, op in enumerate(block.ops)}
        for each in stores:
            _store(each, numbers, constants, target)
    for each in loads:
        each.finish(target)
    return len(groups)


def _interleaving(group: InterleavedGroup, target: Target) -> Interleaving | None:
    """`group` as rows of four or eight elements, if no instruction loads every so many."""
    _, first = group.members[0]
    step, element = group.stretch.step, memref_type(first.base).element_type
    if (
        step not in (4, 8)
        or element == i1
        or target.loads_every_nth
        or not is_all_on(first.mask)
    ):
        return None
    rows = Interleaving(lanes_of(first), step, size_in_bytes(element), target)
    return rows if rows.rows > 1 else None


class _Loads:
    """All elements of a group, loaded where its first load stands, and shuffled apart."""

    def __init__(self, group: InterleavedGroup, constants: ConstantPool):
        self._group = group
        self._whole = whole = WholeVectors(group, constants, group.members[0][1])
        self._loaded = whole.load()
        self._picks: dict[int, SSAValue] = {}
        """What members load, by the place of what the first lane has."""
        for constant, op in group.members:
            assert isinstance(op, GatherOp)
            places = group.places(constant)
            if places[0] not in self._picks:
                pick = whole.shuffled(self._loaded, self._loaded, places)
                self._picks[places[0]] = pick
            picked = self._picks[places[0]]
            if not is_all_on(op.mask) and len({*places}) < whole.lanes:
                # Active lanes have loaded what others share with them.
                picked = whole.add(arith.SelectOp(op.mask, picked, op.pass_thru))
            op.result.replace_all_uses_with(hint(picked, op.result))

    def finish(self, target: Target) -> None:
        """Take rows apart as machines do best, as far as anyone needs what is in them."""
        picks = {
            place: pick
            for place, pick in self._picks.items()
            if pick.first_use is not None
        }
        rows = _interleaving(self._group, target)
        if picks and rows is not None:
            self._replace(picks, rows)
        self._whole.finish()
        for pick in self._picks.values():
            _erase_unused(pick)

    def _replace(self, picks: Mapping[int, SSAValue], rows: Interleaving) -> None:
        whole = self._whole
        if rows.loads_rows(len(picks)):
            size = rows.unit * rows.step
            starts = range(0, rows.rows * size, size)
            parts = [whole.load_part(start, size) for start in starts]
            column = rows.columns_of_rows(whole, parts).__getitem__
        elif rows.unit > 1:
            column = rows.columns_of_whole(whole, self._loaded)
        else:
            return
        for place, pick in picks.items():
            found = column(place)
            found.name_hint = pick.name_hint
            pick.replace_all_uses_with(found)


def _erase_unused(value: SSAValue) -> None:
    """Erase what loads `value`, or shuffles what is loaded, if nobody needs it."""
    op = value.owner
    if not isinstance(op, Operation) or value.first_use is not None:
        return
    if isinstance(op, arith.ConstantOp):
        return  # It is in the pool.
    access = MemoryAccess.of(op)
    if not has_no_effect(op) and (access is None or access.writes(op)):
        return
    operands = dict.fromkeys(op.operands)
    Rewriter.erase_op(op)
    for each in operands:
        _erase_unused(each)


def _store(
    group: InterleavedGroup,
    numbers: Mapping[Operation, int],
    constants: ConstantPool,
    target: Target,
) -> None:
    """Store all elements of the group where its last store stands."""
    whole = WholeVectors(group, constants, group.members[-1][1])
    members = sorted(group.members, key=lambda member: member[0])
    columns: list[SSAValue] = []
    for _, op in members:
        assert isinstance(op, ScatterOp)
        columns.append(op.value_to_store)
    memory_order = None
    if group.stretch.step == len(columns) > 1 and is_all_on(members[0][1].mask):
        stores = [op for _, op in members]
        memory_order = MemoryOrder(columns, stores, numbers, constants)
    if memory_order is not None and memory_order.is_better:
        for number, chunk in enumerate(memory_order.make(whole)):
            whole.store(chunk, number * whole.lanes)
        whole.finish()
        memory_order.erase_dropped()
        return
    for first, part in _stored(group, columns, whole, target):
        whole.store(part, first)
    whole.finish()


def _stored(
    group: InterleavedGroup,
    columns: list[SSAValue],
    whole: WholeVectors,
    target: Target,
) -> Iterator[tuple[int, SSAValue]]:
    """What is stored, and from which element on."""
    rows = _interleaving(group, target)
    if rows is not None and rows.stores_rows():
        for number, row in enumerate(transposed(whole, columns)):
            yield number * len(columns), row
        return
    order = [0] * group.size
    for number, (constant, _) in enumerate(sorted(group.members, key=lambda m: m[0])):
        for lane, place in enumerate(group.places(constant)):
            order[place] = number * whole.lanes + lane
    yield 0, whole.interleaved(columns, order)
