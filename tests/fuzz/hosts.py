"""
Random host functions: what they allocate, view, copy and launch, and in which order.

Kernels are few and simple, and right for arrays of any sizes; what is random is what the host does
with them. Of each array is known of which others it may be a part, so that no launch has a race.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.fuzz.writing.writer import Choose, Lines

LINE, PLANE = "memref<?xi32>", "memref<?x?xi32>"
STRIDED = "memref<?xi32, strided<[?], offset: ?>>"
SIZE = 12
"""Elements of the arguments, and most of what is allocated."""

KERNELS = Path(__file__).with_name("host_kernels.mlir").read_text()


@dataclass(frozen=True)
class Array:
    """A memref of the host, and the memory that it is, or may be, part of."""

    name: str
    type: str
    memory: frozenset[int]


@dataclass
class Scope:
    """What is known in a region."""

    arrays: list[Array] = field(default_factory=list[Array])
    numbers: list[str] = field(default_factory=list[str])
    """Of i32."""


class Hosts(Lines):
    """Writes one module with host functions."""

    def __init__(self, choose: Choose):
        super().__init__(choose)
        self.scopes: list[Scope] = []
        self.names, self.memories = count(), count()
        self.budget = 0
        self.helpers: list[str] = []
        self.mine: frozenset[int] = frozenset()
        """Memory that a function asked for and may give back."""

    def let(self, text: str) -> str:
        name = f"%v{next(self.names)}"
        self.line(f"{name} = {text}")
        return name

    # --- what there is ------------------------------------------------------------------

    def arrays(self, type_: str) -> list[Array]:
        return [a for s in self.scopes for a in s.arrays if a.type == type_]

    def array(self, type_: str = LINE) -> Array:
        return self.pick(self.arrays(type_))

    def number(self) -> str:
        if self.maybe(4):
            return self.let(f"arith.constant {self.pick((1, 3, -7, 100))} : i32")
        found = [n for scope in self.scopes for n in scope.numbers]
        return found[len(found) - 1 - self.choose(min(5, len(found)))]

    def index(self, least: int = 0) -> str:
        """From `least` on, below it and `SIZE`."""
        size = self.let(f"arith.constant {SIZE} : index")
        wide = self.let(f"arith.index_castui {self.number()} : i32 to index")
        small = self.let(f"arith.remui {wide}, {size} : index")
        if not least:
            return small
        by = self.let(f"arith.constant {least} : index")
        return self.let(f"arith.addi {small}, {by} : index")

    def add(self, text: str, type_: str, memory: frozenset[int]) -> Array:
        made = Array(self.let(text), type_, memory)
        self.scopes[-1].arrays.append(made)
        return made

    def element(self, array: Array) -> str:
        """Where one is."""
        places: list[str] = []
        for dimension in range(array.type.count("?x")):
            size = self.let(f"memref.dim {array.name}, %c{dimension} : {array.type}")
            places.append(self.let(f"arith.remui {self.index()}, {size} : index"))
        return f"{array.name}[{', '.join(places)}] : {array.type}"

    # --- statements ---------------------------------------------------------------------

    def statement(self) -> None:
        self.budget -= 1
        simple = (
            *(self.launch, self.launch, self.launch, self.allocate, self.load),
            *(self.store, self.part, self.row, self.copy, self.whole, self.chosen),
            *(self.compute, self.flat, self.give_back, self.call),
        )
        nested = self.branch, self.loop, self.repeat
        kind = self.choose(len(simple) + len(nested))
        if kind >= len(simple) and len(self.scopes) < 4:
            nested[kind - len(simple)]()
        else:
            simple[kind % len(simple)]()

    def launch(self) -> None:
        """A kernel on arrays that do not share memory if it reads what others write."""
        size, group, k = self.index(), self.index(1), self.number()
        name = self.pick(
            ("fill", "add", "turn", "total", "scale", "plane", "meet", "add")
        )
        extent = self.pick(("groups", "global"))
        sizes, of = f"{extent}({size})", f" of({group})"
        if name == "plane":
            array = self.array(PLANE)
            sizes, of = f"{extent}({size}, {self.index()})", f" of({group}, %c2)"
            arguments, types = f"{array.name}", PLANE
        elif name in ("fill", "meet"):
            array = self.array()
            arguments, types = array.name, LINE
            if name == "meet":
                arguments += f", local({group})"
                types += ", memref<?xi32, #spmd.memory<local>>"
        elif name == "scale":
            arrays = self.arrays(STRIDED)
            if not arrays:
                return
            arguments, types = self.pick(arrays).name, STRIDED
            of = self.pick(("", " of(%c4)"))
        else:
            x, y = self.array(), self.array()
            same = x == y and name == "add"
            if x.memory & y.memory and not same:
                return
            arguments, types = f"{x.name}, {y.name}", f"{LINE}, {LINE}"
        self.line(f"spmd.launch @{name} {sizes}{of} ({k}, {arguments}) : i32, {types}")

    def allocate(self) -> None:
        """New memory, which is filled."""
        memory = frozenset({next(self.memories)})
        if self.maybe(3):
            kind = self.pick(("alloc", "alloca"))
            fixed = f"memref<{SIZE}xi32>"
            made = self.let(f"memref.{kind}() : {fixed}")
            new = self.add(f"memref.cast {made} : {fixed} to {LINE}", LINE, memory)
        else:
            new = self.add(f"memref.alloc({self.index(4)}) : {LINE}", LINE, memory)
            self.mine |= memory
        size = self.let(f"memref.dim {new.name}, %c0 : {LINE}")
        call = f"({self.number()}, {new.name}) : i32, {LINE}"
        self.line(f"spmd.launch @fill global({size}) of(%c4) {call}")

    def load(self) -> None:
        array = self.pick([a for s in self.scopes for a in s.arrays])
        self.scopes[-1].numbers.append(self.let(f"memref.load {self.element(array)}"))

    def store(self) -> None:
        array, value = (
            self.pick([a for s in self.scopes for a in s.arrays]),
            self.number(),
        )
        self.line(f"memref.store {value}, {self.element(array)}")

    def compute(self) -> None:
        a, b = self.number(), self.number()
        name = self.pick(("addi", "muli", "xori", "minsi", "subi"))
        self.scopes[-1].numbers.append(self.let(f"arith.{name} {a}, {b} : i32"))

    def give_back(self) -> None:
        """Memory that was asked for here, and that nothing is part of."""
        own = [
            a
            for a in self.scopes[-1].arrays
            if a.type == LINE and a.memory <= self.mine
        ]
        others = [a for scope in self.scopes for a in scope.arrays]
        for array in own:
            if sum(bool(a.memory & array.memory) for a in others) == 1:
                self.line(f"memref.dealloc {array.name} : {LINE}")
                self.scopes[-1].arrays.remove(array)
                return

    def call(self) -> None:
        """A function that makes memory, or one that does more with three arrays."""
        if not self.helpers or self.maybe():
            memory = frozenset({next(self.memories)})
            self.mine |= memory
            arguments = f"({self.number()}, {self.index(4)}) : (i32, index)"
            self.add(f"func.call @made{arguments} -> {LINE}", LINE, memory)
            return
        given = [self.array(), self.array(), self.array(PLANE)]
        a, b, c = (each.memory for each in given)
        if a & b or b & c or a & c:
            return
        names = ", ".join(each.name for each in given)
        text = f"func.call {self.pick(self.helpers)}({names}, {self.number()})"
        number = self.let(f"{text} : ({LINE}, {LINE}, {PLANE}, i32) -> i32")
        self.scopes[-1].numbers.append(number)

    def part(self) -> None:
        """One or two elements of an array, which has four at least."""
        array = self.array()
        offset, step = self.pick(("%c0", "%c1")), self.pick(("%c1", "%c2"))
        size = self.pick(("%c1", "%c2"))
        text = f"memref.subview {array.name}[{offset}] [{size}] [{step}] : {LINE} to {STRIDED}"
        self.add(text, STRIDED, array.memory)

    def row(self) -> None:
        """A row or a column of a plane."""
        array = self.array(PLANE)
        rows, columns = (
            self.let(f"memref.dim {array.name}, %c{d} : {PLANE}") for d in range(2)
        )
        if self.maybe():
            at = self.let(f"arith.remui {self.index()}, {columns} : index")
            sizes = f"[0, {at}] [{rows}, 1] [1, 1]"
        else:
            at = self.let(f"arith.remui {self.index()}, {rows} : index")
            sizes = f"[{at}, 0] [1, {columns}] [1, 1]"
        if sizes.startswith("[0"):
            text = f"memref.subview {array.name}{sizes} : {PLANE} to {STRIDED}"
            self.add(text, STRIDED, array.memory)
            return
        row = "memref<?xi32, strided<[1], offset: ?>>"
        made = self.let(f"memref.subview {array.name}{sizes} : {PLANE} to {row}")
        self.add(f"memref.cast {made} : {row} to {STRIDED}", STRIDED, array.memory)

    def copy(self) -> None:
        """A copy in memory of its own, or of one part to another."""
        array = self.array()
        size = self.let(f"memref.dim {array.name}, %c0 : {LINE}")
        memory = frozenset({next(self.memories)})
        new = self.add(f"memref.alloc({size}) : {LINE}", LINE, memory)
        self.line(f"memref.copy {array.name}, {new.name} : {LINE} to {LINE}")

    def whole(self) -> None:
        """A copy of a plane."""
        array = self.array(PLANE)
        sizes = ", ".join(
            self.let(f"memref.dim {array.name}, %c{d} : {PLANE}") for d in range(2)
        )
        memory = frozenset({next(self.memories)})
        new = self.add(f"memref.alloc({sizes}) : {PLANE}", PLANE, memory)
        self.line(f"memref.copy {array.name}, {new.name} : {PLANE} to {PLANE}")

    def flat(self) -> None:
        """All elements of a plane in a line."""
        array = self.array(PLANE)
        text = f"memref.collapse_shape {array.name} [[0, 1]] : {PLANE} into {LINE}"
        self.add(text, LINE, array.memory)

    def chosen(self) -> None:
        """One of two arrays."""
        type_ = self.pick((LINE, PLANE))
        a, b = self.array(type_), self.array(type_)
        text = f"arith.select {self.condition()}, {a.name}, {b.name} : {type_}"
        self.add(text, type_, a.memory | b.memory)

    def condition(self) -> str:
        a, b = self.number(), self.number()
        return self.let(f"arith.cmpi {self.pick(('slt', 'eq', 'ult'))}, {a}, {b} : i32")

    # --- control flow -------------------------------------------------------------------

    @contextmanager
    def region(self) -> Generator[None]:
        self.scopes.append(Scope())
        self.depth += 1
        yield
        self.depth -= 1
        self.scopes.pop()

    def block(self, least: int = 1) -> str:
        """Some statements, and a number that they leave."""
        for _ in range(least + self.choose(3)):
            if self.budget > 0:
                self.statement()
        return self.number()

    def branch(self) -> None:
        condition = self.condition()
        result = f"%v{next(self.names)}"
        self.line(f"{result} = scf.if {condition} -> (i32) {{")
        for end in ("} else {", "}"):
            with self.region():
                self.line(f"scf.yield {self.block()} : i32")
            self.line(end)
        self.scopes[-1].numbers.append(result)

    def loop(self) -> None:
        counter, carried, result = (f"%v{next(self.names)}" for _ in range(3))
        first, end = self.number(), self.pick(("%c1", "%c2", "%c4"))
        self.line(
            f"{result} = scf.for {counter} = %c0 to {end} step %c1 "
            f"iter_args({carried} = {first}) -> (i32) {{"
        )
        with self.region():
            number = self.let(f"arith.index_cast {counter} : index to i32")
            self.scopes[-1].numbers += [carried, number]
            self.line(f"scf.yield {self.block()} : i32")
        self.line("}")
        self.scopes[-1].numbers.append(result)

    def repeat(self) -> None:
        """A loop that ends when two arrays that take turns have done so often enough."""
        a, b = self.array(), self.array()
        x, y, n, r, s, t, result = (f"%v{next(self.names)}" for _ in range(7))
        types = f"({LINE}, {LINE}, i32)"
        self.line(
            f"{r}, {s}, {t} = scf.while ({x} = {a.name}, {y} = {b.name}, {n} = %zero) : "
            f"{types} -> {types} {{"
        )
        inner = a.memory | b.memory
        with self.region():
            self.line(f"{result} = arith.cmpi slt, {n}, %three : i32")
            self.line(f"scf.condition({result}) {x}, {y}, {n} : {LINE}, {LINE}, i32")
        label = next(self.names)
        p, q, m = (f"%v{next(self.names)}" for _ in range(3))
        self.line("} do {")
        self.line(f"^turn{label}({p}: {LINE}, {q}: {LINE}, {m}: i32):")
        with self.region():
            self.scopes[-1].arrays += [Array(p, LINE, inner), Array(q, LINE, inner)]
            self.scopes[-1].numbers.append(m)
            self.block()
            more = self.let(f"arith.addi {m}, %one : i32")
            self.line(f"scf.yield {q}, {p}, {more} : {LINE}, {LINE}, i32")
        self.line("}")
        self.scopes[-1].arrays += [Array(r, LINE, inner), Array(s, LINE, inner)]
        self.scopes[-1].numbers.append(t)

    # --- functions ----------------------------------------------------------------------

    def function(self, name: str, statements: int) -> str:
        """A host function of two lines, a plane and a number."""
        self.lines, self.names, self.budget = [], count(), 2 * statements
        for number in (0, 1, 2, 4):
            self.line(f"%c{number} = arith.constant {number} : index")
        for constant, number in (("zero", 0), ("one", 1), ("three", 3)):
            self.line(f"%{constant} = arith.constant {number} : i32")
        memories = [frozenset({next(self.memories)}) for _ in range(3)]
        types = LINE, LINE, PLANE
        arrays = [
            Array(n, t, m)
            for n, t, m in zip(("%x", "%y", "%m"), types, memories, strict=True)
        ]
        self.scopes = [Scope(arrays, ["%k", "%three"])]
        for _ in range(statements):
            if self.budget > 0:
                self.statement()
        self.line(f"func.return {self.number()} : i32")
        parameters = f"%x: {LINE}, %y: {LINE}, %m: {PLANE}, %k: i32"
        return "\n".join(
            [f"func.func {name}({parameters}) -> i32 {{", *self.lines, "}\n"]
        )


@dataclass(frozen=True)
class Host:
    """A module whose function `host` takes two lines, a plane and a number."""

    source: str

    def __repr__(self) -> str:
        return self.source


def write_host_functions(choose: Choose) -> Host:
    """A random host function."""
    hosts, source = Hosts(choose), KERNELS
    for number in range(choose(3)):
        source += hosts.function(f"private @helper{number}", 2 + choose(3))
        hosts.helpers.append(f"@helper{number}")
    return Host(source + hosts.function("@host", 4 + choose(8)))
