"""
Random kernels of blocks and branches, for the analysis alone: they compute little, but
their control flow is any reducible graph, and values are used wherever they are visible.

Every loop is left at its latch after a few iterations at the latest.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from spmd.analysis.graphs.cfg import (
    back_edges,
    natural_loops,
)
from spmd.analysis.graphs.dominators import dominates, immediate_dominators
from spmd.analysis.graphs.traversal import reverse_post_order
from tests.analysis.explorer import random_successors

HEAD = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %lid = spmd.local_id x
  %lidy = spmd.local_id y
  %gid = spmd.global_id x
  %own = memref.alloca() : memref<4xindex>
  %other = memref.alloca() : memref<4xindex>
  memref.store %c1, %own[%c0] : memref<4xindex>
  memref.store %c1, %other[%c0] : memref<4xindex>
  memref.store %c2, %own[%c1] : memref<4xindex>
  memref.store %c2, %other[%c1] : memref<4xindex>
  memref.store %c3, %own[%c2] : memref<4xindex>
  memref.store %c3, %other[%c2] : memref<4xindex>
  memref.store %c4, %own[%c3] : memref<4xindex>
  memref.store %c4, %other[%c3] : memref<4xindex>
"""
INDICES: tuple[str, ...] = ("%c0", "%c1", "%c4", "%c5", "%lid", "%lidy", "%gid", "%n")


@dataclass
class _Block:
    lines: list[str] = field(default_factory=list[str])
    arguments: list[str] = field(default_factory=list[str])
    values: list[str] = field(default_factory=list[str])


def loops_end_at_latches(successors: list[list[int]]) -> bool:
    """Whether every latch can leave its loop."""
    back, _ = back_edges(successors, 0)
    loops = natural_loops(successors, back)
    return all(
        any(s not in loops[header].nodes for s in successors[latch])
        for latch, header in back
    )


