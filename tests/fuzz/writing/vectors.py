"""Vectors of one work-item: what lanes have one of for each element."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tests.fuzz.writing.private_memory import PrivateMemory
from tests.fuzz.writing.writer import BITS, FLOATS, INTEGERS, TABLE, WIDTHS, Value

SHAPES = ((4,), (2,), (3,), (8,), (1,), (2, 3), (2, 2, 2))


@dataclass(frozen=True)
class Vector:
    """A vector of a work-item."""

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        """As it is written."""
        return f"vector<{'x'.join(map(str, self.shape))}x{self.element}>"


class Vectors(PrivateMemory):
    """Vectors are made, computed with, kept in memory and taken apart."""

    def vectors(self) -> None:
        """Some operations on vectors of a shape, and an element of the last one."""
        shape, known = self.pick(SHAPES), list[Vector]()
        for _ in range(2):
            known.append(self.first(shape, self.pick(self.types())))
        for _ in range(1 + self.choose(5)):
            known.append(self.following(known))
        if self.maybe(3):
            self.write_part(self.pick(known))
        if self.maybe(4) and len(shape) == 1:
            known.append(self.other_elements(known[-1]))
        self.one_of(known[-1])

    def vector(self, text: str, shape: tuple[int, ...], element: str) -> Vector:
        """`%v = text`."""
        made = Vector(self.fresh(), shape, element)
        self.line(f"{made.name} = {text}")
        return made

    def first(self, shape: tuple[int, ...], t: str) -> Vector:
        """A vector of equal elements, or one that lies in memory, maybe not all of it."""
        type_ = Vector("", shape, t).type
        kind = self.choose(3) if len(shape) == 1 else 0
        if kind == 0:
            text = f"vector.broadcast {self.value(t).name} : {t} to {type_}"
            return self.vector(text, shape, t)
        memref = f"memref<{TABLE}x{t}>"
        table = self.parameter("table", t, memref)
        number = self.value("i32", uniform=self.maybe())
        at = self.within(number, TABLE // 2 if kind == 1 else TABLE).name
        if kind == 1:
            return self.vector(
                f"vector.load {table}[{at}] : {memref}, {type_}", shape, t
            )
        other = self.value(t).name
        text = f"vector.transfer_read {table}[{at}], {other}{self.mask(shape)}"
        return self.vector(f"{text} : {memref}, {type_}", shape, t)

    def mask(self, shape: tuple[int, ...]) -> str:
        """Of a transfer that may leave its array."""
        found = " {in_bounds = [false]}"
        if self.maybe():
            return found
        active = self.within(self.value("i32"), 8).name
        mask = self.vector(
            f"vector.create_mask {active} : {Vector('', shape, 'i1').type}", shape, "i1"
        )
        return f", {mask.name}{found}"

    def following(self, known: list[Vector]) -> Vector:
        """A vector that is computed from others."""
        a = self.pick(known)
        same = [each for each in known if each.element == a.element]
        b, t = self.pick(same), a.element
        kind = self.choose(6)
        if kind == 0:
            return self.compared(a, b, self.pick(same))
        if kind == 1:
            return self.converted(a)
        if kind == 2:
            place = self.place(a.shape)
            text = f"vector.insert {self.value(t).name}, {a.name}[{place}] : {t}"
            return self.vector(f"{text} into {a.type}", a.shape, t)
        if kind == 3 and len(a.shape) == 1:
            order = [self.choose(2 * a.shape[0]) for _ in range(a.shape[0])]
            text = f"vector.shuffle {a.name}, {b.name} {order} : {a.type}, {a.type}"
            return self.vector(text, a.shape, t)
        if kind == 4:
            return self.kept(a)
        return self.computed(a, b)

    def computed(self, a: Vector, b: Vector) -> Vector:
        """Arithmetic, element by element."""
        t, names = a.element, f"{a.name}, {b.name}"
        if t[0] == "i":
            options = ("addi", "muli", "subi", "xori", "minsi", "maxui", "andi")
            text = f"arith.{self.pick(options)} {names}"
        elif self.features.bits:
            text = f"{self.pick(('arith.negf', 'math.absf'))} {a.name}"
        else:
            options = ("addf", "mulf", "subf", "divf", "maximumf", "fma", "sqrt")
            name = self.pick(options)
            if name == "fma":
                text = f"vector.fma {names}, {a.name}"
            elif name == "sqrt":
                text = f"math.sqrt {a.name}"
            else:
                text = f"arith.{name} {names}"
        return self.vector(f"{text} : {a.type}", a.shape, t)

    def compared(self, a: Vector, b: Vector, c: Vector) -> Vector:
        """One of two vectors, element by element, or what tells which."""
        name = "cmpi" if a.element[0] == "i" else "cmpf"
        options = ("slt", "ult", "eq") if name == "cmpi" else ("olt", "ult", "uno")
        text = f"arith.{name} {self.pick(options)}, {a.name}, {b.name} : {a.type}"
        mask = self.vector(text, a.shape, "i1")
        if self.maybe(3):
            t = self.pick(INTEGERS)
            to = Vector("", a.shape, t).type
            name = self.pick(("extsi", "extui"))
            text = f"arith.{name} {mask.name} : {mask.type} to {to}"
            return self.vector(text, a.shape, t)
        text = f"arith.select {mask.name}, {a.name}, {c.name} : {mask.type}, {a.type}"
        return self.vector(text, a.shape, a.element)

    def converted(self, a: Vector) -> Vector:
        """Elements of another type."""
        t = a.element
        others = INTEGERS if t[0] == "i" or self.features.bits else FLOATS
        to = self.pick([each for each in others if each != t])
        bits, new_bits = ((BITS | WIDTHS)[each] for each in (t, to))
        if (t in FLOATS) != (to in FLOATS):
            to = f"i{bits}"
            name = "bitcast"
        elif t[0] == "i":
            name = "trunci" if new_bits < bits else self.pick(("extsi", "extui"))
            if self.features.floats and not self.features.bits and self.maybe(3):
                to, name = self.pick(FLOATS), self.pick(("sitofp", "uitofp"))
        elif new_bits == bits:
            return a
        else:
            name = "truncf" if new_bits < bits else "extf"
        target = Vector("", a.shape, to).type
        return self.vector(f"arith.{name} {a.name} : {a.type} to {target}", a.shape, to)

    def kept(self, a: Vector) -> Vector:
        """What a private array holds after the vector was stored there, and an element."""
        size, t = prod(a.shape), a.element
        shape = "x".join(map(str, a.shape))
        memref, array = f"memref<{shape}x{t}>", self.fresh()
        zeros = ", ".join("%c0" for _ in a.shape)
        self.line(f"{array} = memref.alloca() : {memref}")
        self.line(f"vector.store {a.name}, {array}[{zeros}] : {memref}, {a.type}")
        if self.maybe():
            place = self.place(a.shape) if size > 1 else "0"
            at = ", ".join(
                each if each[0] == "%" else self.index_of(int(each))
                for each in place.split(", ")
            )
            self.line(f"memref.store {self.value(t).name}, {array}[{at}] : {memref}")
        text = f"vector.load {array}[{zeros}] : {memref}, {a.type}"
        return self.vector(text, a.shape, t)

    def write_part(self, a: Vector) -> None:
        """To a row of one's own, beyond whose end nothing is stored."""
        if len(a.shape) > 1:
            return
        memref = f"memref<?x?x{a.element}>"
        own = self.parameter("own_rows", a.element, memref)
        column = self.within(self.value("i32"), TABLE)
        at = self.index(f"arith.addi {column.name}, %c3")
        text = f"vector.transfer_write {a.name}, {own}[%item, {at}]"
        self.line(f"{text}{self.mask(a.shape)} : {a.type}, {memref}")

    def other_elements(self, a: Vector) -> Vector:
        """The same bits as fewer or more integers, where floats are only moved."""
        if a.element[0] != "i":
            return a
        bits = a.shape[0] * BITS[a.element]
        fitting = [t for t in INTEGERS if bits % BITS[t] == 0 and t != a.element]
        if not fitting:
            return a
        t = self.pick(fitting)
        to = Vector("", (bits // BITS[t],), t)
        return self.vector(
            f"vector.bitcast {a.name} : {a.type} to {to.type}", to.shape, t
        )

    def one_of(self, a: Vector) -> None:
        """An element of a vector, or what all of them are together."""
        t = a.element
        if len(a.shape) == 1 and self.maybe():
            kinds = ("add", "minsi", "maxui", "xor", "mul")
            if t[0] != "i":
                kinds = ("maximumf", "minimumf")
            if t[0] == "i" or not self.features.bits:
                name = self.pick(kinds)
                text = f"vector.reduction <{name}>, {a.name} : {a.type} into {t}"
                self.op(text, t, [Value("", t, False)])
                return
        text = f"vector.extract {a.name}[{self.place(a.shape)}] : {t} from {a.type}"
        self.op(text, t, [Value("", t, False)])

    def place(self, shape: tuple[int, ...]) -> str:
        """Of an element; which one the work-item may decide."""
        size = 1 << (shape[0].bit_length() - 1)
        if len(shape) == 1 and self.maybe():
            number = self.value("i32", uniform=self.maybe(3))
            return self.within(number, size).name
        return ", ".join(str(self.choose(extent)) for extent in shape)
