"""Straight-line statements of a random kernel."""

from __future__ import annotations

from tests.fuzz.writing.writer import (
    BITS,
    FLOATS,
    INTEGERS,
    SLOTS,
    Value,
    Writer,
)

UNARY = (
    *("arith.negf", "math.absf", "math.floor", "math.sqrt", "math.ceil"),
    *("math.trunc", "math.round", "math.roundeven"),
)
"""Operations on one float, whose result is the same everywhere."""

TWO = (
    *("arith.addf", "arith.mulf", "arith.subf", "arith.divf", "arith.remf"),
    *("arith.minimumf", "arith.maximumf", "arith.maxnumf", "arith.minnumf"),
    "math.copysign",
)


class Statements(Writer):
    """Arithmetic, loads and stores of one work-item."""

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
                "ceildivui",
                "ceildivsi",
                "floordivsi",
                "absi",
                "ctlz",
                "cttz",
                "ctpop",
                "mului_extended",
                "mulsi_extended",
                "addui_extended",
            ]
        )
        if name in ("absi", "ctlz", "cttz", "ctpop"):
            self.op(f"math.{name} {a.name} : {t}", t, [a])
            return
        if name.endswith("_extended"):
            self.extended(name, a, b)
            return
        if name.startswith("sh"):
            mask = self.constant(str(BITS[t] - 1), t)
            b = self.op(f"arith.andi {b.name}, {mask.name} : {t}", t, [b], keep=False)
        if "div" in name or name.startswith("rem"):
            mask, one = self.constant("14", t), self.constant("1", t)
            b = self.op(f"arith.andi {b.name}, {mask.name} : {t}", t, [b], keep=False)
            b = self.op(f"arith.ori {b.name}, {one.name} : {t}", t, [b], keep=False)
        self.op(f"arith.{name} {a.name}, {b.name} : {t}", t, [a, b])

    def extended(self, name: str, a: Value, b: Value) -> None:
        """A product of twice as many bits, in two halves, or a sum and what overflows."""
        t, other = a.type, "i1" if name.startswith("add") else a.type
        low, high = self.fresh(), self.fresh()
        types = f"{t}, {other}" if other == "i1" else t
        self.line(f"{low}, {high} = arith.{name} {a.name}, {b.name} : {types}")
        uniform = self.uniform_control and a.uniform and b.uniform
        self.scopes[-1] += [Value(low, t, uniform), Value(high, other, uniform)]

    def floating(self) -> None:
        t = self.pick(FLOATS)
        a, b = self.value(t), self.value(t)
        if self.features.bits:
            name = self.pick(["arith.negf", "math.absf"])
            self.op(f"{name} {a.name} : {t}", t, [a])
            return
        name = self.pick([*TWO, *UNARY, "math.fma"])
        if name == "math.copysign":
            # The sign of a NaN is nobody's business.
            b = self.cast(self.value(self.pick(INTEGERS)), t)
        elif name.endswith("numf"):
            # Of two zeros either may be the larger one.
            zero = self.constant("0.0", t).name
            a, b = (
                self.op(f"arith.addf {each.name}, {zero} : {t}", t, [each])
                for each in (a, b)
            )
        if name in UNARY:
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

    def or_zero(self, a: Value, b: Value) -> Value:
        """`a - b`, or 0 where that overflows: chosen, or on a branch."""
        t, zero = a.type, self.constant("0", a.type).name
        more = self.op(f"arith.cmpi uge, {a.name}, {b.name} : {t}", "i1", [a, b])
        text = f"arith.subi {a.name}, {b.name} overflow<nuw> : {t}"
        if self.maybe():
            less = self.op(text, t, [a, b], keep=False).name
            text = f"arith.select {more.name}, {less}, {zero} : {t}"
            return self.op(text, t, [a, b])
        result = self.fresh()
        self.line(f"{result} = scf.if {more.name} -> ({t}) {{")
        with self.region(uniform=more.uniform):
            less = self.op(text, t, [a, b], keep=False).name
            self.line(f"scf.yield {less} : {t}")
        self.line(f"}} else {{ scf.yield {zero} : {t} }}")
        self.scopes[-1].append(Value(result, t, more.uniform))
        return self.scopes[-1][-1]

    def within_bounds(self) -> None:
        """Small numbers, of which the flags of operations are true where it is asked for them."""
        if self.maybe(4):
            t = self.pick((*INTEGERS, "index"))
            item = self.cast(Value("%global_id_x", "index", False), t)
            self.or_zero(self.pick((self.value(t), item)), self.value(t))
            return
        t = self.pick((*INTEGERS, *(FLOATS if self.features.floats else ())))
        a, b = (self.small(self.pick(INTEGERS), t) for _ in range(2))
        if t[0] == "i":
            name = self.pick(["addi", "muli", "subi", "shli"])
            if (name, t) == ("shli", "i8"):
                three = self.constant("3", t)
                b = self.op(f"arith.andi {b.name}, {three.name} : {t}", t, [b])
            flags = [["nsw"], ["nuw"], ["nsw", "nuw"]][self.choose(3)]
            if name == "subi":
                flags = ["nsw"]
            suffix = f" overflow<{', '.join(flags)}>"
        else:
            name = self.pick(["addf", "mulf", "subf", "cmpf olt,", "maximumf"])
            flags = ["nnan", "ninf", "reassoc", "contract", "nnan,ninf,reassoc", "fast"]
            suffix = f" fastmath<{self.pick(flags)}>"
        result = "i1" if "cmpf" in name else t
        self.op(f"arith.{name} {a.name}, {b.name}{suffix} : {t}", result, [a, b])

    def small(self, of: str, t: str) -> Value:
        """A number from 0 to 7, which any type has."""
        number, mask = self.value(of), self.constant("7", of)
        text = f"arith.andi {number.name}, {mask.name} : {of}"
        return self.cast(self.op(text, of, [number], keep=False), t)

    def store(self, t: str = "") -> None:
        """To an element of an output array that no other work-item touches."""
        t = t or self.pick((*self.types(), "i1"))
        out, slot = self.slot(t)
        value = self.value(t)
        self.line(f"memref.store {value.name}, {slot} : {out}")

    def load_own(self, t: str = "") -> None:
        """From an element that no other work-item touches."""
        t = t or self.pick((*self.types(), "i1"))
        out, slot = self.slot(t)
        item = Value("%item", "index", False)
        self.op(f"memref.load {slot} : {out}", t, [item])

    def slot(self, t: str) -> tuple[str, str]:
        """The type of an output array, and an element of it that is the work-item's."""
        if self.features.planes and self.maybe():
            if self.maybe():
                across = self.parameter("across", t, f"memref<?x?x{t}>")
                return f"memref<?x?x{t}>", f"{across}[%global_id_x, %across]"
            out = self.parameter("crosswise", t, f"memref<?x{t}>")
            return f"memref<?x{t}>", f"{out}[%crosswise]"
        memref = f"memref<?x{SLOTS}x{t}>"
        out = self.parameter("out", t, memref)
        return memref, f"{out}[%item, %c{self.choose(SLOTS)}]"

    def record(self) -> None:
        """The elements of a work-item, several together, in any order."""
        t = self.pick((*self.types(), "i1"))
        for _ in range(2 + self.choose(5)):
            (self.store if self.maybe() else self.load_own)(t)

    def load_line(self) -> None:
        """Loads along the work-items: neighbours, backwards, every other row, shifted."""
        t = self.pick((*self.types(), "i1"))
        line = self.parameter("line", t, f"memref<?x{t}>")
        shape = self.choose(7)
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
            elif shape == 5:
                at = self.side("%item", low.name)
            else:
                at, item = low.name, low
        self.op(f"memref.load {line}[{at}] : memref<?x{t}>", t, [item])

    def side(self, item: str, log: str) -> str:
        """Where a side of a butterfly has `item`, in rows of two to the power of `log`."""
        number = self.index(f"arith.shrui {item}, {log}")
        row = self.index(f"arith.shli %c1, {log}")
        more = self.index(f"arith.addi {log}, %c1")
        start = self.index(f"arith.shli {number}, {more}")
        below = self.index(f"arith.subi {row}, %c1")
        offset = self.index(f"arith.andi {item}, {below}")
        return self.index(f"arith.addi {start}, {offset}")

    def promise(self) -> None:
        """An assertion that holds, which no pass can know."""
        t = self.pick(INTEGERS)
        a, b = self.value(t), self.value(t)
        low, high, holds = (self.fresh() for _ in range(3))
        self.line(f"{low} = arith.cmpi ule, {a.name}, {b.name} : {t}")
        self.line(f"{high} = arith.cmpi uge, {a.name}, {b.name} : {t}")
        self.line(f"{holds} = arith.ori {low}, {high} : i1")
        self.line(f'cf.assert {holds}, "promised"')

    def constant_table(self) -> None:
        """An element of an array of numbers that are known."""
        t, name = self.pick(INTEGERS), self.fresh()
        size, table = self.pick((4, 8, 16)), f"@table_{name[2:]}"
        memref = f"memref<{size}x{t}>"
        numbers = ", ".join(str(self.choose(128) - 64) for _ in range(size))
        self.functions.append(
            f'memref.global "private" constant {table} : {memref} = dense<[{numbers}]>'
        )
        index = self.within(self.value("i32", uniform=self.maybe()), size)
        self.line(f"{name} = memref.get_global {table} : {memref}")
        self.op(f"memref.load {name}[{index.name}] : {memref}", t, [index])