class KernelWriter:
    """Writes one kernel."""

    def __init__(self, generator: random.Random, size: int):
        self.choose = generator
        while not loops_end_at_latches(
            successors := random_successors(generator, size)
        ):
            pass
        self.successors = successors
        self.back = set(back_edges(successors, 0)[0])
        self.loops = natural_loops(successors, list(self.back))
        self.dominator = immediate_dominators(0, successors.__getitem__)
        self.order = reverse_post_order(0, successors.__getitem__)
        self.blocks = [_Block() for _ in successors]
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def visible(self, block: int) -> list[str]:
        """Values of all blocks that dominate one, those of the block itself included."""
        found = list(INDICES)
        for i, other in enumerate(self.blocks):
            if dominates(self.dominator, i, block):
                found += other.values
        return found

    def pick(self, block: int) -> str:
        values = self.visible(block)
        # Prefer what is new.
        return self.choose.choice(values[-6:] if self.choose.random() < 0.6 else values)

    def index_of_array(self, block: int) -> str:
        name = self.new()
        self.blocks[block].lines.append(
            f"{name} = arith.remui {self.pick(block)}, %c4 : index"
        )
        return name

    def statement(self, block: int) -> None:
        lines, values = self.blocks[block].lines, self.blocks[block].values
        kind = self.choose.randrange(10)
        if kind < 5:
            op = self.choose.choice(("addi", "addi", "muli", "andi", "subi", "minui"))
            text = f"arith.{op} {self.pick(block)}, {self.pick(block)} : index"
        elif kind < 6:
            text = f"memref.load %table[{self.index_of_array(block)}] : memref<?xindex>"
        elif kind < 8:
            array = self.choose.choice(("%own", "%other"))
            where = self.choose.choice(("%c0", "%c1", self.index_of_array(block)))
            text = f"memref.load {array}[{where}] : memref<4xindex>"
        else:
            array = self.choose.choice(("%own", "%other"))
            where = self.choose.choice(("%c0", "%c1", self.index_of_array(block)))
            lines.append(
                f"memref.store {self.pick(block)}, {array}[{where}] : memref<4xindex>"
            )
            return
        name = self.new()
        lines.append(f"{name} = {text}")
        values.append(name)

    def condition(self, block: int) -> str:
        name = self.new()
        predicate = self.choose.choice(("ult", "eq", "ne", "uge"))
        self.blocks[block].lines.append(
            f"{name} = arith.cmpi {predicate}, {self.pick(block)}, "
            f"{self.pick(block)} : index"
        )
        return name

    def edge(self, source: int, target: int) -> str:
        """A successor with its operands: the iteration count comes first."""
        operands: list[str] = []
        if target in self.loops:
            again = (source, target) in self.back
            operands.append(f"%next{target}" if again else "%c0")
        while len(operands) < len(self.blocks[target].arguments):
            operands.append(self.pick(source))
        if not operands:
            return f"^b{target}"
        types = ", ".join("index" for _ in operands)
        return f"^b{target}({', '.join(operands)} : {types})"

    def terminator(self, block: int) -> None:
        lines, nexts = self.blocks[block].lines, self.successors[block]
        headers = [s for s in nexts if (block, s) in self.back]
        if headers:
            # Stay at most so many iterations; which one may depend on the work-item.
            header = headers[0]
            limit, stay, both = self.new(), self.new(), self.new()
            bound = self.choose.choice(("%c2", "%c3", "%c1", "%lid"))
            lines.append(f"{limit} = arith.minui {bound}, %c3 : index")
            lines.append(f"{stay} = arith.cmpi ult, %k{header}, {limit} : index")
            lines.append(f"{both} = arith.andi {stay}, {self.condition(block)} : i1")
            inside = self.loops[header].nodes
            leave = next(s for s in nexts if s not in inside)
            lines.append(
                f"cf.cond_br {both}, {self.edge(block, header)}, "
                f"{self.edge(block, leave)}"
            )
        elif not nexts:
            lines.append("spmd.return")
        elif len(nexts) == 1:
            lines.append(f"cf.br {self.edge(block, nexts[0])}")
        elif len(nexts) == 2:
            condition = self.condition(block)
            first, second = (self.edge(block, s) for s in nexts)
            lines.append(f"cf.cond_br {condition}, {first}, {second}")
        else:
            flag, narrow = self.index_of_array(block), self.new()
            lines.append(f"{narrow} = arith.index_cast {flag} : index to i32")
            cases = ", ".join(
                f"{i}: {self.edge(block, s)}" for i, s in enumerate(nexts[1:])
            )
            lines.append(
                f"cf.switch {narrow} : i32, [ default: {self.edge(block, nexts[0])}, "
                f"{cases} ]"
            )

    def write(self) -> str:
        """The text of the kernel."""
        for number, block in enumerate(self.blocks):
            if number in self.loops:
                block.arguments.append(f"%k{number}")
            for _ in range(self.choose.randrange(3) if number else 0):
                block.arguments.append(self.new())
            block.values += block.arguments
            if number in self.loops:
                block.lines.append(
                    f"%next{number} = arith.addi %k{number}, %c1 : index"
                )
        for block in self.order:
            for _ in range(self.choose.randrange(4)):
                self.statement(block)
        for block in self.order:
            self.terminator(block)
        text = ["spmd.kernel @fuzz(%n: index, %table: memref<?xindex>) {", HEAD]
        for number, block in enumerate(self.blocks):
            if number:
                arguments = ", ".join(f"{a}: index" for a in block.arguments)
                text.append(
                    f"^b{number}({arguments}):" if arguments else f"^b{number}:"
                )
            text += [f"  {line}" for line in block.lines]
        return "\n".join([*text, "}"])


def write_kernel(generator: random.Random, size: int) -> str:
    """A random kernel `@fuzz(index, memref<?xindex>)`; the array has at least 4 elements."""
    return KernelWriter(generator, size).write()
