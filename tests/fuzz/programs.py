"""
Random kernels that are legal by construction.

A kernel computes with integers and floats of all widths, branches and loops on uniform
and on varying conditions, and exchanges values through local memory. What makes it legal:

* barriers stand only where control is uniform;
* between two barriers a shared array is written, each work-item its own element, or read
  anywhere, never both;
* every index is reduced to the size of its array, divisors are odd and positive, shifts
  stay below the width, floats are clamped before they become integers;
* the bits of NaN never become visible.

`Choices` makes all decisions; choosing 0 everywhere gives the smallest kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tests.execution.harness import Launch, Maker

T = TypeVar("T")
Choose = Callable[[int], int]
"""From `n` to a number from 0 to below `n`."""

INTEGERS = ("i32", "i64", "i8", "i16")
FLOATS = ("f32", "f64", "f16", "bf16")
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
TABLE = 32
"""Elements of an array that everybody may read."""
SLOTS = 2
"""Elements of an output array per work-item."""
LARGEST_GROUP = 64

LAUNCHES = (
    Launch((5,), (4,)),
    Launch((1,), (1,)),
    Launch((16,), (16,)),
    Launch((40,), (16,)),
    Launch((33,), (64,)),
    Launch((70,), (32,)),
    Launch((6, 5), (4, 2)),
    Launch((9, 3), (8, 3)),
    Launch((3, 3, 2), (2, 2, 2)),
)


@dataclass(frozen=True)
class Value:
    """An SSA value; `uniform` if it is the same in all work-items of a group."""

    name: str
    type: str
    uniform: bool


@dataclass(frozen=True)
class Kernel:
    """A generated kernel, a range, and how to make its arguments."""

    source: str
    parameters: tuple[tuple[str, str], ...]
    """What each argument is, and of which element type."""
    launch: Launch

    def arguments(self, make: Maker) -> list[Any]:
        made: list[Any] = []
        for what, dtype in self.parameters:
            if what == "number":
                number = make.random(dtype, 1)[0]
                made.append(number.item() if dtype[0] == "i" else float(number))
            elif what == "table":
                made.append(make.random(dtype, TABLE))
            elif what == "line":
                made.append(make.random(dtype, 4 * make.n + 8))
            elif what == "shared":
                made.append(make.random(dtype, make.groups * LARGEST_GROUP))
            elif what == "seen":
                made.append(make.random(dtype, make.n))
            else:
                made.append(make.random(dtype, make.n, SLOTS))
        return made

    def __repr__(self) -> str:
        return f"{self.launch}\n{self.source}"


@dataclass
class Shared:
    """An array that the work-items of a group share, and what they did to it since."""

    name: str
    type: str
    memref: str
    base: str | None
    """Where the group's part begins; `None` in local memory."""
    uses: set[str] = field(default_factory=set[str])


@dataclass(frozen=True)
class Features:
    """What kernels may contain."""

    barriers: bool = True
    floats: bool = True
    blocks: bool = False
    """Regions of `cf` blocks, with jumps forward and loops with two exits."""
    collectives: bool = False
    """Across the work-group, where control is uniform."""
    conditional_barriers: bool = False
    """In the first iterations of loops with a trip count of each work-item's own."""


