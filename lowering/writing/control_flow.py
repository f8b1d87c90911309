"""
Regions with many blocks: a body of `func.func`, or of `scf.execute_region`.

Block arguments become phis. A branch that reaches one block twice with arguments gets a
block of its own per edge, because LLVM's phi knows an edge by its origin only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.graphs.traversal import reverse_post_order, successors_of
from spmd.dialects.interfaces.control_flow import forwarded
from spmd.lowering.writing.dispatch import write_block, write_op
from spmd.lowering.writing.function_writer import FunctionWriter

BranchText = Callable[[FunctionWriter, Any, Sequence[str]], str]
"""The instruction of a terminator, given the labels of its successors."""

BRANCHES: dict[str, BranchText] = {}
"""Terminators with successors, by name; `cf.py` fills it."""


class Join:
    """A block that several branches reach, with the values that they bring."""

    def __init__(self, writer: FunctionWriter, label: str):
        self.writer = writer
        self.label = label
        self._phis: list[tuple[int, str, str]] = []
        self._edges: list[tuple[str, Sequence[str]]] = []

    def start(self) -> Join:
        """Starts the block; phis come next, edges may come before or later."""
        self.writer.start(self.label)
        return self

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


class Cfg:
    """The blocks of one region while they are written."""

    def __init__(self, writer: FunctionWriter, region: Region):
        self.writer = writer
        _, *others = region.blocks
        self.joins = {block: Join(writer, writer.fresh("bb")) for block in others}

    def _edge(self, to: Block, values: Sequence[SSAValue]) -> str:
        """Records an edge from the block being written; the label to branch to."""
        join = self.joins[to]
        join.add(self.writer.block, components_of(self.writer, values))
        return join.label

    def branch(self, op: Operation, write: BranchText) -> None:
        """Ends the block by `op`, which `write` makes a text of."""
        labels: list[str] = []
        detours: list[tuple[str, Block, Sequence[SSAValue]]] = []
        seen: set[Block] = set()
        for block, operands in zip(op.successors, forwarded(op), strict=True):
            values = [operand.value for operand in operands]
            if block not in seen:
                labels.append(self._edge(block, values))
            elif not values:
                labels.append(self.joins[block].label)
            else:
                labels.append(self.writer.fresh("edge"))
                detours.append((labels[-1], block, values))
            seen.add(block)
        self.writer.emit(write(self.writer, op, labels))
        for label, block, values in detours:
            self.writer.start(label)
            self.writer.jump(self._edge(block, values))


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
    for block in reverse_post_order(blocks[0], successors_of):
        if (join := cfg.joins.get(block)) is not None:
            join.start().bind(block.args)
        _terminate(writer, write_block(writer, block), cfg, leave)
    for join in cfg.joins.values():
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
    branch = BRANCHES.get(terminator.name)
    if branch is not None and cfg is not None:
        cfg.branch(terminator, branch)
        return
    write_op(writer, terminator)
