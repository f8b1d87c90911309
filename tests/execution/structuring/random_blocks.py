"""
Random kernels of blocks that tell which path they took.

Every block writes its number, and a mixture of values that it can see, to the next place
of a trace. Where it goes is read from an array, until a limit is reached; then it takes
the shortest path to the end. The graph may be any: loops may be entered in several places.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from spmd.analysis.graphs.dominators import dominates, immediate_dominators
from spmd.analysis.graphs.traversal import reverse_post_order
from tests.analysis.explorer import ends_everywhere, random_successors

LIMIT = 40
"""Steps after which a kernel heads for its end."""

ROOM = 3 * LIMIT
"""Steps that a kernel may take at all."""


def random_irreducible(generator: random.Random, size: int) -> list[list[int]]:
    """Any graph in which every block can be reached and reaches an end."""
    while True:
        successors: list[list[int]] = [[] for _ in range(size)]
        for node in range(1, size):
            successors[generator.randrange(node)].append(node)
        for _ in range(generator.randrange(2 * size)):
            a, b = generator.randrange(size), generator.randrange(1, size)
            if len(successors[a]) < 4:
                successors[a].append(b)
        if all(len(nexts) <= 4 for nexts in successors) and ends_everywhere(successors):
            return successors


def _distances(successors: Sequence[Sequence[int]]) -> list[int]:
    """How many jumps each block is away from an end."""
    far = len(successors)
    distance = [far if nexts else 0 for nexts in successors]
    for _ in successors:
        for node, nexts in enumerate(successors):
            if nexts:
                distance[node] = 1 + min(distance[after] for after in nexts)
    return distance


class BlocksWriter:
    """Writes one kernel."""

    def __init__(self, generator: random.Random, successors: list[list[int]]):
        self.choose = generator
        self.successors = successors
        self.dominator = immediate_dominators(0, successors.__getitem__)
        self.distance = _distances(successors)
        self.values: list[list[str]] = [[] for _ in successors]
        self.arguments = [
            [f"%a{block}_{k}" for k in range(generator.randrange(3))] if block else []
            for block in range(len(successors))
        ]
        self.lines: list[str] = []
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def visible(self, block: int) -> str:
        """A value of a block on every path to this one."""
        found = ["%zero", "%one", "%seven", "%first"]
        for other in range(len(self.successors)):
            if dominates(self.dominator, other, block):
                found += self.arguments[other] + self.values[other]
        return self.choose.choice(found[-8:] if self.choose.random() < 0.5 else found)

    def op(self, text: str) -> str:
        name = self.new()
        self.lines.append(f"  {name} = {text}")
        return name

    def target(self, block: int, to: int) -> str:
        operands = [self.visible(block) for _ in self.arguments[to]]
        types = ", ".join("i32" for _ in operands)
        return f"^b{to}({', '.join(operands)} : {types})" if operands else f"^b{to}"

    def block(self, block: int) -> None:
        if block:
            listed = ", ".join(f"{name}: i32" for name in self.arguments[block])
            self.lines.append(f"^b{block}({listed}):" if listed else f"^b{block}:")
        for _ in range(self.choose.randrange(3)):
            text = self.choose.choice(("addi", "muli", "xori"))
            pair = f"{self.visible(block)}, {self.visible(block)}"
            self.values[block].append(self.op(f"arith.{text} {pair} : i32"))
        step = self.op("memref.load %steps[] : memref<index>")
        number = self.op(f"arith.constant {block} : i32")
        mixed = self.visible(block)
        for _ in range(2):
            mixed = self.op(f"arith.addi {mixed}, {self.visible(block)} : i32")
        self.lines += [
            f"  memref.store {number}, %path[%i, {step}] : memref<?x{ROOM}xi32>",
            f"  memref.store {mixed}, %saw[%i, {step}] : memref<?x{ROOM}xi32>",
        ]
        following = self.op(f"arith.addi {step}, %c1 : index")
        self.lines.append(f"  memref.store {following}, %steps[] : memref<index>")
        self.end(block, step)

    def end(self, block: int, step: str) -> None:
        nexts = self.successors[block]
        if not nexts:
            self.lines.append("  spmd.return")
            return
        targets = [self.target(block, to) for to in nexts]
        if len(nexts) == 1:
            self.lines.append(f"  cf.br {targets[0]}")
            return
        out = min(range(len(nexts)), key=lambda k: self.distance[nexts[k]])
        read = self.op(f"memref.load %decisions[%i, {step}] : memref<?x{ROOM}xi32>")
        free = self.op(f"arith.cmpi ult, {step}, %limit : index")
        home = self.op(f"arith.constant {out} : i32")
        chosen = self.op(f"arith.select {free}, {read}, {home} : i32")
        if len(nexts) == 2:
            bit = self.op(f"arith.andi {chosen}, %one : i32")
            first = self.op(f"arith.cmpi eq, {bit}, %zero : i32")
            self.lines.append(f"  cf.cond_br {first}, {targets[0]}, {targets[1]}")
            return
        cases = ", ".join(f"{k}: {to}" for k, to in enumerate(targets[1:], 1))
        self.lines.append(
            f"  cf.switch {chosen} : i32, [default: {targets[0]}, {cases}]"
        )

    def write(self) -> str:
        for block in reverse_post_order(0, self.successors.__getitem__):
            self.block(block)
        trace = f"memref<?x{ROOM}xi32>"
        return "\n".join(
            [
                f"spmd.kernel @k(%decisions: {trace}, %path: {trace}, %saw: {trace}) {{",
                "  %i = spmd.global_id x",
                "  %c0 = arith.constant 0 : index",
                "  %c1 = arith.constant 1 : index",
                f"  %limit = arith.constant {LIMIT} : index",
                "  %zero = arith.constant 0 : i32",
                "  %one = arith.constant 1 : i32",
                "  %seven = arith.constant 7 : i32",
                "  %first = memref.load %decisions[%i, %c0] : " + trace,
                "  %steps = memref.alloca() : memref<index>",
                "  memref.store %c0, %steps[] : memref<index>",
                *self.lines,
                "}",
            ]
        )


def random_blocks(seed: int, size: int, *, reducible: bool) -> str:
    """The text of a random kernel."""
    generator = random.Random(seed)
    graph = random_successors if reducible else random_irreducible
    return BlocksWriter(generator, graph(generator, size)).write()