class Writer:
    """Writes one kernel."""

    def __init__(self, choose: Choose, features: Features = Features()):
        self.choose = choose
        self.features = features
        self.lines: list[str] = []
        self.depth = 1
        self.counter = 0
        self.scopes: list[list[Value]] = [[]]
        self.parameters: dict[str, tuple[str, str, str]] = {}
        self.shared: list[Shared] = []
        self.privates: list[list[tuple[str, str]]] = [[]]
        self.uniform_control = True
        self.budget = 40
        self.rank = 1

    # --- decisions -------------------------------------------------------------------

    def pick(self, options: Sequence[T]) -> T:
        return options[self.choose(len(options))]

    def maybe(self, of: int = 2) -> bool:
        """True in one of `of` cases."""
        return self.choose(of) == of - 1

    # --- text ------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def fresh(self) -> str:
        self.counter += 1
        return f"%v{self.counter}"

    def op(
        self, text: str, type_: str, operands: Sequence[Value], *, keep: bool = True
    ) -> Value:
        """`%v = text`; uniform if all operands are, and control is."""
        uniform = self.uniform_control and all(operand.uniform for operand in operands)
        value = Value(self.fresh(), type_, uniform)
        self.line(f"{value.name} = {text}")
        if keep:
            self.scopes[-1].append(value)
        return value

    def constant(self, number: str, type_: str) -> Value:
        return self.op(f"arith.constant {number} : {type_}", type_, (), keep=False)

    @contextmanager
    def region(self, *, uniform: bool) -> Generator[None]:
        """Indented code with a scope of its own."""
        control = self.uniform_control
        self.uniform_control = control and uniform
        self.scopes.append([])
        self.privates.append([])
        self.depth += 1
        yield
        self.depth -= 1
        self.privates.pop()
        self.scopes.pop()
        self.uniform_control = control

    # --- values ----------------------------------------------------------------------

    def parameter(self, what: str, dtype: str, memref: str) -> str:
        name = f"%{what}_{dtype}"
        self.parameters[name] = (what, dtype, memref)
        return name

    def types(self) -> tuple[str, ...]:
        return (*INTEGERS, *(FLOATS if self.features.floats else ()))

    def value(self, type_: str, *, uniform: bool = False) -> Value:
        """Some value of the type; a new one if there is none."""
        found = [
            value
            for scope in self.scopes
            for value in scope
            if value.type == type_ and (value.uniform or not uniform)
        ]
        if found and not self.maybe(6):
            # The newest first: long chains are more interesting than many short ones.
            return found[len(found) - 1 - self.choose(min(len(found), 6))]
        return self.source(type_, uniform)

    def source(self, type_: str, uniform: bool) -> Value:
        """A constant, an argument, or an element of a table."""
        if type_ == "i1":
            left, right = (self.value("i32", uniform=uniform) for _ in range(2))
            return self.compare(left, right)
        if type_ == "index":
            return self.cast(self.value("i32", uniform=uniform), "index")
        kind = self.choose(3)
        if kind == 0:
            if type_[0] == "i":
                return self.constant(
                    self.pick(["1", "0", "3", "-1", "-7", "100"]), type_
                )
            return self.constant(self.pick(["1.0", "0.0", "0.5", "-2.5", "3.0"]), type_)
        if kind == 1:
            name = self.parameter("number", type_, type_)
            return Value(name, type_, True)
        table = self.parameter("table", type_, f"memref<{TABLE}x{type_}>")
        index = self.within(self.value("i32", uniform=uniform), TABLE)
        text = f"memref.load {table}[{index.name}] : memref<{TABLE}x{type_}>"
        return self.op(text, type_, [index])

    def within(self, number: Value, size: int) -> Value:
        """An index below `size`, a power of two."""
        mask = self.constant(str(size - 1), number.type)
        low = self.op(
            f"arith.andi {number.name}, {mask.name} : {number.type}",
            number.type,
            [number],
            keep=False,
        )
        return self.cast(low, "index")

    def cast(self, value: Value, to: str) -> Value:
        if value.type == to:
            return value
        if "index" in (value.type, to):
            name = "index_cast"
        elif to[0] == value.type[0] == "i":
            wider = BITS[to] > BITS[value.type]
            name = self.pick(["extsi", "extui"]) if wider else "trunci"
        elif to[0] == "i":
            return self.float_to_integer(value, to)
        elif value.type[0] == "i":
            name = self.pick(["sitofp", "uitofp"])
        else:
            order = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}
            if order[to] == order[value.type]:
                return self.cast(self.cast(value, "f32"), to)
            name = "extf" if order[to] > order[value.type] else "truncf"
        return self.op(
            f"arith.{name} {value.name} : {value.type} to {to}", to, [value], keep=False
        )

    def float_to_integer(self, value: Value, to: str) -> Value:
        """Clamped to what even eight bits can hold, and NaN to zero."""
        t = value.type
        low, high, zero = (self.constant(n, t) for n in ("-100.0", "100.0", "0.0"))
        number = self.op(
            f"arith.cmpf ord, {value.name}, {value.name} : {t}", "i1", [value]
        )
        safe = self.op(
            f"arith.select {number.name}, {value.name}, {zero.name} : {t}", t, [value]
        )
        above = self.op(f"arith.maximumf {safe.name}, {low.name} : {t}", t, [value])
        inside = self.op(f"arith.minimumf {above.name}, {high.name} : {t}", t, [value])
        return self.op(f"arith.fptosi {inside.name} : {t} to {to}", to, [value])

    # --- straight-line statements ----------------------------------------------------

    def compare(self, left: Value, right: Value) -> Value:
        t = left.type
        if t[0] == "i":
            predicate = self.pick(
                ["slt", "eq", "ne", "ult", "sge", "ugt", "sle", "uge"]
            )
            text = f"arith.cmpi {predicate}, {left.name}, {right.name} : {t}"
        else:
            predicate = self.pick(
                ["olt", "oeq", "une", "ult", "oge", "uno", "ord", "ueq"]
            )
            text = f"arith.cmpf {predicate}, {left.name}, {right.name} : {t}"
        return self.op(text, "i1", [left, right])

    def integer(self) -> None:
        t = self.pick(INTEGERS)
        a, b = self.value(t), self.value(t)
        name = self.pick(
            [
                "addi",
                "subi",
                "muli",
                "andi",
                "ori",
                "xori",
                "minsi",
                "maxui",
                "minui",
                "maxsi",
                "shli",
                "shrui",
                "shrsi",
                "divui",
                "remui",
                "divsi",
                "remsi",
            ]
        )
        if name.startswith("sh"):
            mask = self.constant(str(BITS[t] - 1), t)
            b = self.op(f"arith.andi {b.name}, {mask.name} : {t}", t, [b], keep=False)
        if name.startswith(("div", "rem")):
            mask, one = self.constant("14", t), self.constant("1", t)
            b = self.op(f"arith.andi {b.name}, {mask.name} : {t}", t, [b], keep=False)
            b = self.op(f"arith.ori {b.name}, {one.name} : {t}", t, [b], keep=False)
        self.op(f"arith.{name} {a.name}, {b.name} : {t}", t, [a, b])

    def floating(self) -> None:
        t = self.pick(FLOATS)
        a, b = self.value(t), self.value(t)
        name = self.pick(
            [
                "arith.addf",
                "arith.mulf",
                "arith.subf",
                "arith.divf",
                "arith.minimumf",
                "arith.maximumf",
                "arith.negf",
                "math.absf",
                "math.floor",
                "math.sqrt",
                "math.fma",
            ]
        )
        if name in ("arith.negf", "math.absf", "math.floor", "math.sqrt"):
            self.op(f"{name} {a.name} : {t}", t, [a])
        elif name == "math.fma":
            c = self.value(t)
            self.op(f"{name} {a.name}, {b.name}, {c.name} : {t}", t, [a, b, c])
        else:
            self.op(f"{name} {a.name}, {b.name} : {t}", t, [a, b])

    def arithmetic(self) -> None:
        kind = self.choose(6)
        if kind in (0, 1) or (kind == 2 and not self.features.floats):
            self.integer()
        elif kind == 2:
            self.floating()
        elif kind == 3:
            t = self.pick(self.types())
            condition, a, b = self.value("i1"), self.value(t), self.value(t)
            self.op(
                f"arith.select {condition.name}, {a.name}, {b.name} : {t}",
                t,
                [condition, a, b],
            )
        elif kind == 4:
            t = self.pick(self.types())
            self.compare(self.value(t), self.value(t))
        else:
            value = self.value(self.pick(self.types()))
            to = self.pick(self.types())
            if to != value.type:
                self.scopes[-1].append(self.cast(value, to))

    def store(self) -> None:
        """To an element of an output array that no other work-item touches."""
        t = self.pick((*self.types(), "i1"))
        out = self.parameter("out", t, f"memref<?x{SLOTS}x{t}>")
        slot = self.pick(["%c0", "%c1"])
        value = self.value(t)
        self.line(
            f"memref.store {value.name}, {out}[%item, {slot}] : memref<?x{SLOTS}x{t}>"
        )

    def load_own(self) -> None:
        t = self.pick((*self.types(), "i1"))
        out = self.parameter("out", t, f"memref<?x{SLOTS}x{t}>")
        item = Value("%item", "index", False)
        self.op(f"memref.load {out}[%item, %c1] : memref<?x{SLOTS}x{t}>", t, [item])

    def load_line(self) -> None:
        """Loads along the work-items: neighbours, backwards, every second, shifted."""
        t = self.pick((*self.types(), "i1"))
        line = self.parameter("line", t, f"memref<?x{t}>")
        shape = self.choose(6)
        item = Value("%item", "index", False)
        if shape == 0:
            at = "%item"
        elif shape == 1:
            at = self.index("arith.muli %item, %c2")
        elif shape == 2:
            last = self.index("arith.muli %whole, %c2")
            at = self.index(f"arith.subi {last}, %item")
        else:
            number = self.value("i32", uniform=self.maybe())
            low = self.within(number, 4)
            if shape == 3:
                at = self.index(f"arith.addi %item, {low.name}")
            elif shape == 4:
                scaled = self.index("arith.muli %item, %c3")
                at = self.index(f"arith.addi {scaled}, {low.name}")
            else:
                at, item = low.name, low
        self.op(f"memref.load {line}[{at}] : memref<?x{t}>", t, [item])

    def index(self, text: str) -> str:
        name = self.fresh()
        self.line(f"{name} = {text} : index")
        return name

    def private(self) -> None:
        """A private array: made and filled, or written, or read."""
        arrays = [array for scope in self.privates for array in scope]
        if not arrays or self.maybe(4):
            t = self.pick(self.types())
            name = self.fresh()
            self.line(f"{name} = memref.alloca() : memref<4x{t}>")
            value = self.value(t)
            for slot in range(4):
                self.line(
                    f"memref.store {value.name}, {name}[%c{slot}] : memref<4x{t}>"
                )
            self.privates[-1].append((name, t))
            return
        name, t = self.pick(arrays)
        at = self.within(self.value("i32"), 4)
        if self.maybe():
            value = self.value(t)
            self.line(f"memref.store {value.name}, {name}[{at.name}] : memref<4x{t}>")
        else:
            varying = Value("", t, False)
            self.op(f"memref.load {name}[{at.name}] : memref<4x{t}>", t, [varying])

    def collective(self) -> None:
        """What all work-items of the group compute together."""
        if not (self.uniform_control and self.features.collectives):
            return
        kind = self.choose(5)
        t = self.pick(INTEGERS)
        if kind == 0:
            name = self.pick(
                ["add", "min", "max", "mul", "xor", "and", "or", "minui", "maxui"]
            )
            value = self.value(t)
            text = f"spmd.reduce {name} {value.name} across work_group : {t}"
        elif kind == 1:
            name = self.pick(["add", "min", "max", "xor", "maxui"])
            mode = self.pick(["inclusive", "exclusive"])
            value = self.value(t)
            text = f"spmd.scan {mode} {name} {value.name} across work_group : {t}"
        elif kind == 2:
            value = self.value(self.pick(self.types()))
            t = value.type
            number = self.cast(self.value("i32", uniform=True), "index")
            source = self.index(f"arith.remui {number.name}, %items")
            text = f"spmd.broadcast {value.name} from {source} across work_group : {t}"
        elif kind == 3:
            t = self.pick(FLOATS) if self.features.floats else "i32"
            value, name = self.value(t), self.pick(["min", "max"])
            text = f"spmd.reduce {name} {value.name} across work_group : {t}"
        else:
            t, value = "i1", self.value("i1")
            text = f"spmd.{self.pick(['any', 'all'])} {value.name} across work_group"
        uniform = Value("", t, kind != 1)
        self.op(text, t, [uniform])

    # --- shared memory ---------------------------------------------------------------

    def exchange(self) -> None:
        """Write one's own element of a shared array, or read somebody's; or a barrier."""
        if not self.shared:
            return
        array = self.pick(self.shared)
        kind = self.choose(3)
        if kind == 2:
            self.barrier()
        elif kind == 1 and "read" not in array.uses:
            array.uses.add("write")
            value = self.value(array.type)
            at = self.element(array, "%local")
            self.line(f"memref.store {value.name}, {array.name}[{at}] : {array.memref}")
        elif "write" not in array.uses:
            array.uses.add("read")
            number = self.cast(self.value("i32"), "index")
            other = self.op(
                f"arith.remui {number.name}, %items : index",
                "index",
                [number],
                keep=False,
            )
            at = self.element(array, other.name)
            shared = Value("", array.type, other.uniform and array.base is None)
            self.op(
                f"memref.load {array.name}[{at}] : {array.memref}", array.type, [shared]
            )

    def element(self, array: Shared, index: str) -> str:
        if array.base is None:
            return index
        at = self.fresh()
        self.line(f"{at} = arith.addi {array.base}, {index} : index")
        return at

    def barrier(self) -> None:
        if self.uniform_control and self.features.barriers:
            self.line("spmd.barrier")
            for array in self.shared:
                array.uses.clear()

    def declare_shared(self) -> None:
        """Shared arrays are filled before anybody reads them."""
        for number in range(self.choose(3)):
            t = self.pick(("i32", "f32", "i64", "f64", "i8", "f16"))
            if t[0] == "f" and not self.features.floats:
                t = "i32"
            if number == 1 and self.maybe():
                name = self.parameter("shared", t, f"memref<?x{t}>")
                array = Shared(name, t, f"memref<?x{t}>", "%first")
            else:
                memref = f"memref<{LARGEST_GROUP}x{t}, #spmd.memory<local>>"
                array = Shared(self.fresh(), t, memref, None)
                self.line(f"{array.name} = spmd.local_alloc : {memref}")
            value = self.source(t, False)
            at = self.element(array, "%local")
            self.line(f"memref.store {value.name}, {array.name}[{at}] : {array.memref}")
            self.shared.append(array)
        if self.shared:
            self.line("spmd.barrier")

    # --- control flow ----------------------------------------------------------------

    def results(self) -> list[str]:
        return [self.pick(self.types()) for _ in range(self.choose(3))]

    def finish(self, terminator: str, types: Sequence[str]) -> None:
        values = [self.value(t) for t in types]
        if values:
            names = ", ".join(value.name for value in values)
            self.line(f"{terminator} {names} : {', '.join(types)}")

    def bind(self, types: Sequence[str], uniform: bool = False) -> list[Value]:
        return [Value(self.fresh(), t, uniform) for t in types]

    def branch(self) -> None:
        condition = self.value("i1", uniform=self.uniform_control and self.maybe())
        types = self.results()
        results = self.bind(types)
        head = f"scf.if {condition.name}"
        if types:
            head = (
                f"{', '.join(v.name for v in results)} = {head} -> ({', '.join(types)})"
            )
        self.line(head + " {")
        with self.region(uniform=condition.uniform):
            self.block(self.choose(4))
            self.finish("scf.yield", types)
        if types or self.maybe():
            self.line("} else {")
            with self.region(uniform=condition.uniform):
                self.block(self.choose(4))
                self.finish("scf.yield", types)
        self.line("}")
        self.scopes[-1] += results

    def switch(self) -> None:
        number = self.value("i32", uniform=self.uniform_control and self.maybe())
        case = self.within(number, 4)
        types = self.results()
        results = self.bind(types)
        head = f"scf.index_switch {case.name}"
        if types:
            names = ", ".join(v.name for v in results)
            head = f"{names} = {head} -> {', '.join(types)}"
        self.line(head)
        for name in [f"case {n}" for n in range(1 + self.choose(3))] + ["default"]:
            self.line(f"{name} {{")
            with self.region(uniform=number.uniform):
                self.block(self.choose(3))
                values = [self.value(t) for t in types]
                names = ", ".join(value.name for value in values)
                self.line(
                    f"scf.yield {names} : {', '.join(types)}" if types else "scf.yield"
                )
            self.line("}")
        self.scopes[-1] += results

    def enter_loop(self, uniform: bool) -> None:
        """Iterations follow each other: what one wrote, the next may read."""
        if uniform:
            self.barrier()

    def loop(self) -> None:
        uniform = self.uniform_control and self.maybe()
        if uniform and self.maybe():
            trips = Value(self.pick(["%c2", "%c1", "%c3"]), "index", True)
        else:
            trips = self.within(self.value("i32", uniform=uniform), 4)
        types = self.results()
        starts = [self.value(t) for t in types]
        carried = self.bind(types)
        results = self.bind(types)
        counter = Value(self.fresh(), "index", trips.uniform)
        head = f"scf.for {counter.name} = %c0 to {trips.name} step %c1"
        if types:
            pairs = ", ".join(
                f"{c.name} = {s.name}" for c, s in zip(carried, starts, strict=True)
            )
            names = ", ".join(v.name for v in results)
            head = f"{names} = {head} iter_args({pairs}) -> ({', '.join(types)})"
        self.line(head + " {")
        with self.region(uniform=trips.uniform):
            self.enter_loop(trips.uniform)
            self.scopes[-1] += carried
            as_number = self.cast(counter, "i32")
            self.scopes[-1].append(as_number)
            self.block(1 + self.choose(3))
            self.finish("scf.yield", types)
        self.line("}")
        if self.uniform_control and trips.uniform:
            self.barrier()
        self.scopes[-1] += results

    def while_loop(self) -> None:
        """At most four iterations; it may also end when a condition of its own fails."""
        uniform = self.uniform_control and self.maybe()
        types = ["i32", *self.results()]
        starts = [Value("%zero", "i32", True), *(self.value(t) for t in types[1:])]
        before = self.bind(types)
        after = self.bind(types)
        results = self.bind(types)
        before[0] = Value(before[0].name, "i32", uniform)
        after[0] = Value(after[0].name, "i32", uniform)
        names = ", ".join(v.name for v in results)
        pairs = ", ".join(
            f"{c.name} = {s.name}" for c, s in zip(before, starts, strict=True)
        )
        listed = ", ".join(types)
        self.line(f"{names} = scf.while ({pairs}) : ({listed}) -> ({listed}) {{")
        with self.region(uniform=uniform):
            limit = self.cast(self.within(self.value("i32", uniform=uniform), 4), "i32")
            self.scopes[-1] += before
            more = self.op(
                f"arith.cmpi slt, {before[0].name}, %four : i32", "i1", [before[0]]
            )
            inside = self.op(
                f"arith.cmpi slt, {before[0].name}, {limit.name} : i32",
                "i1",
                [before[0], limit],
            )
            self.block(self.choose(2))
            own = inside if uniform else self.value("i1")
            both = self.op(
                f"arith.andi {more.name}, {own.name} : i1", "i1", [more, own]
            )
            values = [before[0], *(self.value(t) for t in types[1:])]
            passed = ", ".join(value.name for value in values)
            self.line(f"scf.condition({both.name}) {passed} : {listed}")
        self.line("} do {")
        arguments = ", ".join(f"{v.name}: {v.type}" for v in after)
        self.line(f"^bb0({arguments}):")
        with self.region(uniform=uniform):
            self.enter_loop(uniform)
            self.scopes[-1] += after
            self.block(1 + self.choose(3))
            next_ = self.op(
                f"arith.addi {after[0].name}, %one : i32", "i32", [after[0]]
            )
            values = [next_, *(self.value(t) for t in types[1:])]
            passed = ", ".join(value.name for value in values)
            self.line(f"scf.yield {passed} : {listed}")
        self.line("}")
        if uniform:
            self.barrier()
        self.scopes[-1] += results

    def loop_with_conditional_barrier(self) -> None:
        """
        All work-items run the first two iterations, and meet there; some run more.

        Outside of the condition everybody may be in another iteration: there shared
        arrays are written, each work-item its own element, and not read.
        """
        if not (self.uniform_control and self.features.conditional_barriers):
            return
        trips = self.index(f"arith.addi {self.within(self.value('i32'), 4).name}, %c2")
        (carried,) = self.bind(["i32"])
        (result,) = self.bind(["i32"])
        start = self.value("i32")
        counter = self.fresh()
        self.barrier()
        self.line(
            f"{result.name} = scf.for {counter} = %c0 to {trips} step %c1 "
            f"iter_args({carried.name} = {start.name}) -> (i32) {{"
        )
        with self.region(uniform=False):
            self.scopes[-1] += [
                carried,
                self.cast(Value(counter, "index", False), "i32"),
            ]
            for array in self.shared:
                array.uses.add("write")
            self.block(1 + self.choose(2))
            early = self.index(f"arith.cmpi ult, {counter}, %c2")
            self.line(f"scf.if {early} {{")
            with self.region(uniform=False):
                self.line("spmd.barrier")
                for array in self.shared:
                    array.uses = {"read"}
                self.block(1 + self.choose(2))
                self.exchange()
                self.line("spmd.barrier")
            self.line("}")
            for array in self.shared:
                array.uses = {"write"}
            self.block(self.choose(2))
            self.finish("scf.yield", ["i32"])
        self.line("}")
        self.barrier()
        self.scopes[-1].append(result)

    def blocks(self) -> None:
        """Unstructured code: blocks that jump forward, and loops that end early."""
        if not self.features.blocks:
            self.arithmetic()
            return
        number = 2 + self.choose(4)
        label = f"^b{self.fresh()[2:]}_"
        (result,) = self.bind(["i32"])
        self.line(f"{result.name} = scf.execute_region -> (i32) {{")
        with self.region(uniform=False):
            first = self.value("i32")
            self.line(f"cf.br {label}0({first.name} : i32)")
            for at in range(number):
                self.unstructured_block(label, at, number)
            self.depth -= 1
            self.line(f"{label}{number}(%end_{label[2:-1]}: i32):")
            self.depth += 1
            self.line(f"scf.yield %end_{label[2:-1]} : i32")
        self.line("}")
        self.scopes[-1].append(result)

    def unstructured_block(self, label: str, at: int, number: int) -> None:
        """A block with one argument, and two ways on; or a loop around itself."""
        with self.region(uniform=False):
            self.depth -= 1
            is_loop = self.maybe(3)
            arguments = self.bind(["i32", "i32"] if is_loop else ["i32"])
            listed = ", ".join(f"{v.name}: i32" for v in arguments)
            if is_loop:
                # Entered with a count of zero; at most four times around.
                entry = self.bind(["i32"])[0]
                self.line(f"{label}{at}({entry.name}: i32):")
                passed = f"{entry.name}, %zero : i32, i32"
                self.line(f"  cf.br {label}{at}_loop({passed})")
                self.line(f"{label}{at}_loop({listed}):")
            else:
                self.line(f"{label}{at}({listed}):")
            self.depth += 1
            self.scopes[-1] += arguments
            self.block(1 + self.choose(2))
            ways = [
                f"{label}{at + 1 + self.choose(number - at)}({self.value('i32').name} : i32)"
                for _ in range(2)
            ]
            condition = self.value("i1")
            if not is_loop:
                self.line(f"cf.cond_br {condition.name}, {ways[0]}, {ways[1]}")
                return
            next_ = self.op(f"arith.addi {arguments[1].name}, %one : i32", "i32", [])
            more = self.op(f"arith.cmpi slt, {next_.name}, %four : i32", "i1", [])
            value = self.value("i32")
            go_on = f"{label}{at}_again({value.name}, {next_.name} : i32, i32)"
            self.line(f"cf.cond_br {condition.name}, {go_on}, {ways[0]}")
            self.depth -= 1
            again = self.bind(["i32", "i32"])
            names = ", ".join(f"{v.name}: i32" for v in again)
            self.line(f"{label}{at}_again({names}):")
            self.depth += 1
            passed = ", ".join(v.name for v in again)
            back = f"{label}{at}_loop({passed} : i32, i32)"
            out = f"{ways[1].split('(')[0]}({again[0].name} : i32)"
            self.line(f"cf.cond_br {more.name}, {back}, {out}")

    def block(self, statements: int) -> None:
        for _ in range(statements):
            if self.budget <= 0:
                return
            self.budget -= 1
            simple = (
                self.arithmetic,
                self.store,
                self.exchange,
                self.private,
                self.load_line,
                self.load_own,
                self.collective,
            )
            nested = (
                self.branch,
                self.loop,
                self.while_loop,
                self.switch,
                self.blocks,
                self.loop_with_conditional_barrier,
            )
            kind = self.choose(17)
            if kind < 5:
                self.arithmetic()
            elif kind < 11:
                simple[kind - 4]()
            elif len(self.scopes) > 4:
                self.arithmetic()
            else:
                nested[kind - 11]()

    # --- the kernel ------------------------------------------------------------------

    def ids(self) -> None:
        """The linear ids and sizes, in as many dimensions as the launch has."""
        for number in range(4):
            self.line(f"%c{number} = arith.constant {number} : index")
        self.line("%zero = arith.constant 0 : i32")
        self.line("%one = arith.constant 1 : i32")
        self.line("%four = arith.constant 4 : i32")
        for what in ("global_id", "local_id", "local_size", "global_size", "group_id"):
            for dimension in "xyz"[: self.rank]:
                self.line(f"%{what}_{dimension} = spmd.{what} {dimension}")
        for dimension in "xyz"[: self.rank]:
            self.line(f"%groups_{dimension} = spmd.num_groups {dimension}")
        self.linear("item", "global_id", "global_size")
        self.linear("local", "local_id", "local_size")
        self.linear("group", "group_id", "groups")
        whole = "%global_size_x"
        for dimension in "yz"[: self.rank - 1]:
            whole = self.index(f"arith.muli {whole}, %global_size_{dimension}")
        self.line(f"%whole = arith.addi {whole}, %c0 : index")
        items = "%local_size_x"
        for dimension in "yz"[: self.rank - 1]:
            new = self.fresh()
            self.line(f"{new} = arith.muli {items}, %local_size_{dimension} : index")
            items = new
        self.line(f"%items = arith.addi {items}, %c0 : index")
        self.line(f"%most = arith.constant {LARGEST_GROUP} : index")
        self.line("%first = arith.muli %group, %most : index")
        for name, uniform in (("item", False), ("local", False), ("group", True)):
            index = Value(f"%{name}", "index", uniform)
            self.scopes[-1] += [index, self.cast(index, "i32")]

    def linear(self, name: str, of: str, sizes: str) -> None:
        result = f"%{of}_{'xyz'[self.rank - 1]}"
        for dimension in "yx"[2 - (self.rank - 1) :] if self.rank > 1 else "":
            row, new = self.fresh(), self.fresh()
            self.line(f"{row} = arith.muli {result}, %{sizes}_{dimension} : index")
            self.line(f"{new} = arith.addi {row}, %{of}_{dimension} : index")
            result = new
        self.line(f"%{name} = arith.addi {result}, %c0 : index")

    def without_dead_code(self) -> list[str]:
        """The lines whose result is used; what a line needs stands before it."""
        pure = re.compile(r"\s*(%\w+) = (arith|math|memref\.load|spmd\.\w+_(id|size) )")
        used: set[str] = set()
        kept: list[str] = []
        for line in reversed(self.lines):
            found = pure.match(line)
            if found and found[1] not in used:
                continue
            kept.append(line)
            used.update(re.findall(r"%\w+", line))
        return kept[::-1]

    def kernel(self) -> Kernel:
        launch = self.pick(LAUNCHES)
        self.rank = len(launch.global_size)
        fixed = self.maybe(3)
        self.ids()
        if self.features.barriers:
            self.declare_shared()
        self.block(2 + self.choose(8))
        self.store()
        # What was computed must be seen, or it proves nothing.
        for value in self.scopes[0][-1 : -2 - self.choose(6) : -1]:
            if value.type != "index":
                out = self.parameter("seen", value.type, f"memref<?x{value.type}>")
                at = "%item"
                self.line(
                    f"memref.store {value.name}, {out}[{at}] : memref<?x{value.type}>"
                )
        self.line("spmd.return")
        signature = ", ".join(
            f"{name}: {memref}" for name, (_, _, memref) in self.parameters.items()
        )
        attributes = ""
        if fixed:
            size = ", ".join(map(str, launch.group_size))
            attributes = f" attributes {{work_group_size = array<i64: {size}>}}"
        head = f"spmd.kernel @fuzz({signature}){attributes} {{"
        source = "\n".join([head, *self.without_dead_code(), "}"]) + "\n"
        made = tuple((what, dtype) for what, dtype, _ in self.parameters.values())
        return Kernel(source, made, launch)
