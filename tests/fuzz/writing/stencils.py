"""Elements around one's own, near an edge or not."""

from __future__ import annotations

from tests.fuzz.writing.idioms import Idioms
from tests.fuzz.writing.writer import Value

BEYOND = ("clamped", "chosen", "remui", "remsi")
"""What a stencil takes beyond an edge: the last element, another one, those of the other side."""


class Stencils(Idioms):
    """What lanes load together in the interior of an array only."""

    def neighbours(self) -> None:
        """Elements around one's own; beyond the edge the last ones, or the first again."""
        t = self.pick(self.types())
        line, item = self.parameter("line", t, f"memref<?x{t}>"), Value("", t, False)
        row = self.index("arith.subi %item, %global_id_x")
        last = self.index("arith.subi %global_size_x, %c1")
        far, beyond = 1 + self.choose(3), self.pick(BEYOND)
        in_loop = self.maybe(3)
        mirrored, twice = self.maybe(4), not in_loop and self.maybe(4)

        def element(distance: str) -> Value:
            x = self.index(f"arith.addi %global_id_x, {distance}")
            if mirrored:
                x = self.index(f"arith.subi {last}, {x}")
            if twice:
                x = self.index(f"arith.addi {x}, {x}")
            at = self.index(f"arith.addi {row}, {self.bent(beyond, x, last)}")
            return self.op(f"memref.load {line}[{at}] : memref<?x{t}>", t, [item])

        if in_loop:
            bounds = f"{self.index_of(-far)} to {self.index_of(far)} step %c1"
            self.fold(
                t, bounds, lambda by, carried: self.combined(carried, element(by.name))
            )
            return
        found: list[Value] = []
        for distance in range(-far, far + 1):
            if not self.maybe(4):
                found.append(element(self.index_of(distance)))
        for value in found[1:]:
            found[0] = self.combined(found[0], value)

    def bent(self, beyond: str, x: str, last: str) -> str:
        """An index from 0 to `last` of one around there."""
        if beyond == "clamped":
            above = self.index(f"arith.maxsi {x}, %c0")
            return self.index(f"arith.minsi {above}, {last}")
        if beyond == "chosen":
            low = self.op(f"arith.cmpi slt, {x}, %c0 : index", "i1", [], keep=False)
            high = self.op(f"arith.cmpi sgt, {x}, {last} : index", "i1", [], keep=False)
            other = self.pick(("%c0", last))
            some = self.index(f"arith.select {high.name}, {other}, {x}")
            return self.index(f"arith.select {low.name}, {last}, {some}")
        # No launch of the fuzzer has fewer work-items in x than that, many times.
        around = self.index(f"arith.muli %global_size_x, {self.index_of(8)}")
        up = self.index(f"arith.addi {x}, {around}")
        return self.index(f"arith.{beyond} {up}, %global_size_x")

    def flat(self) -> None:
        """Loads by the row and the column of one's own number, by a length of rows that all share."""
        t = self.pick(self.types())
        line, item = self.parameter("line", t, f"memref<?x{t}>"), Value("", t, False)
        type_ = self.pick(("index", "i32", "i64"))
        few = self.within(self.value("i32", uniform=True), 64).name
        above = self.pick(("%c1", self.index_of(40)))
        width = self.pick(("%global_size_x", self.index(f"arith.addi {few}, {above}")))
        number = self.index(f"arith.addi %item, {self.pick(('%c0', '%c1', '%c3'))}")
        if type_ != "index":
            cast = f"index to {type_}"
            width, number = (
                self.op(f"arith.index_cast {each} : {cast}", type_, [], keep=False).name
                for each in (width, number)
            )
        quotient = self.pick(("divui", "divsi", "floordivsi"))
        parts: list[str] = []
        for name in (quotient, self.pick(("remui", "remsi"))):
            text = f"arith.{name} {number}, {width} : {type_}"
            part = self.op(text, type_, [item], keep=False).name
            if type_ != "index":
                cast = f"arith.index_cast {part} : {type_} to index"
                part = self.op(cast, "index", [item], keep=False).name
            parts.append(part)
        row, column = parts
        both = self.index(f"arith.addi {row}, {column}")
        for at in (row, column, both):
            if not self.maybe(3):
                self.op(f"memref.load {line}[{at}] : memref<?x{t}>", t, [item])

    def trade_places(self) -> None:
        """Elements of neighbours in another order, or shared by some; perhaps one for each number."""
        t = self.pick(self.types())
        line, item = self.parameter("line", t, f"memref<?x{t}>"), Value("", t, False)

        def element(at: str) -> Value:
            return self.op(f"memref.load {line}[{at}] : memref<?x{t}>", t, [item])

        if self.maybe(4):
            bounds = f"%c0 to {self.index_of(2 + self.choose(5))} step %c1"
            self.fold(
                t,
                bounds,
                lambda by, carried: self.combined(
                    carried, element(self.index(f"arith.xori %item, {by.name}"))
                ),
            )
            return
        found = element(self.traded())
        target = f"%traded_{t}"
        if self.maybe(3) and target not in self.parameters:
            self.parameter("traded", t, f"memref<?x{t}>")
            to = self.index(f"arith.xori %item, {self.index_of(self.choose(8))}")
            self.line(f"memref.store {found.name}, {target}[{to}] : memref<?x{t}>")

    def traded(self) -> str:
        """An index that neighbours trade: no more than seven above the greatest id, or twice that."""
        if self.maybe(4):
            return self.index(f"arith.xori %item, {self.index_of(self.choose(8))}")
        block, few = self.pick((2, 4, 8)), self.index_of(2)
        many = self.index_of(block)
        first = self.index(f"arith.divui %item, {many}")
        first = self.index(f"arith.muli {first}, {many}")
        place = self.index(f"arith.remui %item, {many}")
        match self.choose(4):
            case 0:  # backwards
                last = self.index_of(block - 1)
                place = self.index(f"arith.subi {last}, {place}")
            case 1:  # by columns
                half = self.index_of(block // 2)
                row = self.index(f"arith.divui {place}, {half}")
                column = self.index(f"arith.remui {place}, {half}")
                column = self.index(f"arith.muli {column}, {few}")
                place = self.index(f"arith.addi {row}, {column}")
            case 2:  # shared by several
                place = self.index(f"arith.shrui {place}, %c1")
            case _:
                place = self.index(f"arith.ori {place}, %c1")
        at = self.index(f"arith.addi {first}, {place}")
        twice = block < 8 and self.maybe(4)
        return self.index(f"arith.addi {at}, {at}") if twice else at

    def window(self) -> None:
        """The elements around one's own, one after the other, as far as there are any."""
        t = self.pick(self.types())
        line = self.parameter("line", t, f"memref<?x{t}>")
        row = self.index("arith.subi %item, %global_id_x")
        before = self.constant(str(self.choose(5)), "index")
        left = self.index(f"arith.subi %global_id_x, {before.name}")
        low = self.or_zero(Value("%global_id_x", "index", False), before).name
        low = self.pick((low, self.index(f"arith.maxsi {left}, %c0")))
        high = self.index(f"arith.addi %global_id_x, {self.index_of(self.choose(5))}")
        high = self.index(f"arith.minsi {high}, %global_size_x")

        def element(counter: Value, carried: Value) -> Value:
            at = self.index(f"arith.addi {row}, {counter.name}")
            read = self.op(f"memref.load {line}[{at}] : memref<?x{t}>", t, [counter])
            self.scopes[-1] += [carried, self.cast(counter, "i32")]
            if self.maybe(4):
                self.block(1)
            return self.combined(carried, read)

        step = self.pick(["%c1", "%c1", "%c2"])
        self.fold(t, f"{low} to {high} step {step}", element)
