"""What all parts of the generator need: decisions, text, and values to compute with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
Choose = Callable[[int], int]
"""From `n` to a number from 0 to below `n`."""

INTEGERS = ("i32", "i64", "i8", "i16")
FLOATS = ("f32", "f64", "f16", "bf16")
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
WIDTHS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}
TABLE = 32
"""Elements of an array that everybody may read."""
SLOTS = 3
"""Elements of an output array per work-item."""


@dataclass(frozen=True)
class Value:
    """An SSA value; `uniform` if it is the same in all work-items of a group."""

    name: str
    type: str
    uniform: bool


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
    blocks: bool = True
    """Regions of `cf` blocks, with jumps forward and loops with two exits."""
    collectives: bool = True
    """Across the work-group, where control is uniform."""
    atomics: bool = True
    """Additions and the like to global counters, whose old values nobody uses."""
    sub_groups: bool = True
    """Collectives across sub-groups, anywhere."""
    all_about_barriers: bool = False
    """Mostly barriers, in groups of up to 100 work-items."""
    conditional_barriers: bool = True
    """In the first iterations of loops with a trip count of each work-item's own."""
    planes: bool = False
    """Groups of two or three dimensions, of any sizes."""
    bits: bool = False
    """Floats are moved and compared, never computed with, and all their bits are seen."""


class Lines:
    """Lines of code, and the decisions which ones."""

    def __init__(self, choose: Choose):
        self.choose = choose
        self.lines: list[str] = []
        self.depth: int = 1

    def pick(self, options: Sequence[T]) -> T:
        return options[self.choose(len(options))]

    def maybe(self, of: int = 2) -> bool:
        """True in one of `of` cases."""
        return self.choose(of) == of - 1

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)


class Writer(Lines, ABC):
    """A kernel that is being written."""

    def __init__(self, choose: Choose, features: Features = Features()):
        super().__init__(choose)
        self.features = features
        self.counter = 0
        self.scopes: list[list[Value]] = [[]]
        self.parameters: dict[str, tuple[str, str, str]] = {}
        self.shared: list[Shared] = []
        self.own: list[tuple[str, str, str]] = []
        """Local arrays of which all have an element: name, element type, type."""
        self.privates: list[list[tuple[str, str, str]]] = [[]]
        """Private arrays of at least four elements: name, element type, type."""
        self.uniform_control = True
        self.budget: int = 40
        self.rank = 1
        self.largest_group = 1
        """Elements of an array that holds one of each work-item of a group."""
        self.may_meet_in_divergent_loops = False
        self.meets_in_divergent_loops = False
        self.may_use_sub_groups = False
        self.in_blocks = False
        self.in_function = False
        self.functions: list[str] = []
        self.callable: list[tuple[str, list[str]]] = []
        """The names of the functions, and which parameters of the kernel they need."""
        self.uses_sub_groups = False

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
            name = self.pick(["index_cast", "index_castui"])
        elif self.features.bits and value.type[0] != "i":
            return self.cast(self.as_integer(value), to)
        elif to[0] == value.type[0] == "i":
            wider = BITS[to] > BITS[value.type]
            name = self.pick(["extsi", "extui"]) if wider else "trunci"
        elif to[0] == "i":
            return self.float_to_integer(value, to)
        elif value.type[0] == "i":
            name = self.pick(["sitofp", "uitofp"])
        else:
            if WIDTHS[to] == WIDTHS[value.type]:
                return self.cast(self.cast(value, "f32"), to)
            name = "extf" if WIDTHS[to] > WIDTHS[value.type] else "truncf"
        return self.op(
            f"arith.{name} {value.name} : {value.type} to {to}", to, [value], keep=False
        )

    def as_integer(self, value: Value) -> Value:
        """The bits of a float."""
        to = f"i{WIDTHS[value.type]}"
        text = f"arith.bitcast {value.name} : {value.type} to {to}"
        return self.op(text, to, [value])

    def float_to_integer(self, value: Value, to: str) -> Value:
        """Clamped to what even eight bits can hold, and NaN to zero."""
        t = value.type
        how, least = self.pick([("fptosi", "-100.0"), ("fptoui", "0.0")])
        low, high, zero = (self.constant(n, t) for n in (least, "100.0", "0.0"))
        number = self.op(
            f"arith.cmpf ord, {value.name}, {value.name} : {t}", "i1", [value]
        )
        safe = self.op(
            f"arith.select {number.name}, {value.name}, {zero.name} : {t}", t, [value]
        )
        above = self.op(f"arith.maximumf {safe.name}, {low.name} : {t}", t, [value])
        inside = self.op(f"arith.minimumf {above.name}, {high.name} : {t}", t, [value])
        return self.op(f"arith.{how} {inside.name} : {t} to {to}", to, [value])

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

    def index(self, text: str) -> str:
        name = self.fresh()
        self.line(f"{name} = {text} : index")
        return name

    def index_of(self, number: int) -> str:
        return self.constant(str(number), "index").name

    def block(self, statements: int) -> None:
        """Some statements, as many as the budget allows."""
        for _ in range(statements):
            if self.budget <= 0:
                return
            self.budget -= 1
            self.statement()

    @abstractmethod
    def statement(self) -> None:
        """One statement of any kind."""

    @abstractmethod
    def ids(self) -> None:
        """The linear ids and sizes."""

    @abstractmethod
    def without_dead_code(self) -> list[str]:
        """The lines whose result is used; what a line needs stands before it."""
