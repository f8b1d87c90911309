"""Writing scalar code for the lanes of one sub-group, and the memory between its loops."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    i1,
    i8,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.building import Builder, ConstantPool, bytes_of
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import static_bytes
from spmd.dialects.enclosing import is_outside
from spmd.dialects.rewriting import hint, named
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import aligned_alloca
from spmd.passes.sub_groups.vectorization_legality import is_item_type

ALIGNMENT = 16
"""Where in the buffer of all lanes the array of one may begin."""


@dataclass(frozen=True)
class Slot:
    """Where a value is kept from one loop over lanes to the next."""

    memory: SSAValue
    shared: bool
    """One element for all lanes, instead of one for each."""

    type: Attribute


class LaneWriter(Builder):
    """Inserts scalar code, and keeps values in memory."""

    def __init__(self, group: SubGroupOp, divergence: Divergence, entry: Block):
        if group.counts:
            fail(
                group,
                "expected a sub-group whose lanes all exist, got one with a count; run "
                "mask-divergence first",
            )
        self.group = group
        self.divergence = divergence
        self.width = group.width
        self.constants = ConstantPool(entry)
        self.body = Block()
        super().__init__(InsertPoint.at_end(self.body), group)
        self.scalars: dict[SSAValue, SSAValue] = {}
        """Counters of uniform loops."""
        self._entry = entry
        self._slots: dict[SSAValue, Slot] = {}
        self._private: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}

    # Insertion

    @contextmanager
    def each_lane(
        self, starts: Sequence[SSAValue] = ()
    ) -> Generator[tuple[SSAValue, Sequence[SSAValue], list[SSAValue]]]:
        """
        A loop over the lanes: the lane, what it gets from the lane before, what it hands on.

        What is handed on goes into the list, which has the results afterwards.
        """
        body = Block(arg_types=[IndexType(), *(start.type for start in starts)])
        lane, *carried = body.args
        handed: list[SSAValue] = []
        with self.into(body):
            yield hint(lane, "lane"), carried, handed
            self.append(scf.YieldOp(*handed))
        loop = scf.ForOp(
            self.constants.index(0),
            self.constants.index(self.width),
            self.constants.index(1),
            starts,
            body,
        )
        self.append(loop)
        handed[:] = loop.results

    @contextmanager
    def where(self, condition: SSAValue | None) -> Generator[None]:
        """Code that runs if `condition` holds."""
        if condition is None:
            yield
            return
        block = Block()
        with self.into(block):
            yield
            self.append(scf.YieldOp())
        self.append(scf.IfOp(condition, [], Region(block)))

    # Values between loops

    def slot(self, value: SSAValue, shared: bool | None = None) -> Slot:
        """The memory that keeps `value`; who asks first says whether lanes share it."""
        found = self._slots.get(value)
        if found is None:
            if not is_item_type(value.type):
                owner = value.owner
                fail(
                    owner if isinstance(owner, Operation) else self.group,
                    "expected a number or a vector where lanes of a sub-group wait for "
                    f"each other, got a value of type {value.type} that is used after it",
                )
            if shared is None:
                shared = self.divergence.is_uniform(value)
            element = i8 if value.type == i1 else value.type
            shape = [] if shared else [self.width]
            memory = self._allocate(MemRefType(element, shape), value)
            found = self._slots[value] = Slot(memory, shared, value.type)
        return found

    def _allocate(self, type_: MemRefType[Attribute], like: SSAValue) -> SSAValue:
        at = Builder.at_head(self._entry, self.like)
        return at.add(aligned_alloca(type_), named(like, "lanes"))

    def is_shared(self, value: SSAValue) -> bool:
        """Whether there is one place where all lanes find `value`."""
        if value in self.scalars or is_outside(value, self.group):
            return True
        return value not in self.group.body.block.args and self.slot(value).shared

    def at(self, value: SSAValue, lane: SSAValue | None) -> SSAValue:
        """What `lane` has; without one, what all have."""
        if is_outside(value, self.group):
            return value
        if value in self.scalars:
            return self.scalars[value]
        if isinstance(value, BlockArgument) and value.block is self.group.body.block:
            assert lane is not None, "lanes differ in their index"
            base = self.group.bases[value.index]
            return self.add(arith.AddiOp(base, self._along(value.index, lane)), value)
        slot = self.slot(value)
        if slot.shared:
            indices: list[SSAValue] = []
        else:
            assert lane is not None, "what is uniform is kept once"
            indices = [lane]
        loaded = self.add(memref.LoadOp.get(slot.memory, indices), value)
        if slot.type == i1:
            loaded = self.add(arith.TruncIOp(loaded, i1), value)
        return loaded

    def _along(self, dimension: int, lane: SSAValue) -> SSAValue:
        """The number of `lane` along one dimension: all extents are powers of two."""
        extents = self.group.lane_shape
        before, extent = prod(extents[:dimension]), extents[dimension]
        if before > 1:
            bits = self.constants.index(before.bit_length() - 1)
            lane = self.add(arith.ShRUIOp(lane, bits), lane)
        if before * extent < self.width:
            lane = self.add(arith.AndIOp(lane, self.constants.index(extent - 1)), lane)
        return lane

    def once(self, value: SSAValue, user: Operation) -> SSAValue:
        """What all lanes have, for control flow that they run together."""
        if not self.is_shared(value):
            fail(
                user,
                f"expected {user.name} to do the same in all lanes, got a value that "
                "differs between them; run mask-divergence first",
            )
        return self.at(value, None)

    def keep(self, value: SSAValue, number: SSAValue, lane: SSAValue | None) -> None:
        """Store `number` as what `lane`, or all, have of `value`."""
        slot = self.slot(value)
        if slot.type == i1:
            number = self.add(arith.ExtUIOp(number, i8))
        assert slot.shared or lane is not None, "each lane has its own"
        indices = [] if slot.shared or lane is None else [lane]
        self.append(memref.StoreOp.get(number, slot.memory, indices))

    def copy(
        self, sources: Sequence[SSAValue], targets: Sequence[SSAValue], user: Operation
    ) -> None:
        """All `targets` become what `sources` are, at once."""
        pairs = list(zip(sources, targets, strict=True))
        for source, target in pairs:
            # Asked before anything is stored: the first to ask decides.
            uniform = self.divergence.is_uniform(target) and self.is_shared(source)
            self.slot(target, uniform)
        once = [pair for pair in pairs if self.slot(pair[1]).shared]
        each = [pair for pair in pairs if not self.slot(pair[1]).shared]
        scalars = [self.once(source, user) for source, _ in once]
        if each:
            with self.each_lane() as (lane, _, _):
                loaded = [self.at(source, lane) for source, _ in each]
                for number, (_, target) in zip(loaded, each, strict=True):
                    self.keep(target, number, lane)
        for number, (_, target) in zip(scalars, once, strict=True):
            self.keep(target, number, None)

    # Masks and private arrays

    def on(self, active: Sequence[SSAValue], lane: SSAValue) -> SSAValue | None:
        """Whether `lane` is active, where all of `active` must hold; `None` if it is."""
        result: SSAValue | None = None
        for mask in active:
            here = self.at(mask, lane)
            if result is None:
                result = here
            else:
                off = self.constants.bit(False)
                result = self.add(arith.SelectOp(result, here, off))
        return result

    def private(self, op: memref.AllocaOp, lane: SSAValue) -> SSAValue:
        """The private array of `lane`: a part of one buffer."""
        known = self._private.get(op.memref)
        if known is None:
            assert not op.dynamic_sizes, (
                "an array of dynamic size has room before its use"
            )
            size = _rounded_up(static_bytes(op.memref.type))
            memory = self._allocate(MemRefType(i8, [size * self.width]), op.memref)
            known = self._private[op.memref] = memory, self.constants.index(size)
        memory, size = known
        start = self.add(arith.MuliOp(lane, size))
        extents = [self.at(extent, lane) for extent in op.dynamic_sizes]
        view = memref.ViewOp.build(
            operands=[memory, start, extents], result_types=[op.memref.type]
        )
        return self.add(view, op.memref)

    def make_room(self, op: memref.AllocaOp) -> None:
        """Make the buffer of an array of dynamic size, for lanes as large as the largest."""
        size = self.constants.index(static_bytes(op.memref.type))
        extents = map(self._largest, op.dynamic_sizes)
        bytes_ = bytes_of(self.append, self.constants, (size, *extents))
        more = self.add(arith.AddiOp(bytes_, self.constants.index(ALIGNMENT - 1)))
        bytes_ = self.add(arith.AndIOp(more, self.constants.index(-ALIGNMENT)), "bytes")
        total = self.add(arith.MuliOp(bytes_, self.constants.index(self.width)))
        buffer = aligned_alloca(MemRefType(i8, [DYNAMIC_INDEX]), [total])
        memory = self.add(buffer, named(op.memref, "lanes"))
        self._private[op.memref] = memory, bytes_

    def _largest(self, number: SSAValue) -> SSAValue:
        """The largest that a lane has of an unsigned number."""
        if self.is_shared(number):
            return self.at(number, None)
        with self.each_lane([self.constants.index(0)]) as (lane, (most,), handed):
            handed.append(self.add(arith.MaxUIOp(most, self.at(number, lane))))
        return hint(handed[0], number)


def _rounded_up(size: int) -> int:
    return -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
