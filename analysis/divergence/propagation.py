"""
The fixpoint of the divergence analysis.

Every value starts as undef and only rises in the lattice. Operations wait in a queue in
program order; one that changes a result queues the users of it, the terminator of a
region the operation around it, a store of private memory the loads of the same object.
Nested loops therefore cost what changes in them, not the product of their depths.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.divergence.control import Flow, flow_of
from spmd.analysis.divergence.private_contents import PrivateContents
from spmd.analysis.divergence.unstructured import Growth, UnstructuredRegion
from spmd.analysis.memory.alloca_ssa import build_alloca_ssa
from spmd.analysis.memory.private_memory import ALLOCATIONS, memory_of
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.shapes.shape import UNDEF, UNIFORM, VARYING, Shape
from spmd.analysis.shapes.transfer import Lanes, fit_to_type
from spmd.analysis.shapes.transfer_table import transform
from spmd.dialects.enclosing import block_of, is_terminator
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs, decisions
from spmd.dialects.interfaces.memory import loaded_memory, stored_memory
from spmd.dialects.rewriting import is_poison
from spmd.dialects.spmd import BarrierOp, CollectiveOp, Scope

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
        self.unaligned_barriers = False
        self.home: dict[Block, UnstructuredRegion] = {}
        self._collectives = {
            op for op in self.operations if isinstance(op, CollectiveOp)
        }
        self.contents = PrivateContents(
            build_alloca_ssa(root, self.memory), self, len(self.lanes)
        )
        self._seeds = seeds
        self._order = {op: i for i, op in enumerate(self.operations)}
        self._queue: list[int] = []
        self._queued: set[int] = set()
        for op in (root, *self.operations):
            for value in op.results if op is not root else ():
                self.shapes[value] = seeds.get(value, self.undef)
            for region in op.regions:
                if len(region.blocks) > 1:
                    flow = UnstructuredRegion(region, len(self.lanes))
                    self.home.update(dict.fromkeys(region.blocks, flow))
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

    def seen(self, value: SSAValue, user: Operation) -> Shapes:
        """The shape of a value where it is used: after a loop it may be another one."""
        shapes = self.of(value)
        if not self.home:
            return shapes
        defined = block_of(value)
        flow = self.home.get(defined)
        return shapes if flow is None else flow.seen(shapes, defined, user)

    def all_active(self, op: Operation, dimension: int) -> bool:
        """Whether neighbours in a dimension execute `op` together or not at all."""
        at: Operation | None = op
        while at is not None and at is not self.root:
            if self._is_inactive(at, dimension):
                return False
            at = at.parent_op()
            flags = None if at is None else self.divergent.get(at)
            if flags is not None and flags[dimension]:
                return False
        return True

    # Fixpoint

    def run(self) -> None:
        """Raise shapes until nothing changes."""
        self._queue = list(range(len(self.operations)))
        self._queued = set(self._queue)
        self._visit_regions_of_root()
        self._drain()
        self.contents.settle_unwritten()
        for private in self.memory.objects.values():
            for load in private.loads:
                self._push(load)
        self._drain()
        if self._has_unaligned_barriers():
            self.unaligned_barriers = True
            for op in self.operations:
                if loaded_memory(op) is not None:
                    self._push(op)
            self._drain()

    def _drain(self) -> None:
        queue, queued, operations = self._queue, self._queued, self.operations
        while queue:
            position = heapq.heappop(queue)
            queued.discard(position)
            self._visit(operations[position])
            if not queue:
                self.contents.update(self._push)

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
            first = region.blocks.first
            for argument in () if first is None else first.args:
                self._raise(argument, (UNIFORM,) * len(self.lanes))

    def _visit(self, op: Operation) -> None:
        if op.regions:
            self._visit_control(op)
        elif (memory := loaded_memory(op)) is not None:
            self._visit_load(op, memory)
        elif stored_memory(op) is not None:
            self.contents.store_changed(op)
        elif type(op) in ALLOCATIONS:
            # What is loaded through a memref that is one of several is not known: each
            # lane has its own.
            same = self.memory.objects[op.results[0]].escapes is None and all(
                s.is_uniform for v in op.operands for s in self.seen(v, op)
            )
            shape = UNIFORM if same else VARYING
            self._raise(op.results[0], (shape,) * len(self.lanes))
        elif op.results:
            self._visit_plain(op)
        if op.successors:
            self._visit_branch(op)
        elif is_terminator(op):
            parent = op.parent_op()
            if parent is not None:
                self._push(parent)

    def _visit_branch(self, op: Operation) -> None:
        block = op.parent
        flow = None if block is None else self.home.get(block)
        if block is None or flow is None:
            return
        decides = [self.seen(each.value, op) for each in decisions(op)]
        flags = tuple(
            any(not shapes[dimension].is_uniform for shapes in decides)
            for dimension in range(len(self.lanes))
        )
        if any(flags):
            self.divergent[op] = flags
        for dimension, flag in enumerate(flags):
            if flag:
                self._grow(flow, flow.diverge(block, dimension))
        for successor in op.successors:
            self._visit_arguments(flow, successor)

    def _grow(self, flow: UnstructuredRegion, growth: Growth) -> None:
        """Look again at what depends on how the blocks of a region diverge."""
        for block in growth.arguments:
            self._visit_arguments(flow, block)
            self.contents.block_changed(block)
        for block in growth.left:
            for value in (*block.args, *(r for op in block.ops for r in op.results)):
                for use in value.uses:
                    if use.operation.parent is not block:
                        self._push(use.operation)
        if growth.activation:
            for op in self._collectives:
                self._push(op)
        if growth.left:
            self.contents.loops_changed()
            for private in self.memory.objects.values():
                for load in private.loads:
                    self._push(load)
        parent = flow.region.parent_op()
        if parent is not None:
            self.contents.control_changed(parent)
            self._push(parent)

    def _visit_arguments(self, flow: UnstructuredRegion, block: Block) -> None:
        if not block.args:
            return
        rows = [
            flow.joined(block, len(block.args), dimension, self._seen_in(dimension))
            for dimension in range(len(self.lanes))
        ]
        for argument, *shapes in zip(block.args, *rows, strict=True):
            self._raise(argument, tuple(fit_to_type(s, argument.type) for s in shapes))

    def _seen_in(self, dimension: int) -> Callable[[SSAValue, Operation], Shape]:
        seen = self.seen
        return lambda value, user: seen(value, user)[dimension]

    def _visit_plain(self, op: Operation) -> None:
        operands = [self.seen(operand, op) for operand in op.operands]
        rows: list[list[Shape]] = []
        previous: tuple[list[Shape], int | None] | None = None
        for dimension, lanes in enumerate(self.lanes):
            shapes = [operand[dimension] for operand in operands]
            if operands and previous == (shapes, lanes.extent):
                rows.append(rows[-1])
            else:
                rows.append(transform(op, shapes, lanes))
            previous = (shapes, lanes.extent)
        if op in self._collectives:
            rows = [
                [VARYING] * len(row) if self._is_inactive(op, dimension) else row
                for dimension, row in enumerate(rows)
            ]
        for result, *shapes in zip(op.results, *rows, strict=True):
            self._raise(result, tuple(shapes))

    def _is_inactive(self, op: Operation, dimension: int) -> bool:
        """Whether lanes in unstructured control flow may execute `op` one after another."""
        block = op.parent
        flow = None if block is None else self.home.get(block)
        return bool(block and flow and flow.is_inactive(block, dimension))

    def _visit_control(self, op: Operation) -> None:
        flows: list[Flow] = []
        for dimension, lanes in enumerate(self.lanes):
            flows.append(self._flow_of(op, dimension, lanes))
        for raised in zip(*(flow.shapes for flow in flows), strict=True):
            value = raised[0][0]
            self._raise(value, tuple(fit_to_type(s, value.type) for _, s in raised))
        flags = tuple(flow.diverges for flow in flows)
        if flags != self.divergent.get(op, (False,) * len(flags)):
            self.divergent[op] = flags
            self.contents.control_changed(op)

    def _flow_of(self, op: Operation, dimension: int, lanes: Lanes) -> Flow:
        def shape_of(value: SSAValue) -> Shape:
            return self.seen(value, op)[dimension]

        first = op.regions[0].blocks.first
        flow = None if first is None else self.home.get(first)
        if flow is None or not isinstance(op, scf.ExecuteRegionOp):
            return flow_of(op, shape_of, lanes)
        seen = self._seen_in(dimension)
        shapes = flow.joined(None, len(op.results), dimension, seen)
        return Flow(tuple(zip(op.results, shapes, strict=True)), False)

    # Memory

    def _visit_load(self, op: Operation, memory: SSAValue) -> None:
        private = self.memory.object_of(memory)
        shared = self.lanes[0].scope is Scope.WORK_GROUP and (
            self.memory.is_atomic(memory)
            or (self.unaligned_barriers and self.memory.is_written(memory))
        )
        addresses = [self.seen(operand, op) for operand in op.operands]
        contents = self.contents.at(op) if private is not None else ()
        rows: list[Shape] = []
        for dimension in range(len(self.lanes)):
            shapes = [address[dimension] for address in addresses]
            if any(shape.is_undef for shape in shapes):
                rows.append(UNDEF)
                continue
            same = all(shape.is_uniform for shape in shapes)
            if private is not None:
                rows.append(
                    contents[dimension] if same else contents[dimension].diverged()
                )
            else:
                rows.append(UNIFORM if same and not shared else VARYING)
        result = op.results[0]
        self._raise(result, tuple(fit_to_type(shape, result.type) for shape in rows))

    def _has_unaligned_barriers(self) -> bool:
        """Whether some lanes may pass a barrier in an iteration in which others do not."""
        if self.lanes[0].scope is not Scope.WORK_GROUP:
            return False
        return any(
            type(op) is BarrierOp and self._is_unaligned(op, dimension)
            for op in self.operations
            for dimension in range(len(self.lanes))
        )

    def _is_unaligned(self, barrier: BarrierOp, dimension: int) -> bool:
        """
        Whether divergent control flow stands between a barrier and a loop around it.

        Without a loop all lanes pass the barrier once or not at all. If a loop diverges
        but passes the barrier in every iteration, all lanes run as many iterations.
        """
        diverged = False
        at: Operation = barrier
        while at is not self.root:
            block, parent = at.parent, at.parent_op()
            assert block is not None
            assert parent is not None, "the root is around it"
            flow = self.home.get(block)
            if flow is not None:
                diverged = diverged or flow.is_inactive(block, dimension)
                if diverged and flow.is_in_loop(block):
                    return True
            control = RegionBranch.of(parent)
            if diverged and (control is None or control.runs is Runs.LOOP):
                return True
            flags = self.divergent.get(parent)
            diverged = diverged or (flags is not None and flags[dimension])
            at = parent
        return False

    # Result

    def finish(self) -> dict[SSAValue, Shapes]:
        """
        The shapes of all values, at their worst use. Code that never runs is varying, and
        so is the memref of a private object whose copies differ. Poison may be anything,
        so it may be the same in all lanes.
        """
        final = {
            value: tuple(_worst(value) if s.is_undef else s for s in shapes)
            for value, shapes in self.shapes.items()
        }
        for value in list(final) if self.home else ():
            for use in value.uses:
                there = self.seen(value, use.operation)
                if there is not self.shapes[value]:
                    joined = zip(final[value], there, strict=True)
                    final[value] = tuple(a.join(b) for a, b in joined)
        shared = {
            private: [
                self.contents.is_shared(private, d) for d in range(len(self.lanes))
            ]
            for private in self.memory.objects.values()
        }
        for value, shapes in final.items() if shared else ():
            private = None
            if isinstance(value.type, MemRefType) and not isinstance(
                value, BlockArgument
            ):
                private = self.memory.object_of(value)
            if private is not None:
                final[value] = tuple(
                    shape if shape.is_uniform and own else VARYING
                    for shape, own in zip(shapes, shared[private], strict=True)
                )
        return final


def _worst(value: SSAValue) -> Shape:
    """What a value is that no lane ever has."""
    return UNIFORM if is_poison(value) else VARYING
