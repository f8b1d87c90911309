"""
Random kernels whose indices are made of ids, counters, sizes and numbers.

Every integer is written together with bounds that hold for all work-items of the launch, so
that arrays can be made as large as their indices ask for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tests.execution.harness import Launch
from tests.fuzz.writing.programs import LAUNCHES
from tests.fuzz.writing.writer import Choose

WIDEST = 400
"""Between the bounds of an integer; a larger one is reduced."""

DATA = 8
"""Elements of the array that data-dependent indices come from, and their bound."""


class Integer(NamedTuple):
    """An SSA value of type `index`, and its bounds."""

    name: str
    low: int
    high: int


@dataclass
class FootprintKernel:
    """A kernel and its launch."""

    source: str
    launch: Launch
    sizes: dict[str, list[int]] = field(repr=False)
    numbers: list[int] = field(repr=False)

    def args(self) -> list[Any]:
        """Arguments; the first array is data."""
        arrays = [np.zeros(size, np.int64) for size in self.sizes.values()]
        return [*self.numbers, np.arange(DATA)[::-1].copy(), *arrays]

    def __repr__(self) -> str:
        return f"{self.launch}\n{self.source}"


class _Writer:
    def __init__(self, choose: Choose):
        self.choose = choose
        self.launch = LAUNCHES[choose(len(LAUNCHES))]
        self.lines: list[str] = []
        self.count = 0
        self.sizes: dict[str, list[int]] = {}
        self.numbers = [choose(5), choose(12) + 1]
        self.constants: dict[int, str] = {}
        self.visible = [
            Integer(f"%n{i}", number, number) for i, number in enumerate(self.numbers)
        ]
        self.depth = 0
        for axis, extent in enumerate(self.launch.global_size):
            size = self.launch.group_size[axis]
            groups = -(-extent // size)
            for op, low, high in (
                ("global_id", 0, extent - 1),
                ("group_id", 0, groups - 1),
                ("local_id", 0, min(size, extent) - 1),
                ("local_size", 1, min(size, extent)),
                ("enqueued_local_size", size, size),
                ("global_size", extent, extent),
                ("num_groups", groups, groups),
            ):
                self.emit(f"spmd.{op} {'xyz'[axis]}", low, high)

    def emit(self, text: str, low: int, high: int) -> Integer:
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        value = Integer(name, low, high)
        self.visible.append(value)
        return value

    def constant(self, value: int) -> str:
        return self.constants.setdefault(value, f"%c{value}".replace("-", "m"))

    def integer(self) -> Integer:
        """Any integer, old or new."""
        value = self.visible[self.choose(len(self.visible))]
        for _ in range(self.choose(4)):
            value = self.reduced(self.computed(value))
        return value

    def computed(self, x: Integer) -> Integer:
        y = self.visible[self.choose(len(self.visible))]
        k = self.choose(5) + 1
        match self.choose(13):
            case 0:
                return self.emit(
                    f"arith.addi {x.name}, {y.name} : index",
                    x.low + y.low,
                    x.high + y.high,
                )
            case 1:
                return self.emit(
                    f"arith.subi {x.name}, {y.name} : index",
                    x.low - y.high,
                    x.high - y.low,
                )
            case 2:
                text = f"arith.muli {x.name}, {self.constant(k)} : index"
                return self.emit(text, x.low * k, x.high * k)
            case 3:
                corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
                text = f"arith.muli {x.name}, {y.name} : index"
                return self.emit(text, min(corners), max(corners))
            case 4 if x.low >= 0:
                text = f"arith.remui {x.name}, {self.constant(k)} : index"
                return self.emit(text, 0, k - 1)
            case 5 if x.low >= 0 and y.low > 0:
                text = f"arith.remui {x.name}, {y.name} : index"
                return self.emit(text, 0, y.high - 1)
            case 6 if x.low >= 0:
                text = f"arith.divui {x.name}, {self.constant(k)} : index"
                return self.emit(text, x.low // k, x.high // k)
            case 7:
                text = f"arith.minsi {x.name}, {y.name} : index"
                return self.emit(text, min(x.low, y.low), min(x.high, y.high))
            case 8:
                text = f"arith.maxsi {x.name}, {y.name} : index"
                return self.emit(text, max(x.low, y.low), max(x.high, y.high))
            case 9:
                text = f"arith.select {self.condition()}, {x.name}, {y.name} : index"
                return self.emit(text, min(x.low, y.low), max(x.high, y.high))
            case 10:
                mask = (1 << k) - 1
                return self.emit(
                    f"arith.andi {x.name}, {self.constant(mask)} : index", 0, mask
                )
            case 11 if self.choose(4) == 3:
                at = self.emit(
                    f"arith.andi {x.name}, {self.constant(DATA - 1)} : index",
                    0,
                    DATA - 1,
                )
                return self.emit(
                    f"memref.load %data[{at.name}] : memref<?xindex>", 0, DATA - 1
                )
            case 12:
                return self.floored(x, k if self.choose(2) else -k)
            case _:
                text = f"arith.addi {x.name}, {self.constant(k - 3)} : index"
                return self.emit(text, x.low + k - 3, x.high + k - 3)

    def floored(self, x: Integer, by: int) -> Integer:
        """What a division by a number leaves that rounds down."""
        low, high = min(by + 1, 0), max(by - 1, 0)
        most = abs(by) - 1
        divisor = self.constant(by)
        rest = self.emit(f"arith.remsi {x.name}, {divisor} : index", -most, most)
        differ = self.signs_differ(rest.name, divisor)
        up = self.emit(
            f"arith.addi {rest.name}, {divisor} : index", by - most, by + most
        )
        self.count += 1
        some, wrong = f"%s{self.count}", f"%w{self.count}"
        zero = self.constant(0)
        self.lines.append(f"{some} = arith.cmpi ne, {rest.name}, {zero} : index")
        self.lines.append(f"{wrong} = arith.andi {some}, {differ} : i1")
        text = f"arith.select {wrong}, {up.name}, {rest.name} : index"
        return self.emit(text, low, high)

    def signs_differ(self, x: str, y: str) -> str:
        self.count += 1
        mixed, name = f"%x{self.count}", f"%d{self.count}"
        self.lines.append(f"{mixed} = arith.xori {x}, {y} : index")
        zero = self.constant(0)
        self.lines.append(f"{name} = arith.cmpi slt, {mixed}, {zero} : index")
        return name

    def reduced(self, x: Integer) -> Integer:
        if x.high - x.low <= WIDEST and abs(x.low) <= WIDEST:
            return x
        text = f"arith.andi {x.name}, {self.constant(63)} : index"
        return self.emit(text, 0, 63)

    def condition(self) -> str:
        x, y = (self.visible[self.choose(len(self.visible))] for _ in range(2))
        if self.choose(8) == 7:
            return self.signs_differ(x.name, y.name)
        predicate = ("slt", "sle", "eq", "ne", "sge", "sgt", "ult", "uge")[
            self.choose(8)
        ]
        self.count += 1
        name = f"%p{self.count}"
        right = self.constant(self.choose(20) - 4) if self.choose(2) else y.name
        self.lines.append(f"{name} = arith.cmpi {predicate}, {x.name}, {right} : index")
        if self.choose(4) == 3:
            other = self.condition()
            self.count += 1
            both = f"%p{self.count}"
            op = ("andi", "ori")[self.choose(2)]
            self.lines.append(f"{both} = arith.{op} {name}, {other} : i1")
            return both
        return name

    def access(self) -> None:
        rank = 1 + self.choose(2)
        name = f"%a{self.choose(2)}r{rank}"
        indices: list[str] = []
        size = self.sizes.setdefault(name, [1] * rank)
        for axis in range(rank):
            at = self.integer()
            if at.low:
                text = f"arith.addi {at.name}, {self.constant(-at.low)} : index"
                at = self.emit(text, 0, at.high - at.low)
            size[axis] = max(size[axis], at.high + 1)
            indices.append(at.name)
        where = f"{name}[{', '.join(indices)}] : memref<{'?x' * rank}index>"
        self.count += 1
        value = self.constant(1)
        match self.choose(5):
            case 0 | 1:
                self.lines.append(f"memref.store {value}, {where}")
            case 2:
                self.lines.append(
                    f"%o{self.count} = spmd.atomic_rmw add {value}, {where}"
                )
            case _:
                self.lines.append(f"%o{self.count} = memref.load {where}")

    def in_both(self, condition: str) -> None:
        """An access that both branches of a condition make."""
        self.access()
        access = self.lines.pop()
        self.lines += [f"scf.if {condition} {{", access, "} else {", access, "}"]

    def nested(self, head: str, *more: Integer) -> None:
        self.lines.append(head)
        outer = list(self.visible)
        self.visible += more
        self.statements()
        self.visible = outer
        self.lines.append("}")

    def statements(self) -> None:
        self.depth += 1
        for _ in range(1 + self.choose(3)):
            kind = self.choose(6) if self.depth < 4 else 0
            if kind < 3:
                self.access()
            elif kind < 5:
                condition = self.condition()
                if self.choose(4) == 3:
                    self.in_both(condition)
                    continue
                self.nested(f"scf.if {condition} {{")
                if self.choose(3) == 2:
                    self.lines.pop()
                    self.nested("} else {")
            else:
                low, high = self.integer(), self.integer()
                most = high.high if high.high - low.low <= 40 else None
                if most is None:
                    high = self.emit(
                        f"arith.andi {high.name}, {self.constant(7)} : index", 0, 7
                    )
                    low = self.emit(
                        f"arith.andi {low.name}, {self.constant(7)} : index", 0, 7
                    )
                self.count += 1
                step = self.constant(1 + self.choose(3))
                counter = Integer(
                    f"%i{self.count}", low.low, max(high.high - 1, low.low)
                )
                self.nested(
                    f"scf.for {counter.name} = {low.name} to {high.name} step {step} {{",
                    counter,
                )
        self.depth -= 1


def write_footprint_kernel(choose: Choose) -> FootprintKernel:
    """A kernel that accesses many elements."""
    writer = _Writer(choose)
    writer.statements()
    arrays = "".join(
        f", {name}: memref<{'?x' * len(size)}index>"
        for name, size in writer.sizes.items()
    )
    constants = [
        f"{name} = arith.constant {value} : index"
        for value, name in writer.constants.items()
    ]
    body = "\n  ".join((*constants, *writer.lines))
    source = (
        f"spmd.kernel @k(%n0: index, %n1: index, %data: memref<?xindex>{arrays}) {{\n"
        f"  {body}\n  spmd.return\n}}\n"
    )
    return FootprintKernel(source, writer.launch, writer.sizes, writer.numbers)
