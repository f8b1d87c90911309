"""Private memory of one work-item: arrays, parts and views of them."""

from __future__ import annotations

from tests.fuzz.writing.statements import Statements
from tests.fuzz.writing.writer import BITS, INTEGERS, WIDTHS, Value


class PrivateMemory(Statements):
    """Private arrays are made and filled, written and read, whole or in parts."""

    def private(self) -> None:
        """A private array: made and filled, or written, or read."""
        arrays = [array for scope in self.privates for array in scope]
        if not arrays or self.maybe(4):
            t = self.pick(self.types())
            self.privates[-1].append(self.private_array(t))
            return
        name, t, memref = self.pick(arrays)
        at = self.within(self.value("i32"), 4)
        if self.maybe():
            value = self.value(t)
            self.line(f"memref.store {value.name}, {name}[{at.name}] : {memref}")
            return
        text, varying = f"memref.load {name}[{at.name}] : {memref}", Value("", t, False)
        if t[0] == "i" and self.features.atomics and self.maybe(4):
            kind, value = self.pick(("add", "max", "exchange")), self.value(t)
            text = f"spmd.atomic_rmw {kind} {value.name}, {name}[{at.name}] : {memref}"
        self.op(text, t, [varying])

    def view(self) -> None:
        """A private array as one of two dimensions and back, a part, a copy, or a choice."""
        arrays = [
            array
            for scope in self.privates
            for array in scope
            if array[2] == f"memref<4x{array[1]}>"
        ]
        if not arrays:
            return
        name, t, memref = self.pick(arrays)
        if self.maybe():
            copy, _, _ = self.private_array(t)
            self.line(f"memref.copy {name}, {copy} : {memref} to {memref}")
            self.privates[-1].append((copy, t, memref))
            return
        kind = self.choose(4)
        if kind == 0:
            other, chosen = self.pick([a for a in arrays if a[1] == t])[0], self.fresh()
            condition = self.value("i1").name
            self.line(
                f"{chosen} = arith.select {condition}, {name}, {other} : {memref}"
            )
            self.privates[-1].append((chosen, t, memref))
            return
        if kind == 1:
            self.part(name, t, memref)
            return
        square = f"memref<2x2x{t}>"
        expanded, back = self.fresh(), self.fresh()
        self.line(
            f"{expanded} = memref.expand_shape {name} [[0, 1]] output_shape [2, 2] : "
            f"{memref} into {square}"
        )
        row, column = (self.within(self.value("i32"), 2).name for _ in range(2))
        at = f"{expanded}[{row}, {column}] : {square}"
        if self.maybe():
            self.line(f"memref.store {self.value(t).name}, {at}")
        else:
            self.op(f"memref.load {at}", t, [Value("", t, False)])
        self.line(
            f"{back} = memref.collapse_shape {expanded} [[0, 1]] : {square} into {memref}"
        )
        self.privates[-1].append((back, t, memref))

    def part(self, name: str, t: str, memref: str) -> None:
        """An access to two elements of a private array, from one that differs."""
        start = self.within(self.value("i32"), 3).name
        at, part = self.within(self.value("i32"), 2).name, self.fresh()
        strided = f"memref<2x{t}, strided<[1], offset: ?>>"
        self.line(
            f"{part} = memref.subview {name}[{start}] [2] [1] : {memref} to {strided}"
        )
        if self.maybe():
            value = self.value(t).name
            self.line(f"memref.store {value}, {part}[{at}] : {strided}")
        else:
            self.op(f"memref.load {part}[{at}] : {strided}", t, [Value("", t, False)])

    def private_array(self, t: str, size: str = "") -> tuple[str, str, str]:
        """A private array, filled; of four elements, or of a size that is at least that."""
        name, value = self.fresh(), self.value(t)
        memref = f"memref<{'?' if size else 4}x{t}>"
        self.line(f"{name} = memref.alloca({size}) : {memref}")
        for slot in range(4):
            self.line(f"memref.store {value.name}, {name}[%c{slot}] : {memref}")
        return name, t, memref

    def own_number(self) -> None:
        """A number in memory without dimensions, in which a loop may count."""
        t = self.pick(INTEGERS)
        memref, first = f"memref<{t}>", self.value(t).name
        number, total, counter, before, old, new = (self.fresh() for _ in range(6))
        self.line(f"{number} = memref.alloca() : {memref}")
        self.line(f"memref.store {first}, {number}[] : {memref}")
        if self.maybe():
            kind = self.pick(("addi", "xori", "maxsi"))
            end = self.within(self.value("i32"), 8).name
            self.line(
                f"{total} = scf.for {counter} = %c0 to {end} step %c1 "
                f"iter_args({before} = {first}) -> ({t}) {{"
            )
            self.line(f"  {old} = memref.load {number}[] : {memref}")
            self.line(f"  {new} = arith.{kind} {before}, {old} : {t}")
            self.line(f"  memref.store {new}, {number}[] : {memref}")
            self.line(f"  scf.yield {new} : {t}")
            self.line("}")
            self.scopes[-1].append(Value(total, t, False))
        self.op(f"memref.load {number}[] : {memref}", t, [Value("", t, False)])

    def bytes_of_numbers(self) -> None:
        """Sixteen bytes of a work-item, in which numbers of several types lie."""
        array = self.fresh()
        self.line(f"{array} = memref.alloca() : memref<16xi8>")
        types = self.types() if self.features.bits else INTEGERS
        both, memref, _ = self.view_of_bytes(array, "i64", "%c0", 16)
        for place in ("%c0", "%c1"):
            self.line(
                f"memref.store {self.value('i64').name}, {both}[{place}] : {memref}"
            )
        for _ in range(1 + self.choose(3)):
            t = self.pick(types)
            half = self.within(self.value("i32", uniform=self.maybe()), 2).name
            offset = self.index(f"arith.muli {half}, {self.index_of(8)}")
            offset = self.pick(("%c0", offset))
            view, memref, size = self.view_of_bytes(array, t, offset, 8)
            at = self.within(self.value("i32"), size).name
            # Any bytes may be a signalling NaN: as a double, which the interpreter computes
            # with, a shorter one is quiet.
            if self.maybe() or t in ("f16", "bf16", "f32"):
                value = self.value(t).name
                self.line(f"memref.store {value}, {view}[{at}] : {memref}")
            else:
                text = f"memref.load {view}[{at}] : {memref}"
                self.op(text, t, [Value("", t, False)])
        text = f"memref.load {both}[%c1] : memref<2xi64>"
        self.op(text, "i64", [Value("", "i64", False)])

    def view_of_bytes(
        self, array: str, t: str, offset: str, length: int
    ) -> tuple[str, str, int]:
        """So many bytes as numbers: a name, a type and how many they are."""
        size = 8 * length // (BITS | WIDTHS)[t]
        known, name = self.maybe() or length == 16, self.fresh()
        memref = f"memref<{size if known else '?'}x{t}>"
        sizes = "" if known else self.index_of(size)
        self.line(
            f"{name} = memref.view {array}[{offset}][{sizes}] : memref<16xi8> to {memref}"
        )
        return name, memref, size
