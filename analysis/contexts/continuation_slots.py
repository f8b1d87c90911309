"""
Which values of a kernel of continuations share a context.

A context is written where its value is defined, and read only when a sub-CFG begins. So it
is live from a definition to the last sync behind which a sub-CFG needs the value, unless
the value is defined again on the way: ordinary liveness on the blocks of the kernel, with
uses at syncs. What goes into a collective is written before the sync and read at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Block, Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import is_sync
from spmd.analysis.barriers.sub_cfgs import Cfg, SubCfg, end_of
from spmd.analysis.contexts.context_cut import why_not_recomputed
from spmd.analysis.contexts.context_slots import Slot
from spmd.analysis.contexts.continuation_needs import ContinuationNeeds
from spmd.analysis.contexts.slot_colouring import Sharing
from spmd.analysis.divergence.unstructured import branch_of
from spmd.analysis.graphs.bit_vectors import numbers
from spmd.dialects.spmd import ScanOp


@dataclass(frozen=True)
class ContinuationSlots:
    """The contexts of one kernel, and what they keep."""

    slots: tuple[Slot, ...]
    of_value: Mapping[SSAValue, Slot]
    inputs: Mapping[Operation, Slot]
    """What keeps the values that go into a collective."""

    kept: frozenset[Operation]
    """Those whose value is there anyway, because it is needed later."""


def assign_continuation_slots(
    needs: ContinuationNeeds, cfg: Cfg, sub_cfgs: tuple[SubCfg, ...]
) -> ContinuationSlots:
    """Let as few contexts as is easy to see hold all values."""
    return _Assigner(needs, cfg, sub_cfgs).assign()


class _Assigner:
    """A node, by its number, is a stored value, or a collective for what goes into it."""

    def __init__(
        self, needs: ContinuationNeeds, cfg: Cfg, sub_cfgs: tuple[SubCfg, ...]
    ):
        self.needs = needs
        self.cfg = cfg
        self.of_sync = {sub_cfg.sync: sub_cfg for sub_cfg in sub_cfgs}
        self.blocks = tuple({b: None for s in sub_cfgs for b in s.blocks})
        self.number: dict[SSAValue | Operation, int] = {}
        for value in needs.stored:
            self.number[value] = len(self.number)
        self.live = self._live_at_end()
        self.own = {
            sync: value
            for sync, value in needs.inputs.items()
            if sync in self.of_sync and not self._is_live(value, sync)
        }
        """The collectives whose input needs a context for nothing else."""

        for sync in self.own:
            self.number[sync] = len(self.number)
        self.nodes = tuple(self.number)
        self.sharing = Sharing([self._type_of(node) for node in self.nodes])

    def _is_live(self, value: SSAValue, sync: Operation) -> bool:
        """Whether the context of `value` holds it at `sync`, because it is needed later."""
        assert sync.parent is not None, "a sync stands in a block"
        number = self.number.get(value)
        return number is not None and bool(self.live[sync.parent] >> number & 1)

    def _type_of(self, node: SSAValue | Operation) -> Attribute:
        return node.type if isinstance(node, SSAValue) else self.own[node].type

    def assign(self) -> ContinuationSlots:
        for block in self.blocks:
            self._separate(block, self.live[block])
        for copy, source in self._copies():
            self.sharing.merge(copy, source)
        place = self.sharing.share()
        slots: dict[int, Slot] = {}
        for node, number in self.number.items():
            if (head := place[number]) not in slots:
                slots[head] = self._new_slot(self.nodes[number])
            if isinstance(node, SSAValue):
                slots[head].values.append(node)
        of_value = {
            value: slots[place[self.number[value]]] for value in self.needs.stored
        }
        inputs = {
            sync: slots[place[self.number[sync]]]
            if sync in self.own
            else of_value[value]
            for sync, value in self.needs.inputs.items()
            if sync in self.of_sync
        }
        kept = frozenset(sync for sync in inputs if sync not in self.own)
        return ContinuationSlots(tuple(slots.values()), of_value, inputs, kept)

    def _new_slot(self, node: SSAValue | Operation) -> Slot:
        if isinstance(node, Operation):
            value = self.own[node]
            reason = f"goes into {node.name} and differs between work-items"
            return Slot(value.type, value.name_hint, node, reason)
        owner = node.owner
        if isinstance(owner, Operation):
            reason = why_not_recomputed(owner)
            return Slot(node.type, node.name_hint, owner, reason)
        reason = "comes on several ways and differs between work-items"
        return Slot(node.type, node.name_hint, end_of(owner), reason)

    # Liveness.

    def _bits(self, nodes: Iterable[SSAValue | Operation]) -> int:
        bits = 0
        for node in nodes:
            if (number := self.number.get(node)) is not None:
                bits |= 1 << number
        return bits

    def _live_at_end(self) -> dict[Block, int]:
        """What is live when all of a block has run, and when all wait at its sync."""
        defined = {
            block: self._bits(
                (*block.args, *(r for op in block.ops for r in op.results))
            )
            for block in self.blocks
        }
        entered = {
            sync: self._bits(self.needs.entered.get(sub_cfg, ()))
            for sync, sub_cfg in self.of_sync.items()
        }
        before = dict.fromkeys(self.blocks, 0)
        live = dict.fromkeys(self.blocks, 0)
        changed = True
        while changed:
            changed = False
            for block in reversed(self.blocks):
                end, found = end_of(block), 0
                for after in self.cfg.successors(block):
                    found |= before[after]
                if end in entered:
                    found |= entered[end]
                live[block] = found
                found &= ~defined[block]
                if found != before[block]:
                    before[block] = found
                    changed = True
        return live

    def _separate(self, block: Block, live: int) -> None:
        """Keep what `block` writes out of the contexts of what is live then."""
        end = end_of(block)
        if isinstance(end, ScanOp):
            live = self._write(end.results, live)
        if end in self.own:
            live = self._write((end,), live)
        op = end.prev_op
        while op is not None:
            live = self._write(op.results, live)
            op = op.prev_op
        self._write(block.args, live)

    def _write(self, nodes: Sequence[SSAValue | Operation], live: int) -> int:
        """Note that `nodes` are written together; what is live before that."""
        written = self._bits(nodes)
        for number in numbers(written):
            self.sharing.separate(number, live | written)
        return live & ~written

    def _copies(self) -> Iterator[tuple[int, int]]:
        """The arguments of blocks, with the values that branches pass on to them."""
        for block in self.blocks:
            end = end_of(block)
            if is_sync(end):
                continue
            for after, values in zip(
                end.successors, branch_of(end).operands or (), strict=False
            ):
                for argument, value in zip(after.args, values, strict=True):
                    copy, source = self.number.get(argument), self.number.get(value)
                    if copy is not None and source is not None:
                        yield copy, source
        for sync, value in self.own.items():
            if (source := self.number.get(value)) is not None:
                yield self.number[sync], source
