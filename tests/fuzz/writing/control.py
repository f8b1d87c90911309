"""Structured control flow of a random kernel."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from tests.fuzz.writing.sharing import Sharing
from tests.fuzz.writing.writer import BITS, INTEGERS, Shared, Value


class Paths:
    """What happened to shared arrays on each of several paths through the code."""

    def __init__(self, arrays: Sequence[Shared]):
        self.arrays = arrays
        self.before = [set(array.uses) for array in arrays]
        self.after: list[set[str]] = [set() for _ in arrays]

    @contextmanager
    def one(self) -> Generator[None]:
        """One path: it begins as all of them do."""
        for array, uses in zip(self.arrays, self.before, strict=True):
            array.uses = set(uses)
        yield
        for array, uses in zip(self.arrays, self.after, strict=True):
            uses |= array.uses

    def join(self) -> None:
        """After them anything may have happened that happens on one."""
        for array, uses in zip(self.arrays, self.after, strict=True):
            array.uses = set(uses)


class Control(Sharing):
    """Branches, loops and switches, uniform or not."""

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
        paths = Paths(self.shared)
        with paths.one(), self.region(uniform=condition.uniform):
            self.block(self.choose(4))
            self.finish("scf.yield", types)
        with paths.one():
            if types or self.maybe():
                self.line("} else {")
                with self.region(uniform=condition.uniform):
                    self.block(self.choose(4))
                    self.finish("scf.yield", types)
        paths.join()
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
        paths = Paths(self.shared)
        for name in [f"case {n}" for n in range(1 + self.choose(3))] + ["default"]:
            self.line(f"{name} {{")
            with paths.one(), self.region(uniform=number.uniform):
                self.block(self.choose(3))
                values = [self.value(t) for t in types]
                names = ", ".join(value.name for value in values)
                self.line(
                    f"scf.yield {names} : {', '.join(types)}" if types else "scf.yield"
                )
            self.line("}")
        paths.join()
        self.scopes[-1] += results

    def enter_loop(self, uniform: bool) -> None:
        """Iterations follow each other: what one wrote, the next may read."""
        if uniform:
            self.barrier()

    def bounds(self) -> tuple[Value, Value, Value]:
        """Start, end and step of a loop of up to four iterations."""
        uniform = self.uniform_control and self.maybe()
        zero, one = (Value(name, "index", True) for name in ("%c0", "%c1"))
        if uniform and self.maybe():
            return zero, Value(self.pick(["%c2", "%c1", "%c3"]), "index", True), one
        number = self.within(self.value("i32", uniform=uniform), 16)
        if self.maybe(3):
            return self.bounds_at_the_largest(number)
        if self.maybe(3):
            return self.bounds_from_an_id()
        return zero, self.within(number, 4), one

    def bounds_at_the_largest(self, number: Value) -> tuple[Value, Value, Value]:
        """The counter would pass the largest number of its type."""
        t = self.pick([*INTEGERS, "index"])
        largest = self.constant(str(2 ** (BITS.get(t, 64) - 1) - 1), t)
        before = self.cast(number, t)
        step = self.constant("5", t)
        if self.maybe():
            operands = [step, self.cast(self.within(number, 4), t)]
            text = f"arith.addi {operands[0].name}, {operands[1].name} : {t}"
            step = self.op(text, t, operands)
        text = f"arith.subi {largest.name}, {before.name} : {t}"
        return self.op(text, t, [largest, before]), largest, step

    def bounds_from_an_id(self) -> tuple[Value, Value, Value]:
        """Work-items that are neighbours begin one after the other; they may end together."""
        if self.maybe():
            end = self.within(self.value("i32", uniform=self.maybe()), 32)
            start = Value("%local_id_x", "index", False)
            return start, end, self.constant(self.pick(["3", "8"]), "index")
        t = self.pick([*INTEGERS, "index"])
        if self.maybe(3):
            # Each runs three times, wherever it begins.
            start = self.cast(self.within(self.value("i32"), 8), t)
            return start, self.constant("24", t), self.constant("8", t)
        start = self.cast(Value("%local_id_x", "index", False), t)
        length = self.constant(str(self.choose(6)), t)
        text = f"arith.addi {start.name}, {length.name} : {t}"
        return start, self.op(text, t, [start, length]), self.constant("2", t)

    def loop(self) -> None:
        start, end, step = self.bounds()
        uniform = start.uniform and end.uniform and step.uniform
        types = self.results()
        starts = [self.value(t) for t in types]
        carried = self.bind(types)
        results = self.bind(types)
        counter = Value(self.fresh(), start.type, uniform)
        head = f"scf.for {counter.name} = {start.name} to {end.name} step {step.name}"
        if types:
            pairs = ", ".join(
                f"{c.name} = {s.name}" for c, s in zip(carried, starts, strict=True)
            )
            names = ", ".join(v.name for v in results)
            head = f"{names} = {head} iter_args({pairs}) -> ({', '.join(types)})"
        self.line(head + ("" if start.type == "index" else f" : {start.type}") + " {")
        with self.region(uniform=uniform):
            self.enter_loop(uniform)
            self.scopes[-1] += carried
            as_number = self.cast(counter, "i32")
            self.scopes[-1].append(as_number)
            self.block(1 + self.choose(3))
            self.finish("scf.yield", types)
        self.line("}")
        if self.uniform_control and uniform:
            self.barrier()
        self.scopes[-1] += results

    def guarded_loop(self) -> None:
        """All that is done stands under one condition of the counter."""
        start, end, step = self.bounds()
        t = start.type
        limit = self.cast(self.value(self.pick(INTEGERS), uniform=end.uniform), t)
        if self.maybe():
            limit = self.cast(self.within(self.value("i32", uniform=end.uniform), 4), t)
        uniform = all(each.uniform for each in (start, end, step, limit))
        first = self.value("i32")
        (carried, given, result) = self.bind(["i32"] * 3)
        counter = Value(self.fresh(), t, uniform)
        self.line(
            f"{result.name} = scf.for {counter.name} = {start.name} to {end.name} step "
            f"{step.name} iter_args({carried.name} = {first.name}) -> (i32)"
            f"{'' if t == 'index' else f' : {t}'} {{"
        )
        with self.region(uniform=uniform):
            sides = [counter, limit] if self.maybe(3) else [limit, counter]
            which = self.pick(["slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])
            names = ", ".join(each.name for each in sides)
            inside = self.op(f"arith.cmpi {which}, {names} : {t}", "i1", sides)
            self.line(f"{given.name} = scf.if {inside.name} -> (i32) {{")
            paths = Paths(self.shared)
            with paths.one(), self.region(uniform=uniform):
                self.enter_loop(uniform)
                self.scopes[-1] += [carried, self.cast(counter, "i32")]
                self.block(1 + self.choose(3))
                self.finish("scf.yield", ["i32"])
            paths.join()
            other = first if self.maybe(4) else carried
            self.line(f"}} else {{ scf.yield {other.name} : i32 }}")
            self.line(f"scf.yield {given.name} : i32")
        self.line("}")
        if self.uniform_control and uniform:
            self.barrier()
        self.scopes[-1].append(result)

    def adding_loop(self) -> None:
        """
        Adds up polynomials of the counter, which wrap; nothing else, or a store.

        Up to 300 iterations where the counter is wider than what is added up.
        """
        start, end, step = self.bounds()
        if start.type == "index" and self.maybe(4):
            end = self.within(self.value("i32", uniform=self.maybe()), 512)
        types = [self.pick([*INTEGERS, "index"]) for _ in range(1 + self.choose(2))]
        carried, results = self.bind(types), self.bind(types)
        starts = [self.cast(self.value(self.pick(INTEGERS)), t) for t in types]
        counter = Value(self.fresh(), start.type, uniform=False)
        pairs = ", ".join(
            f"{c.name} = {s.name}" for c, s in zip(carried, starts, strict=True)
        )
        suffix = "" if start.type == "index" else f" : {start.type}"
        self.line(
            f"{', '.join(v.name for v in results)} = scf.for {counter.name} = "
            f"{start.name} to {end.name} step {step.name} iter_args({pairs}) -> "
            f"({', '.join(types)}){suffix} {{"
        )
        with self.region(uniform=False):
            sums = [self.added(value, counter, carried) for value in carried]
            if self.maybe(4):
                self.store()
            names = ", ".join(value.name for value in sums)
            self.line(f"scf.yield {names} : {', '.join(types)}")
        self.line("}")
        self.scopes[-1] += results

    def parallel(self) -> None:
        """Iterations in any order, and what all of them are together."""
        t, count = self.pick(INTEGERS), 1 + self.choose(2)
        counters = [Value(self.fresh(), "index", False) for _ in range(count)]
        ends = [self.within(self.value("i32"), 4).name for _ in range(count)]
        names, zeros, steps = (
            ", ".join(each)
            for each in ([c.name for c in counters], ["%c0"] * count, ["%c1"] * count)
        )
        (result,), first = self.bind([t]), self.value(t).name
        self.line(
            f"{result.name} = scf.parallel ({names}) = ({zeros}) to ({', '.join(ends)}) "
            f"step ({steps}) init ({first}) -> {t} {{"
        )
        with self.region(uniform=False):
            self.scopes[-1] += [self.cast(each, "i32") for each in counters]
            self.arithmetic()
            left, right, both = (self.fresh() for _ in range(3))
            kind = self.pick(("addi", "xori", "maxsi", "muli"))
            self.line(f"scf.reduce ({self.value(t).name} : {t}) {{")
            self.line(f"^both_{left[2:]}({left}: {t}, {right}: {t}):")
            self.line(f"  {both} = arith.{kind} {left}, {right} : {t}")
            self.line(f"  scf.reduce.return {both} : {t}")
            self.line("}")
        self.line("}")
        self.scopes[-1].append(result)

    def added(self, value: Value, counter: Value, carried: Sequence[Value]) -> Value:
        """`value` and, multiplied or not, numbers that change with the iterations."""
        t = value.type
        for _ in range(1 + self.choose(2)):
            known = self.value(self.pick(INTEGERS))
            parts = [self.cast(each, t) for each in (counter, known, *carried)]
            term = self.pick(parts)
            for _ in range(self.choose(3)):
                factor = self.pick(parts)
                text = f"arith.muli {term.name}, {factor.name} : {t}"
                term = self.op(text, t, [term, factor], keep=False)
            name = self.pick(["addi", "subi"])
            text = f"arith.{name} {value.name}, {term.name} : {t}"
            value = self.op(text, t, [value, term], keep=False)
        return value

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
            left, right = (more, own) if self.maybe() else (own, more)
            text = f"arith.andi {left.name}, {right.name} : i1"
            if self.maybe(3):
                off = self.op("arith.constant false", "i1", (), keep=False)
                text = f"arith.select {left.name}, {right.name}, {off.name} : i1"
            both = self.op(text, "i1", [more, own])
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
            self.enter_loop(uniform)  # the condition is evaluated again
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
        if not (self.uniform_control and self.may_meet_in_divergent_loops):
            return
        self.meets_in_divergent_loops = True
        number = self.value("i32")
        if number.uniform and self.maybe():
            number = self.cast(Value("%local", "index", False), "i32")
        trips = self.index(f"arith.addi {self.within(number, 4).name}, %c2")
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
            # Without something to wait for, the barriers would be dropped.
            told = self.pick(self.shared) if self.shared else None
            if told is not None:
                self.write_own(told)
            early = self.index(f"arith.cmpi ult, {counter}, %c2")
            self.line(f"scf.if {early} {{")
            with self.region(uniform=False):
                self.line("spmd.barrier")
                for array in self.shared:
                    array.uses = {"read"}
                if told is not None:
                    self.read_another(told)
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
