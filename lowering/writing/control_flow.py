"""
Regions with many blocks: a body of `func.func`, or of `scf.execute_region`.

Block arguments become phis. A branch that reaches one block twice with arguments gets a
block of its own per edge, because LLVM's phi knows an edge by its origin only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.graphs.traversal import reverse_post_order, successors_of
from spmd.lowering.writing.dispatch import write_block, write_op
from spmd.lowering.writing.function_writer import FunctionWriter


class Join:
    """A block that several branches reach, with the values that they bring."""

    def __init__(self, writer: FunctionWriter, label: str):
        """Starts the block; phis come next, edges may come later."""
        self.writer = writer
        self.label = label
        self._phis: list[tuple[int, str, str]] = []
        self._edges: list[tuple[str, Sequence[str]]] = []
        writer.start(label)

    def phi(self, type_: str, hint: str | None) -> str:
        """Reserves a phi; its operand."""
        name = "%" + self.writer.fresh(hint)
        self._phis.append((self.writer.reserve(), name, type_))
        return name

    def bind(self, values: Sequence[SSAValue]) -> None:
        """Makes values the phis of this block."""
        writer = self.writer
        for value in values:
            types = writer.component_types(value)
            writer.set_components(value, [self.phi(*type_) for type_ in types])

    def add(self, origin: str, operands: Sequence[str]) -> None:
        """Records an edge, with one operand for each phi."""
        self._edges.append((origin, operands))

    def finish(self) -> None:
        """Writes the phis; all edges must be known."""
        for k, (line, name, type_) in enumerate(self._phis):
            edges = ", ".join(
                f"[ {operands[k]}, %{origin} ]" for origin, operands in self._edges
            )
            self.writer.lines[line] = f"  {name} = phi {type_} {edges}"


def components_of(writer: FunctionWriter, values: Sequence[SSAValue]) -> list[str]:
    """The operands that `values` bring to the phis of a join."""
    return [operand for value in values for operand in writer.components(value)]


@dataclass
class _PendingEdge:
    """A branch to a block that may not be written yet."""

    origin: str
    operands: list[str]


class Cfg:
    """The blocks of one region while they are written."""

    def __init__(self, writer: FunctionWriter, region: Region):
        self.writer = writer
        self.labels: dict[Block, str] = {}
        self.edges: dict[Block, list[_PendingEdge]] = {}
        for number, block in enumerate(region.blocks):
            if number:
                self.labels[block] = writer.fresh("bb")
            self.edges[block] = []

    def edge(self, to: Block, values: Sequence[SSAValue]) -> str:
        """Records an edge from the block being written; the label to branch to."""
        operands = components_of(self.writer, values)
        self.edges[to].append(_PendingEdge(self.writer.block, operands))
        return self.labels[to]

    def edges_of(
        self, targets: Sequence[tuple[Block, Sequence[SSAValue]]]
    ) -> tuple[list[str], list[tuple[str, Block, Sequence[SSAValue]]]]:
        """
        Records all edges of one terminator; the labels to branch to.

        The second result are edges that need a block of their own, to be written after
        the terminator.
        """
        labels: list[str] = []
        detours: list[tuple[str, Block, Sequence[SSAValue]]] = []
        seen: set[Block] = set()
        for block, values in targets:
            if block in seen and values:
                label = self.writer.fresh("edge")
                detours.append((label, block, values))
                labels.append(label)
                continue
            if block in seen:
                labels.append(self.labels[block])
                continue
            seen.add(block)
            labels.append(self.edge(block, values))
        return labels, detours

    def write_detours(
        self, detours: Sequence[tuple[str, Block, Sequence[SSAValue]]]
    ) -> None:
        """Writes the blocks of their own that `edges_of` asked for."""
        for label, block, values in detours:
            self.writer.start(label)
            self.writer.jump(self.edge(block, values))


Terminator = Callable[[FunctionWriter, Operation, Cfg], None]

CFG_TERMINATORS: dict[str, Terminator] = {}
"""Terminators with successors, by name; `cf.py` fills it."""

LeaveRegion = Callable[[Operation], None]


def write_cfg(
    writer: FunctionWriter, region: Region, leave: dict[str, LeaveRegion]
) -> None:
    """
    Writes the blocks of a region, from the block being written on.

    `leave` says what to do at a terminator that leaves the region, by name; others have
    an emitter (`func.return`).
    """
    blocks = region.blocks
    if len(blocks) == 1:
        _terminate(writer, write_block(writer, blocks[0]), None, leave)
        return
    cfg = Cfg(writer, region)
    joins: list[tuple[Block, Join]] = []
    for block in reverse_post_order(blocks[0], successors_of):
        if block is not blocks[0]:
            join = Join(writer, cfg.labels[block])
            join.bind(block.args)
            joins.append((block, join))
        _terminate(writer, write_block(writer, block), cfg, leave)
    for block, join in joins:
        for edge in cfg.edges[block]:
            join.add(edge.origin, edge.operands)
        join.finish()


def _terminate(
    writer: FunctionWriter,
    terminator: Operation,
    cfg: Cfg | None,
    leave: dict[str, LeaveRegion],
) -> None:
    if (action := leave.get(terminator.name)) is not None:
        action(terminator)
        return
    branch = CFG_TERMINATORS.get(terminator.name)
    if branch is not None and cfg is not None:
        branch(writer, terminator, cfg)
        return
    write_op(writer, terminator)
