"""Building work-item loops and the memory of a work-group in a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StringAttr, i8
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import op_of
from spmd.dialects.names import FULL_GROUPS
from spmd.dialects.remarks import KeptInGroupMemory, remark
from spmd.dialects.rewriting import NO_WRAP, hint, locate
from spmd.dialects.spmd import (
    Dimension,
    DimensionOp,
    EnqueuedLocalSizeOp,
    GroupIdOp,
    KernelOp,
    LocalIdOp,
    LocalSizeOp,
)
from spmd.dialects.work_groups import (
    CONTEXT,
    aligned_alloca,
    mark_group_memory,
    mark_work_items,
)
from spmd.passes.work_item_loops.nests import Bounds, nested_loops

DIMENSIONS = tuple(Dimension)


class WorkItemNest:
    """
    A nest of work-item loops, z, y, x from the outside, until it is placed in a block.

    A group that is one work-item by its nominal size has no loops, only the body.
    """

    def __init__(
        self, loops: Sequence[scf.ForOp], body: Block, ids: dict[int, SSAValue]
    ):
        self.loops = loops
        self.body = body
        self.ids = ids
        """The local id in each dimension that has a loop."""

    @property
    def indices(self) -> tuple[SSAValue, ...]:
        """The local ids from the slowest to the fastest: the index into a context."""
        return tuple(self.ids[d] for d in sorted(self.ids, reverse=True))

    def place(self, at: InsertPoint) -> None:
        """Put the finished nest, or the body without loops, at a point."""
        if self.loops:
            Builder.at_end(self.body, self.loops[0]).append(scf.YieldOp())
            Rewriter.insert_op(self.loops[0], at)
        else:
            Rewriter.inline_block(self.body, at)


class WorkGroup:
    """The work-group of a kernel whose ids and constants stand at its head."""

    def __init__(self, kernel: KernelOp):
        entry = kernel.body.blocks[0]
        self.kernel = kernel
        self.entry = entry
        self.constants = ConstantPool(entry)
        self.nominal = kernel.group_size
        self.full = FULL_GROUPS in kernel.attributes
        self.dimensions = tuple(
            d for d in (2, 1, 0) if self.nominal is None or self.nominal[d] != 1
        )
        """Those in which a work-group can have more than one work-item, slowest first."""
        # Something stands at the head, and constants made later stand before it.
        self.constants.index(0)
        self._last = self._last_of_head()

    def nest(self, like: Operation) -> WorkItemNest:
        """New work-item loops over the whole group; their location is that of `like`."""
        loops = nested_loops(self.bounds())
        ids: dict[int, SSAValue] = {}
        for dimension, loop in zip(self.dimensions, loops, strict=True):
            ids[dimension] = hint(loop.body.block.args[0], f"l{'xyz'[dimension]}")
            mark_work_items(loop, dimension)
        if loops:
            locate(loops[0], like)
        return WorkItemNest(loops, loops[-1].body.block if loops else Block(), ids)

    def bounds(self) -> list[Bounds]:
        """Those of loops over the whole group, slowest first."""
        zero, one = self.constants.index(0), self.constants.index(1)
        return [(zero, self.size(LocalSizeOp, d), one) for d in self.dimensions]

    def array(
        self,
        element: Attribute,
        name: str | None,
        like: Operation,
        extents: Sequence[int] = (),
    ) -> SSAValue:
        """
        New group memory `[extents][work-item]`, aligned to a cache line.

        Its size is that of a full group; where it is not known, it is the enqueued one.
        """
        shape = list(extents)
        sizes: list[SSAValue] = []
        for dimension in self.dimensions:
            if self.nominal is None:
                shape.append(DYNAMIC_INDEX)
                sizes.append(self.size(EnqueuedLocalSizeOp, dimension))
            else:
                shape.append(self.nominal[dimension])
        return self.allocate(MemRefType(element, shape), sizes, name, like)

    def uniform_slot(
        self, element: Attribute, name: str | None, like: Operation
    ) -> SSAValue:
        """New group memory for one value that all work-items agree on."""
        return self.allocate(MemRefType(element, ()), (), name, like)

    def bytes_per_work_item(
        self, size: int, name: str | None, like: Operation
    ) -> SSAValue:
        """New group memory of `size` bytes for each work-item, one after the other."""
        if self.nominal is not None:
            items = self.nominal[0] * self.nominal[1] * self.nominal[2]
            return self.allocate(MemRefType(i8, (items * size,)), (), name, like)
        total = self.constants.index(size)
        for dimension in self.dimensions:
            extent = self.size(EnqueuedLocalSizeOp, dimension)
            product = arith.MuliOp(total, extent, overflow=NO_WRAP)
            locate(product, like)
            self._add(product)
            total = product.result
        return self.allocate(MemRefType(i8, (DYNAMIC_INDEX,)), (total,), name, like)

    def linear_id(self, ids: Mapping[int, SSAValue], at: Builder) -> SSAValue:
        """The number of a work-item in its group, computed by `at`."""
        index: SSAValue | None = None
        for dimension in self.dimensions:
            id_ = ids[dimension]
            if index is not None:
                extent = self.size(LocalSizeOp, dimension)
                rows = at.add(arith.MuliOp(index, extent, overflow=NO_WRAP))
                id_ = at.add(arith.AddiOp(rows, id_, overflow=NO_WRAP))
            index = id_
        return self.constants.index(0) if index is None else index

    def has_work_item(self, number: int | None) -> bool:
        """Whether there is a work-item with this number, whatever the launch."""
        size = prod(self.nominal) if self.nominal is not None and self.full else 1
        return number is not None and 0 <= number < size

    def last_id(self, at: Builder) -> SSAValue:
        """The number of the last work-item, computed by `at`."""
        one = self.constants.index(1)
        last = {
            d: at.add(arith.SubiOp(self.size(LocalSizeOp, d), one, overflow=NO_WRAP))
            for d in self.dimensions
        }
        return self.linear_id(last, at)

    def ids_of(self, number: SSAValue, at: Builder) -> dict[int, SSAValue]:
        """The local ids of the work-item with this number, slowest first; see `linear_id`."""
        found: dict[int, SSAValue] = {}
        for dimension in reversed(self.dimensions[1:]):
            size = self.size(LocalSizeOp, dimension)
            found[dimension] = at.add(arith.RemUIOp(number, size))
            number = at.add(arith.DivUIOp(number, size))
        if self.dimensions:
            found[self.dimensions[0]] = number
        return dict(reversed(found.items()))

    def group_id(self, dimension: int) -> SSAValue:
        """Which work-group this is."""
        return self._id(GroupIdOp, dimension, "group")

    def local_ids(self) -> dict[int, SSAValue]:
        """The local id in each dimension, as it is asked for at the kernel's head."""
        return {d: self._id(LocalIdOp, d, "local") for d in self.dimensions}

    def allocate(
        self,
        type_: MemRefType[Attribute],
        sizes: Sequence[SSAValue],
        name: str | None,
        like: Operation,
    ) -> SSAValue:
        """New group memory of any type."""
        alloca = mark_group_memory(aligned_alloca(type_, sizes))
        locate(alloca, like)
        self._add(alloca)
        return hint(alloca.memref, name)

    def size(self, kind: type[DimensionOp], dimension: int) -> SSAValue:
        """The enqueued or the actual local size."""
        if self.nominal is not None and (self.full or kind is EnqueuedLocalSizeOp):
            return self.constants.index(self.nominal[dimension])
        return self._id(
            kind, dimension, "local_size" if kind is LocalSizeOp else "enqueued"
        )

    def _id(self, kind: type[DimensionOp], dimension: int, name: str) -> SSAValue:
        for op in self.head():
            if isinstance(op, kind) and op.dimension.data.number == dimension:
                return op.result
        op = kind(DIMENSIONS[dimension])
        locate(op, self.kernel)
        self._add(op)
        return hint(op.result, f"{name}_{'xyz'[dimension]}")

    def head(self) -> Iterator[Operation]:
        """The constants, ids and group memory at the begin of the kernel."""
        for op in self.entry.ops:
            yield op
            if op is self._last:
                return

    def move_to_head(self, op: Operation) -> None:
        """Let `op`, which has no operands, stand at the head."""
        if all(op is not other for other in self.head()):
            op.detach()
            self._add(op)

    def _add(self, op: Operation) -> None:
        self.entry.insert_op_after(op, self._last)
        self._last = op

    def _last_of_head(self) -> Operation:
        op = self.entry.first_op
        assert op is not None, "an entry block has a terminator"
        while isinstance(op.next_op, arith.ConstantOp | DimensionOp):
            op = op.next_op
        return op


def load(
    memory: SSAValue, indices: Sequence[SSAValue], like: SSAValue
) -> memref.LoadOp:
    """A load that stands for `like` and has its name."""
    op = memref.LoadOp.get(memory, indices)
    hint(op.res, like)
    locate(op, op_of(like))
    return op


def store(
    value: SSAValue, memory: SSAValue, indices: Sequence[SSAValue], like: Operation
) -> memref.StoreOp:
    """A store at the location of `like`."""
    op = memref.StoreOp.get(value, memory, indices)
    locate(op, like)
    return op


def explain(
    memory: SSAValue,
    reason: str,
    kept: Attribute | None = None,
    layout: str | None = None,
) -> SSAValue:
    """
    Say why a context or group-uniform slot is needed.

    It keeps values, or arrays of the type `kept`; `layout` is why these are not interleaved.
    """
    owner = memory.owner
    assert isinstance(owner, memref.AllocaOp)
    owner.attributes[CONTEXT] = StringAttr(reason)
    type_ = owner.memref.type.element_type if kept is None else kept
    why = f"{reason}; {layout}" if layout else reason
    remark(KeptInGroupMemory, owner, why, type_)
    return memory
