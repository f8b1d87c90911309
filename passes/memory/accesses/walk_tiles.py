"""Loops along memory in tiles, which lanes load and store row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import IndexType, MemRefType, StringAttr, VectorType, i1
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from spmd.analysis.memory.walks import element_bytes, iterations_together
from spmd.dialects.building import Builder, ConstantPool, Rematerializer, reduction
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import vector_type
from spmd.dialects.enclosing import is_outside
from spmd.dialects.remarks import CombinedAccesses, remark
from spmd.dialects.rewriting import (
    NO_SIGNED_WRAP,
    constant_index,
    hint,
    replace,
)
from spmd.dialects.work_groups import aligned_alloca
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS, WHY
from spmd.passes.memory.accesses.flattening import line_of
from spmd.passes.memory.accesses.transposition import transposed
from spmd.passes.memory.accesses.whole_vectors import is_all_on

PART = StringAttr("row")
"""What belongs to an access that is told of elsewhere, and is left as it is."""

WHY_LEFT = StringAttr("what is left of iterations along memory")

NOWHERE = -(1 << 63)
"""Where an inactive lane is."""


def lanes_of(op: GatherOp | ScatterOp) -> VectorType[Attribute]:
    """The vector that `op` loads or stores."""
    value = op.result if isinstance(op, GatherOp) else op.value_to_store
    return cast(VectorType[Attribute], value.type)


@dataclass
class Buffers:
    """Where the tiles of one function lie, those of one loop after the other in the same place."""

    entry: Block
    constants: ConstantPool = field(init=False)
    _known: dict[tuple[Attribute, int, int], SSAValue] = field(
        default_factory=dict[tuple[Attribute, int, int], SSAValue]
    )

    def __post_init__(self):
        self.constants = ConstantPool(self.entry)

    def get(
        self, type_: MemRefType[Attribute], loop: scf.ForOp, number: int, name: str
    ) -> SSAValue:
        """The array of this type and number for `loop`, but for no loop around or in it."""
        depth, parent = 0, loop.parent_op()
        while parent is not None:
            depth, parent = depth + 1, parent.parent_op()
        if (found := self._known.get((type_, depth, number))) is None:
            at = Builder.at_head(self.entry, self.entry.parent_op())
            found = at.add(aligned_alloca(type_), name)
            self._known[type_, depth, number] = found
        return found


@dataclass(frozen=True)
class _Tile:
    """The elements that one walk accesses in the iterations that are done together."""

    op: GatherOp | ScatterOp
    kept: SSAValue
    """A row for each iteration, with the element of each lane."""
    line: SSAValue
    """The memory of the walk, as one dimension."""
    starts: SSAValue
    """An array of where each lane is in it in the first iteration of the loop."""


class WalkTiles(Builder):
    """The loop over tiles, which stands around the loop over the iterations of one."""

    def __init__(
        self, loop: scf.ForOp, walks: Sequence[GatherOp | ScatterOp], memory: Buffers
    ):
        before = Builder.before(loop)
        super().__init__(before.point, before.like)
        self._loop = loop
        self._memory = memory
        self._constants = memory.constants
        self._side = iterations_together(loop, max(map(element_bytes, walks)))
        self._some: list[SSAValue] = []
        """Whether lanes of a walk are active."""
        again = self._with_counter(loop.lb)
        tiles = [self._tile(op, number, again) for number, op in enumerate(walks)]
        self._loads = [tile for tile in tiles if isinstance(tile.op, GatherOp)]
        self._stores = [tile for tile in tiles if isinstance(tile.op, ScatterOp)]

        self._block = Block(arg_types=[arg.type for arg in loop.body.block.args])
        self._first, *self._carried = self._block.args
        for new, name in zip(
            self._block.args, ("first", *loop.body.block.args[1:]), strict=True
        ):
            hint(new, name)
        with self.into(self._block):
            low, side = loop.lb, self._constants.index(self._side)
            left = self.add(arith.SubiOp(loop.ub, self._first), "left")
            self._count = self.add(arith.MinSIOp(left, side), "count")
            self._full = self.add(arith.CmpiOp(left, side, "sge"), "full")
            for some in self._some:
                self._full = self.add(arith.AndIOp(self._full, some), "full")
            self._done = self._first
            if constant_index(low) != 0:
                self._done = self.add(arith.SubiOp(self._first, low), "done")

    def write(self) -> None:
        """Put the loop over tiles around the loop."""
        loop, side = self._loop, self._constants.index(self._side)
        outer = scf.ForOp(loop.lb, loop.ub, side, loop.iter_args, [self._block])
        self.append(outer)
        for new, old in zip(outer.results, loop.results, strict=True):
            old.replace_all_uses_with(hint(new, old))
        with self.into(self._block):
            if self._loads:
                self._access_all(self._loads, self._load, self._gather)
            self.move([loop])
            none = self._constants.index(0)
            loop.operands = (none, self._count, loop.step, *self._carried)
            if self._stores:
                self._access_all(self._stores, self._store, self._scatter)
            self.append(scf.YieldOp(*loop.results))
        self._count_places()

    def _count_places(self) -> None:
        """Let the loop count from 0 in each tile, and access what is kept of it."""
        body = self._loop.body.block
        place, first = body.args[0], body.first_op
        assert first is not None, "a loop has a terminator"
        counter = arith.AddiOp(self._first, place, overflow=NO_SIGNED_WRAP)
        place.replace_all_uses_with(counter.result)
        counter.operands = (self._first, place)
        Builder.before(first).add(counter, place)
        place.name_hint = "place"
        for tile in (*self._loads, *self._stores):
            self._keep(tile, (place, self._constants.index(0)))

    def _keep(self, tile: _Tile, place: Sequence[SSAValue]) -> None:
        """Let the loop access what is kept of a tile, in place of memory."""
        op, at = tile.op, Builder.before(tile.op)
        if isinstance(op, ScatterOp):
            replace(op, vector.StoreOp(op.value_to_store, tile.kept, place))
            return
        found = at.add(vector.LoadOp(tile.kept, place, lanes_of(op)), op.result)
        if not is_all_on(op.mask):
            found = at.add(arith.SelectOp(op.mask, found, op.pass_thru), op.result)
        replace(op, (), [found])

    def _with_counter(self, counter: SSAValue) -> Rematerializer:
        """What computes indices again, for an iteration of the loop."""
        loop = self._loop

        def known(value: SSAValue) -> SSAValue | None:
            if value is loop.body.block.args[0]:
                return counter
            return value if is_outside(value, loop) else None

        return Rematerializer(self, known)

    def _access_all(
        self,
        tiles: Sequence[_Tile],
        rows: Callable[[_Tile, Sequence[SSAValue], SSAValue], None],
        each: Callable[[_Tile, Rematerializer, Sequence[SSAValue]], None],
    ) -> None:
        """Access `rows` of memory if all iterations are there, else those of `each`."""
        whole, rest, iteration = Block(), Block(), Block(arg_types=[IndexType()])
        with self.into(whole):
            for tile in tiles:
                self._by_lanes(tile, rows)
            self.append(scf.YieldOp())
        place, none = hint(iteration.args[0], "place"), self._constants.index(0)
        with self.into(iteration):
            counter = arith.AddiOp(self._first, place, overflow=NO_SIGNED_WRAP)
            again = self._with_counter(self.add(counter, self._loop.body.block.args[0]))
            for tile in tiles:
                each(tile, again, (place, none))
            self.append(scf.YieldOp())
        with self.into(rest):
            bounds = (none, self._count, self._loop.step)
            self.append(scf.ForOp(*bounds, [], [iteration]), scf.YieldOp())
        self.append(scf.IfOp(self._full, [], Region(whole), Region(rest)))

    def _gather(
        self, tile: _Tile, again: Rematerializer, place: Sequence[SSAValue]
    ) -> None:
        op, off = tile.op, self._constants.zero(lanes_of(tile.op))
        offsets, indices = map(again.get, op.offsets), again.get(op.indices)
        gather = GatherOp(op.base, [*offsets], indices, op.mask, off)
        gather.attributes |= {ACCESS: PART, WHY: WHY_LEFT}
        self.append(vector.StoreOp(self.add(gather), tile.kept, place))

    def _scatter(
        self, tile: _Tile, again: Rematerializer, place: Sequence[SSAValue]
    ) -> None:
        op = tile.op
        offsets, indices = [*map(again.get, op.offsets)], again.get(op.indices)
        kept = self.add(vector.LoadOp(tile.kept, place, lanes_of(op)))
        scatter = ScatterOp(op.base, offsets, indices, op.mask, kept)
        scatter.attributes |= {ACCESS: PART, WHY: WHY_LEFT}
        self.append(scatter)

    def _tile(
        self, op: GatherOp | ScatterOp, number: int, first: Rematerializer
    ) -> _Tile:
        """Where the lanes of `op` begin, and the `number`-th place to keep a tile."""
        (lanes,), constants = lanes_of(op).get_shape(), self._constants
        element = lanes_of(op).element_type
        offsets = [first.get(offset) for offset in op.offsets]
        line, position = line_of(self, constants, op.base, offsets)
        indices = first.get(op.indices)
        type_ = vector_type(IndexType(), lanes)
        if indices.type != type_:
            indices = self.add(arith.IndexCastOp(indices, type_), indices)
        position = self.add(vector.BroadcastOp(position, type_), position)
        starts = self.add(arith.AddiOp(position, indices), "starts")
        if not is_all_on(op.mask):
            none = constants.dense(NOWHERE, IndexType(), lanes, "nowhere")
            starts = self.add(arith.SelectOp(op.mask, starts, none), "active")
            if isinstance(op, GatherOp):
                starts = self._of_active(starts, op.mask)
        places = self._memory.get(
            MemRefType(IndexType(), [lanes]), self._loop, number, "starts"
        )
        self.append(vector.StoreOp(starts, places, [constants.index(0)]))
        tile = MemRefType(element, [self._side, lanes])
        kept = self._memory.get(tile, self._loop, number, "tile")
        return _Tile(op, kept, line, places)

    def _of_active(self, starts: SSAValue, mask: SSAValue) -> SSAValue:
        """For inactive lanes that of an active one, which may be loaded from."""
        self._some.append(self.add(reduction(mask, CombiningKindFlag.OR, i1), "some"))
        last = reduction(starts, CombiningKindFlag.MAXSI, IndexType())
        every = vector.BroadcastOp(self.add(last, "last"), starts.type)  # pyright: ignore
        return self.add(arith.SelectOp(mask, starts, self.add(every)), "starts")

    def _by_lanes(
        self,
        tile: _Tile,
        access: Callable[[_Tile, Sequence[SSAValue], SSAValue], None],
    ) -> None:
        """Let `access` have the starts of as many lanes at a time as make square tiles."""
        (lanes,), constants = lanes_of(tile.op).get_shape(), self._constants
        together = min(lanes, self._side)
        block = Block(arg_types=[IndexType()])
        lane = hint(block.args[0], "lane")
        with self.into(block):
            starts: list[SSAValue] = []
            for number in range(together):
                place = self._plus(lane, number)
                starts.append(
                    self.add(memref.LoadOp.get(tile.starts, [place]), "start")
                )
            access(tile, starts, lane)
            self.append(scf.YieldOp())
        low, high, step = map(constants.index, (0, lanes, together))
        self.append(scf.ForOp(low, high, step, [], [block]))

    def _plus(self, value: SSAValue, number: int) -> SSAValue:
        if number == 0:
            return value
        return self.add(arith.AddiOp(value, self._constants.index(number)), value)

    def _load(self, tile: _Tile, starts: Sequence[SSAValue], lane: SSAValue) -> None:
        """Load the rows of some lanes, and keep their columns."""
        type_ = vector_type(lanes_of(tile.op).element_type, self._side)
        rows: list[SSAValue] = []
        for start in starts:
            at = self.add(arith.AddiOp(start, self._done), "at")
            load = vector.LoadOp(tile.line, [at], type_)
            self._access(load, tile.op, first=not rows)
            rows.append(hint(load.result, "row"))
        for number, column in enumerate(transposed(self, rows)):
            place = [self._constants.index(number), lane]
            self.append(vector.StoreOp(column, tile.kept, place))

    def _store(self, tile: _Tile, starts: Sequence[SSAValue], lane: SSAValue) -> None:
        """Store the rows of some lanes, of which columns were kept."""
        type_ = vector_type(lanes_of(tile.op).element_type, len(starts))
        columns: list[SSAValue] = []
        for number in range(self._side):
            place = [self._constants.index(number), lane]
            columns.append(self.add(vector.LoadOp(tile.kept, place, type_), "column"))
        for row, start in zip(transposed(self, columns), starts, strict=True):
            at = self.add(arith.AddiOp(start, self._done), "at")
            first = start is starts[0]
            if is_all_on(tile.op.mask):
                self._access(vector.StoreOp(row, tile.line, [at]), tile.op, first)
                continue
            nowhere = self._constants.index(NOWHERE)
            bit = self.add(arith.CmpiOp(start, nowhere, "ne"), "active")
            mask = self.add(vector.BroadcastOp(bit, vector_type(i1, self._side)))
            store = vector.MaskedStoreOp(tile.line, [at], mask, row)
            self._access(store, tile.op, first)

    def _access(self, new: Operation, op: GatherOp | ScatterOp, first: bool) -> None:
        """Insert an access of one lane, and say what it is, once for all lanes."""
        new.attributes[ACCESS] = StringAttr("transposed") if first else PART
        new.attributes[WHY] = StringAttr("each lane goes along memory in a loop")
        self.append(new)
        if first:
            remark(CombinedAccesses, op, (new,))
