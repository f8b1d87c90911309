"""
Gathers and scatters of lanes that may turn out to be neighbours.

A butterfly of a Fourier transform or of a bitonic sort takes the id of a work-item apart by
shifts and masks that only the launch knows. Its lanes then access neighbours, if not all
then in rows, in all but the first few launches, which nothing proves. One comparison of
the lanes with their neighbours costs less than a gather: it is asked whether lanes form
rows as long as a register, or a cache line if that is shorter, and those are accessed as
vectors. In the first launches rows are shorter, and every other one is left out: what is between
is loaded as well, and masked where it is not stored, too.

```mlir
// before, where %at = arith.xori %ids, %bits : vector<32xindex> and %bits is a broadcast
%v = vector.gather %x[%c0] [%at], %all_on, %zeros : memref<?xf32>, ...

// after
%starts = vector.shuffle %at, %at [0, 0, ..., 16, 16, ...] : ...
%row = arith.addi %starts, dense<[0, 1, ..., 15, 0, 1, ...]> : vector<32xindex>
%neighbours = arith.cmpi eq, %at, %row : vector<32xindex>
%rows = vector.reduction <and>, %neighbours : vector<32xi1> into i1
%v = scf.if %rows -> (vector<32xf32>) {
  %start = vector.extract %at[0] : index from vector<32xindex>
  %v0 = vector.load %x[%start] : memref<?xf32>, vector<16xf32>
  %start_1 = vector.extract %at[16] : index from vector<32xindex>
  %v1 = vector.load %x[%start_1] : memref<?xf32>, vector<16xf32>
  %v = vector.shuffle %v0, %v1 [0, 1, ..., 31] : vector<16xf32>, vector<16xf32>
  scf.yield %v : vector<32xf32>
} else {
  %v = vector.gather %x[%c0] [%at], %all_on, %zeros : memref<?xf32>, ...
  scf.yield %v : vector<32xf32>
}
```

Only an index that is integer arithmetic of the number of the lane and of what all lanes
share is asked, and only if digits are taken from it (a shift, a mask, a division): what
comes from memory has no rows, and what grows by a fixed step was seen before. Accesses
whose indices differ by what lanes share have one answer.

Requires: level 4.
Ensures: level 4; the same accesses, but of rows where there are some.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    IndexType,
    ModuleOp,
    StringAttr,
    VectorType,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.memory.rows import may_be_rows, without_shared_part
from spmd.dialects.building import (
    Builder,
    ConstantPool,
    joined,
    reduction,
    run_beside,
    shuffle,
)
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import memref_type, size_in_bytes, vector_type
from spmd.dialects.enclosing import parent_block
from spmd.dialects.limits import CACHE_LINE
from spmd.dialects.rewriting import has_no_effect, hint, splat_number
from spmd.dialects.work_groups import NEAR_EDGE
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS, WHY
from spmd.passes.memory.accesses.every_other_row import EveryOtherRow
from spmd.passes.memory.accesses.flattening import element_type, line_of, start_of
from spmd.passes.targets import DEFAULT_TARGET, Target, target_named

AnyVector: TypeAlias = VectorType[Attribute]

MASKED_BYTES = 4
"""Of elements that every machine loads and stores under masks."""

SHORTEST_ROW = 4
"""Elements of a row that are worth asking for."""

Asked: TypeAlias = tuple[Block, SSAValue, SSAValue, int]
"""A block, what the lanes' indices in it differ by, which are active, and how long rows are."""

Access: TypeAlias = GatherOp | ScatterOp


