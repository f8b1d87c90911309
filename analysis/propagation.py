"""
The fixpoint behind the divergence analysis.

Every value starts as undef and only rises in the lattice. Operations wait in a queue in
program order; one that changes a result queues the users of it, the terminator of a
region the operation around it, a store of private memory the loads of the same object.
Nested loops therefore cost what changes in them, not the product of their depths.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from spmd.analysis.control import Flow, flow_of
from spmd.analysis.private_memory import (
    ALLOCATIONS,
    PrivateObject,
    loaded_memref,
    memory_of,
    stored_memref,
)
from spmd.analysis.ranges import bit_width
from spmd.analysis.shape import UNDEF, UNIFORM, VARYING, Shape
from spmd.analysis.transformer_table import transform
from spmd.analysis.transformers import Lanes, fit_to_type
from spmd.dialects.spmd import BarrierOp, Scope

Shapes: TypeAlias = tuple[Shape, ...]
"""The shape of one value in each dimension."""


class Propagation:
    """Shapes of all values inside of `root`, in each of some dimensions."""

    def __init__(
        self,
        root: Operation,
        lanes: Sequence[Lanes],
        seeds: Mapping[SSAValue, Shapes],
    ):
        self.root = root
        self.lanes = tuple(lanes)
        self.undef: Shapes = (UNDEF,) * len(self.lanes)
        self.shapes: dict[SSAValue, Shapes] = {}
        self.divergent: dict[Operation, tuple[bool, ...]] = {}
        self.operations = [op for op in root.walk() if op is not root]
        self.memory = memory_of(self.operations)
        self.contents: dict[SSAValue, Shapes] = {}
        self.unaligned_barriers = False
        self._seeds = seeds
        self._order = {op: i for i, op in enumerate(self.operations)}
        self._queue: list[int] = []
        self._queued: set[int] = set()
        for op in (root, *self.operations):
            for value in op.results if op is not root else ():
                self.shapes[value] = seeds.get(value, self.undef)
            for region in op.regions:
                for block in region.blocks:
                    for argument in block.args:
                        self.shapes[argument] = seeds.get(argument, self.undef)

    # Lookup

    def of(self, value: SSAValue) -> Shapes:
        """The shape of a value in each dimension; outside of the root all are uniform."""
        shapes = self.shapes.get(value)
        if shapes is None:
            width = bit_width(value.type)
            shape = UNIFORM
            if width is not None and width > 1:
                shape = Shape.uniform(self.lanes[0].ranges.of(value).divisor)
            shapes = self.shapes[value] = (shape,) * len(self.lanes)
        return shapes

    def all_active(self, op: Operation, dimension: int) -> bool:
        """Whether neighbours in a dimension execute `op` together or not at all."""
        parent = op.parent_op()
        while parent is not None and parent is not self.root:
            flags = self.divergent.get(parent)
            if flags is not None and flags[dimension]:
                return False
            parent = parent.parent_op()
        flags = self.divergent.get(self.root)
        return flags is None or not flags[dimension]

    # Fixpoint

    def run(self) -> None:
        """Raise shapes until nothing changes."""
        self._queue = list(range(len(self.operations)))
        self._queued = set(self._queue)
        self._visit_regions_of_root()
        self._drain()
        self._read_what_was_never_written()
        if self._has_unaligned_barriers():
            self.unaligned_barriers = True
            for op in self.operations:
                if loaded_memref(op) is not None:
                    self._push(op)
            self._drain()

    def _drain(self) -> None:
        queue, queued, operations = self._queue, self._queued, self.operations
        while queue:
            position = heapq.heappop(queue)
            queued.discard(position)
            self._visit(operations[position])

    def _push(self, op: Operation) -> None:
        position = self._order.get(op)
        if position is not None and position not in self._queued:
            self._queued.add(position)
            heapq.heappush(self._queue, position)

    def _raise(self, value: SSAValue, shapes: Shapes) -> None:
        """Join `shapes` into the shape of a value, and queue its users if it changes."""
        old = self.shapes[value]
        if old == shapes or value in self._seeds:
            return
        new = tuple(a.join(b) for a, b in zip(old, shapes, strict=True))
        if new != old:
            self.shapes[value] = new
            for use in value.uses:
                self._push(use.operation)

    def _visit_regions_of_root(self) -> None:
        """Arguments of the first block are seeds or uniform."""
        for region in self.root.regions:
            for i, block in enumerate(region.blocks):
                for argument in block.args:
                    shape = UNIFORM if i == 0 else VARYING
                    self._raise(argument, (shape,) * len(self.lanes))
            if len(region.blocks) > 1:
                self.divergent[self.root] = (True,) * len(self.lanes)

    def _visit(self, op: Operation) -> None:
        if op.regions:
            self._visit_control(op)
        elif (memory := loaded_memref(op)) is not None:
            self._visit_load(op, memory)
        elif (memory := stored_memref(op)) is not None:
            self._visit_store(op, memory)
        elif op.name in ALLOCATIONS:
            same = all(s.is_uniform for v in op.operands for s in self.of(v))
            shape = UNIFORM if same else VARYING
            self._raise(op.results[0], (shape,) * len(self.lanes))
        elif op.results:
            self._visit_plain(op)
        if op.has_trait(IsTerminator):
            parent = op.parent_op()
            if parent is not None:
                self._push(parent)

    def _visit_plain(self, op: Operation) -> None:
        operands = [self.of(operand) for operand in op.operands]
        rows: list[list[Shape]] = []
        previous: tuple[list[Shape], int | None] | None = None
        for dimension, lanes in enumerate(self.lanes):
            shapes = [operand[dimension] for operand in operands]
            if operands and previous == (shapes, lanes.extent):
                rows.append(rows[-1])
            else:
                rows.append(transform(op, shapes, lanes))
            previous = (shapes, lanes.extent)
        for result, *shapes in zip(op.results, *rows, strict=True):
            self._raise(result, tuple(shapes))

    def _visit_control(self, op: Operation) -> None:
        flows: list[Flow] = []
        for dimension, lanes in enumerate(self.lanes):
            flows.append(flow_of(op, self._in_dimension(dimension), lanes))
        for raised in zip(*(flow.shapes for flow in flows), strict=True):
            value = raised[0][0]
            self._raise(value, tuple(fit_to_type(s, value.type) for _, s in raised))
        flags = tuple(flow.diverges for flow in flows)
        if flags != self.divergent.get(op, (False,) * len(flags)):
            self.divergent[op] = flags
            for private in self.memory.objects.values():
                for store in private.stores:
                    if op.is_ancestor(store):
                        self._push(store)

    def _in_dimension(self, dimension: int) -> Callable[[SSAValue], Shape]:
        of = self.of
        return lambda value: of(value)[dimension]

    # Memory

    def _visit_load(self, op: Operation, memory: SSAValue) -> None:
        private = self.memory.object_of(memory)
        shared = self.lanes[0].scope is Scope.WORK_GROUP and (
            self.memory.is_atomic(memory)
            or (self.unaligned_barriers and self.memory.is_written(memory))
        )
        addresses = [self.of(operand) for operand in op.operands]
        rows: list[Shape] = []
        for dimension in range(len(self.lanes)):
            shapes = [address[dimension] for address in addresses]
            if any(shape.is_undef for shape in shapes):
                rows.append(UNDEF)
                continue
            same = all(shape.is_uniform for shape in shapes)
            if private is not None:
                contents = self._contents(private)[dimension]
                rows.append(contents if same else contents.diverged())
            else:
                rows.append(UNIFORM if same and not shared else VARYING)
        result = op.results[0]
        self._raise(result, tuple(fit_to_type(shape, result.type) for shape in rows))

    def _contents(self, private: PrivateObject) -> Shapes:
        if private.escapes is not None:
            return (VARYING,) * len(self.lanes)
        return self.contents.get(private.allocation, self.undef)

    def _visit_store(self, op: Operation, memory: SSAValue) -> None:
        private = self.memory.object_of(memory)
        if private is None:
            return
        value = op.operands[0] if op.name == "memref.store" else None
        rest = [self.of(operand) for operand in op.operands if operand is not value]
        rows: list[Shape] = []
        for dimension in range(len(self.lanes)):
            shape = UNIFORM if value is None else self.of(value)[dimension]
            same = all(shapes[dimension].is_uniform for shapes in rest)
            if not (same and self.all_active(op, dimension)):
                shape = VARYING
            rows.append(shape)
        old = self._contents(private)
        new = tuple(a.join(b) for a, b in zip(old, rows, strict=True))
        if new != old:
            self.contents[private.allocation] = new
            for load in private.loads:
                self._push(load)

    def _read_what_was_never_written(self) -> None:
        """Undefined contents may as well be the same in all lanes."""
        for private in self.memory.objects.values():
            contents = self._contents(private)
            if any(shape.is_undef for shape in contents):
                self.contents[private.allocation] = tuple(
                    UNIFORM if shape.is_undef else shape for shape in contents
                )
                for load in private.loads:
                    self._push(load)
        self._drain()

    def _has_unaligned_barriers(self) -> bool:
        """Whether some lanes may pass a barrier in an iteration in which others do not."""
        if self.lanes[0].scope is not Scope.WORK_GROUP:
            return False
        return any(
            isinstance(op, BarrierOp) and not self.all_active(op, dimension)
            for op in self.operations
            for dimension in range(len(self.lanes))
        )

    # Result

    def finish(self) -> dict[SSAValue, Shapes]:
        """
        The shapes of all values. Code that never runs is varying, and so is the memref of
        a private object whose copies differ.
        """
        final = {
            value: tuple(VARYING if s.is_undef else s for s in shapes)
            for value, shapes in self.shapes.items()
        }
        if self.memory.objects:
            for value, shapes in final.items():
                if isinstance(value.type, MemRefType) and not isinstance(
                    value, BlockArgument
                ):
                    private = self.memory.object_of(value)
                    if private is not None:
                        own = self._contents(private)
                        final[value] = tuple(
                            UNIFORM if s.is_uniform and c.is_uniform else VARYING
                            for s, c in zip(shapes, own, strict=True)
                        )
        return final