@dataclass(frozen=True)
class VersionGathersPass(ModulePass):
    """Rows of neighbours, if lanes form them; see the module docstring."""

    name = "version-gathers"

    target: str | int = DEFAULT_TARGET
    """A name of `passes/targets.py`, or the bits of a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_named(self.target)
        for function in op.ops:
            if not isinstance(function, FuncOp):
                continue
            found = [
                op for op in function.walk() if isinstance(op, GatherOp | ScatterOp)
            ]
            if found:
                rows = _Rows(function, target, found)
                done: set[Operation] = set()
                for each in found:
                    if each in done:
                        continue
                    if isinstance(each, ScatterOp):
                        rows.join(each)
                    together = rows.together(each)
                    rows.version(together)
                    done.update(together)


class _Question(NamedTuple):
    """What is asked of the lanes of some accesses."""

    rows: SSAValue
    every_other: EveryOtherRow | None
    length: int
    """Of rows."""


class _Rows:
    """What is asked of the indices of one function."""

    def __init__(self, function: FuncOp, target: Target, found: Sequence[Access]):
        self._constants = ConstantPool(function.body.block)
        self._target = target
        self._worthwhile: dict[SSAValue, bool] = {}
        self._questions: dict[Operation, _Question] = {}
        self._places = {op: number for number, op in enumerate(function.walk())}
        by_key: dict[Asked, list[Access]] = {}
        for op in found:
            if (key := self._key(op)) is not None:
                by_key.setdefault(key, []).append(op)
        for key, ops in by_key.items():
            rest: Sequence[Access] = ops
            while rest:
                rest = self._ask(key, rest)

    def join(self, op: ScatterOp) -> None:
        """
        Put whole vectors beside `op` and a scatter after it, if they may be both sides.

        That saves stores under masks, where these are slow.
        """
        type_ = cast(AnyVector, op.value_to_store.type)
        if 8 * size_in_bytes(type_.element_type) >= self._target.masked_store:
            return
        if (other := _other_side(op)) is None:
            return
        one, two = map(self._every_other_of, (op, other))
        if one is None or two is None or one.length != two.length:
            return
        at = Builder.before(other)
        meets = one.meets(at, two, (op, other))
        run_beside([op, other], meets, lambda at: one.store_both(at, op, other))

    def together(self, op: Access) -> list[Access]:
        """`op`, and those after it with the same answer for which it may as well wait."""
        found = [op]
        question = self._questions.get(op)
        after = op.next_op
        while question is not None and after is not None:
            if any(
                operand in each.results for operand in after.operands for each in found
            ):
                break
            if type(after) is type(op) and self._questions.get(after) == question:
                found.append(after)
            elif after.regions or not has_no_effect(after):
                break
            after = after.next_op
        return found

    def version(self, ops: Sequence[Access]) -> None:
        """Put accesses to rows beside `ops`, if that is worthwhile."""
        if (question := self._questions.get(ops[0])) is None:
            return
        run_beside(
            ops,
            question.rows,
            lambda at: [
                r for op in ops for r in self._rows_of(at, op, question.length)
            ],
        )
        for op in ops:
            if isinstance(why := op.attributes.get(WHY), StringAttr):
                unless = "unless lanes are found to access neighbours in rows"
                op.attributes[WHY] = StringAttr(f"{why.data}, {unless}")
        if (every_other := question.every_other) is not None:
            run_beside(ops, every_other.found, lambda at: every_other.access(at, ops))

    def _every_other_of(self, op: ScatterOp) -> EveryOtherRow | None:
        question = self._questions.get(op)
        return question and question.every_other

    def _key(self, op: Access) -> Asked | None:
        """What is asked before `op`; `None` if nothing is."""
        value = op.result if isinstance(op, GatherOp) else op.value_to_store
        type_ = cast(AnyVector, value.type)
        (lanes,) = type_.get_shape()
        if memref_type(op.base).get_shape() == (lanes,):
            return None  # A permutation, which some machines do without memory.
        if NEAR_EDGE in op.attributes and splat_number(op.mask):
            return None  # It is known by now that not all lanes are neighbours.
        size = _element_bytes(op)
        row = max(self._target.register_bits // 8 // size, SHORTEST_ROW)
        length = min(lanes, row, CACHE_LINE // size)
        index = without_shared_part(op.indices)
        if index not in self._worthwhile:
            self._worthwhile[index] = may_be_rows(index)
        if length < SHORTEST_ROW or not self._worthwhile[index]:
            return None
        return parent_block(op), index, op.mask, length

    def _ask(self, key: Asked, ops: Sequence[Access]) -> Sequence[Access]:
        """Ask before the first of `ops` for as many as can be then; the others."""
        _, index, mask, length = key
        at = Builder.before(ops[0])
        here, fits = ops, None
        if element_type(index) != IndexType():
            here = [op for op in ops if self._is_known(op.indices, ops[0])]
            fits = self._fit(at, {op.indices: None for op in here}, 2 * length)
        rows = self._rows_asked(at, index, mask, length, fits)
        halved = {
            op
            for op in here
            if splat_number(mask) and _element_bytes(op) >= MASKED_BYTES
        }
        every_other = None
        if halved:
            every_other = EveryOtherRow(self._constants, at, index, length, rows, fits)
        for op in here:
            asked = every_other if op in halved else None
            self._questions[op] = _Question(rows, asked, length)
        return [op for op in ops if op not in self._questions]

    def _is_known(self, value: SSAValue, op: Operation) -> bool:
        """Whether `value`, which an access in the block of `op` takes, is there before `op`."""
        owner = value.owner
        if isinstance(owner, Block) or owner.parent is not op.parent:
            return True
        return self._places[owner] < self._places[op]

    def _fit(self, at: Builder, indices: Iterable[SSAValue], length: int) -> SSAValue:
        """Whether so many elements after each of the `indices` are there before they wrap."""
        # Narrow numbers are extended to addresses, and must not wrap in a row.
        found: SSAValue | None = None
        for index in indices:
            type_ = cast(AnyVector, index.type)
            (lanes,) = type_.get_shape()
            last = (1 << (8 * size_in_bytes(type_.element_type) - 1)) - length
            highest = self._constants.dense(last, type_.element_type, lanes)
            fits = at.add(arith.CmpiOp(index, highest, "sle"), "fits")
            found = at.add(arith.AndIOp(found, fits), "fits") if found else fits
        assert found is not None, "there is an access"
        return found

    def _rows_asked(
        self,
        at: Builder,
        index: SSAValue,
        mask: SSAValue,
        length: int,
        fits: SSAValue | None,
    ) -> SSAValue:
        """Whether the lanes that are active access neighbours, in rows of `length`."""
        type_ = cast(AnyVector, index.type)
        (lanes,) = type_.get_shape()
        everywhere = index
        if masked := not splat_number(mask):
            # What an inactive lane has may be poison, and is not to get into others.
            zeros = self._constants.dense(0, type_.element_type, lanes)
            everywhere = at.add(arith.SelectOp(mask, index, zeros), "active")
        places = [lane - lane % length for lane in range(lanes)]
        starts = at.add(shuffle(everywhere, everywhere, places), "starts")
        steps = self._constants.numbers(
            [lane % length for lane in range(lanes)], type_.element_type, "steps"
        )
        row = at.add(arith.AddiOp(starts, steps), "row")
        neighbours = at.add(arith.CmpiOp(index, row, "eq"), "neighbours")
        if fits is not None:
            neighbours = at.add(arith.AndIOp(neighbours, fits), "neighbours")
        if masked:
            # A row begins where its first lane accesses, if that is active.
            begun = at.add(shuffle(mask, mask, places), "begun")
            neighbours = at.add(arith.AndIOp(neighbours, begun), "neighbours")
            on = self._constants.dense(1, i1, lanes, "all_on")
            neighbours = at.add(arith.SelectOp(mask, neighbours, on), "neighbours")
        return at.add(reduction(neighbours, CombiningKindFlag.AND, i1), "rows")

    def _rows_of(self, at: Builder, op: Access, length: int) -> list[SSAValue]:
        """What `op` does, by vectors of `length`; its result if it has one."""
        (lanes,) = cast(AnyVector, op.indices.type).get_shape()
        whole = bool(splat_number(op.mask))
        array, position = line_of(at, self._constants, op.base, op.offsets)
        why = StringAttr(f"lanes access neighbours in rows of {length}")
        row = {ACCESS: StringAttr("row"), WHY: why}
        parts: list[SSAValue] = []
        for first in range(0, lanes, length):
            places = range(first, first + length)

            def part(value: SSAValue, places: Sequence[int] = places) -> SSAValue:
                if len(places) == lanes:
                    return value
                return at.add(shuffle(value, value, places))

            start = start_of(at, op.indices, position, first)
            match op:
                case GatherOp() if whole:
                    type_ = vector_type(element_type(op.result), length)
                    access = vector.LoadOp(array, [start], type_)
                case GatherOp():
                    mask, old = part(op.mask), part(op.pass_thru)
                    access = vector.MaskedLoadOp(array, [start], mask, old)
                case ScatterOp() if whole:
                    access = vector.StoreOp(part(op.value_to_store), array, [start])
                case ScatterOp():
                    mask, value = part(op.mask), part(op.value_to_store)
                    access = vector.MaskedStoreOp(array, [start], mask, value)
            access.attributes |= row
            at.append(access)
            parts.extend(
                hint(result, old)
                for result, old in zip(access.results, op.results, strict=True)
            )
        return [joined(at, parts)] if parts else []


def _element_bytes(op: Access) -> int:
    value = op.result if isinstance(op, GatherOp) else op.value_to_store
    return max(size_in_bytes(element_type(value)), 1)


def _other_side(op: ScatterOp) -> ScatterOp | None:
    """The scatter to the same array after `op`, another one, with no effect in between."""
    after = op.next_op
    while after is not None and has_no_effect(after):
        after = after.next_op
    if (
        isinstance(after, ScatterOp)
        and after.base is op.base
        and tuple(after.offsets) == tuple(op.offsets)
        and after.value_to_store.type == op.value_to_store.type
    ):
        return after
    return None
