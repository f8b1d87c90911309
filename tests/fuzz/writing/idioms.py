"""What people write: rows, neighbours, shares of an array, trees, bounds checks."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.writing.meeting import Meeting
from tests.fuzz.writing.writer import FLOATS, INTEGERS, SLOTS, TABLE, Value


class Idioms(Meeting):
    """Situations that passes look for, and that few random statements happen to make."""

    def combined(self, left: Value, right: Value) -> Value:
        """The sum of two values of a type, or something like it."""
        t = left.type
        if t[0] == "i":
            name = self.pick(["addi", "muli", "xori", "maxsi"])
        elif self.features.bits:
            return right
        else:
            name = self.pick(["addf", "maximumf", "subf"])
        text = f"arith.{name} {left.name}, {right.name} : {t}"
        return self.op(text, t, [left, right])

    def row(self) -> None:
        """A row of one's own from end to end, or a part; it may be written, or turned."""
        t = self.pick(self.types())
        plain, short = f"memref<?x?x{t}>", f"memref<?x{SLOTS}x{t}>"
        odd = {"backwards": f"{plain[:-1]}, strided<[?, 1], offset: ?>>", "out": short}
        what = self.pick(["rows", "rows", "columns", *odd])
        memref, turned = odd.get(what, plain), what == "columns"
        rows = self.parameter(what, t, memref)
        start, step = self.pick(["%c0", "%c1"]), self.pick(["%c1", "%c1", "%c2"])
        end = self.fresh()
        self.line(f"{end} = memref.dim {rows}, {'%c0' if turned else '%c1'} : {memref}")
        if what == "out":
            end = self.index_of(SLOTS)
        elif self.maybe(3):
            end = self.within(self.value("i32", uniform=self.maybe()), 32).name

        def element(counter: Value, carried: Value) -> Value:
            at = f"[%item, {counter.name}]"
            from_ = f"[{counter.name}, %item]" if turned else at
            read = self.op(f"memref.load {rows}{from_} : {memref}", t, [counter])
            self.scopes[-1] += [carried, self.cast(counter, "i32")]
            if self.maybe(4):
                self.block(1)
            more = self.combined(carried, read)
            if self.maybe(3):
                own = self.parameter("own_rows", t, plain)
                old = self.op(f"memref.load {own}{at} : {plain}", t, [counter])
                new = self.combined(old, self.value(t))
                self.line(f"memref.store {new.name}, {own}{at} : {plain}")
            return more

        self.fold(t, f"{start} to {end} step {step}", element)

    def fold(self, t: str, bounds: str, step: Callable[[Value, Value], Value]) -> None:
        """A loop that carries one value, which `step` computes of the counter and itself."""
        first = self.value(t)
        carried, result = self.bind([t, t])
        counter = Value(self.fresh(), "index", False)
        self.line(
            f"{result.name} = scf.for {counter.name} = {bounds} "
            f"iter_args({carried.name} = {first.name}) -> ({t}) {{"
        )
        with self.region(uniform=False):
            self.line(f"scf.yield {step(counter, carried).name} : {t}")
        self.line("}")
        self.scopes[-1].append(result)

    def own_atomic(self) -> None:
        """An atomic operation on an element that no other work-item touches, and its result."""
        if not self.features.atomics:
            return
        floats = FLOATS[:2] if self.features.floats else ()
        t = self.pick((*INTEGERS, *floats))
        array, place = self.slot(t)
        mine = [each for each in self.own if each[1] == t and self.maybe()]
        if mine:
            name, _, array = self.pick(mine)
            place = f"{name}[%local]"
        value = self.value(t)
        rest = self.pick(("", " ordering(acq_rel)", " scope(work_group)"))
        at = f"{place}{rest} : {array}"
        if t[0] == "i" and self.maybe(3):
            found = self.op(f"memref.load {place} : {array}", t, [Value("", t, False)])
            expected = self.pick((found, self.value(t))).name
            old, won = self.fresh(), self.fresh()
            self.line(f"{old}, {won} = spmd.atomic_cas {expected}, {value.name}, {at}")
            self.scopes[-1] += [Value(old, t, False), Value(won, "i1", False)]
            return
        kinds = ["exchange"]
        if t[0] == "i":
            kinds += ["add", "sub", "min", "max", "minui", "maxui", "and", "or", "xor"]
        elif not self.features.bits:
            # Threads may add to copies of an argument, in partial sums.
            kinds += ["min", "max", *(["add", "sub"] if mine else [])]
        text = f"spmd.atomic_rmw {self.pick(kinds)} {value.name}, {at}"
        self.op(text, t, [Value("", t, False)])

    def part_of_row(self) -> None:
        """Neighbours in a row of one's own as a vector, of which some may be left out."""
        t, length = self.pick((*self.types(), "i1")), self.pick((2, 4, 8))
        vector, bits = f"vector<{length}x{t}>", f"vector<{length}xi1>"
        memref = f"memref<?x?x{t}>"
        own = self.parameter("own_rows", t, memref)
        at = f"{own}[%item, {self.within(self.value('i32'), 16).name}]"
        mask, other, found = self.fresh(), self.fresh(), self.fresh()
        count = self.cast(self.value("i32", uniform=self.maybe()), "index")
        if self.maybe():
            count = self.within(count, 8)
        self.line(f"{mask} = vector.create_mask {count.name} : {bits}")
        if self.maybe():
            number = self.pick(("dense<true>", "dense<false>"))
            mask = self.fresh()
            self.line(f"{mask} = arith.constant {number} : {bits}")
        value = self.value(t)
        self.line(f"{other} = vector.broadcast {value.name} : {t} to {vector}")
        if self.maybe():
            load = f"vector.load {at} : {memref}, {vector}"
        else:
            types = f"{memref}, {bits}, {vector} into {vector}"
            load = f"vector.maskedload {at}, {mask}, {other} : {types}"
        self.line(f"{found} = {load}")
        stored = self.pick((found, other))
        kind = self.choose(3)
        if kind == 1:
            self.line(f"vector.store {stored}, {at} : {memref}, {vector}")
        elif kind == 2:
            types = f"{memref}, {bits}, {vector}"
            self.line(f"vector.maskedstore {at}, {mask}, {stored} : {types}")
        place = self.within(self.value("i32"), length).name
        text = f"vector.extract {found}[{place}] : {t} from {vector}"
        self.op(text, t, [Value("", t, False)])

    def channels(self) -> None:
        """A few elements of one's own, of which mostly the same operations make others."""
        count = self.pick((2, 3, 4, 4, 8))
        t = self.pick(INTEGERS if self.features.bits else self.types())
        memref = f"memref<?x{count}x{t}>"
        own = self.parameter(f"channels{count}", t, memref)
        at = [f"{own}[%item, {self.index_of(k)}] : {memref}" for k in range(count)]
        loaded = [
            self.op(f"memref.load {each}", t, [Value("", t, False)]) for each in at
        ]
        weight, turn = self.pick((self.value(t), *loaded)), self.choose(count)
        values = [loaded[(k + turn) % count] for k in range(count)]
        for _ in range(1 + self.choose(2)):
            names = ("addi", "muli", "xori") if t[0] == "i" else ("addf", "subf")
            name = self.pick(names)
            values = [
                self.op(f"arith.{name} {x.name}, {weight.name} : {t}", t, [x, weight])
                for x in values
            ]
            weight = self.pick((weight, loaded[turn]))
        if self.maybe(4):
            values[-1] = self.combined(values[-1], self.value(t))
        for value, each in zip(values, at, strict=True):
            self.line(f"memref.store {value.name}, {each}")

    def alias(self) -> None:
        """An array as one of unknown size, or with another offset and other strides."""
        arrays = [each for scope in self.privates for each in scope]
        arrays = [each for each in arrays if each[2] == f"memref<4x{each[1]}>"]
        t, size = self.pick(self.types()), TABLE
        array, new = self.parameter("table", t, f"memref<{size}x{t}>"), self.fresh()
        is_own = bool(arrays) and self.maybe()
        if is_own:
            (array, t, _), size = self.pick(arrays), 4
        memref = f"memref<{size}x{t}>"
        if self.maybe():
            to = f"memref<?x{t}>"
            self.line(f"{new} = memref.cast {array} : {memref} to {to}")
            if is_own:
                self.privates[-1].append((new, t, to))
                return
            places = self.within(self.value("i32"), size).name
        else:
            by = 1 if is_own else 4
            to = f"memref<2x2x{t}, strided<[?, 1], offset: ?>>"
            number = self.value("i32", uniform=self.maybe())
            offset = self.within(number, by).name
            stride = self.index(f"arith.addi {self.within(number, by).name}, %c1")
            layout = f"offset: [{offset}], sizes: [2, 2], strides: [{stride}, 1]"
            self.line(
                f"{new} = memref.reinterpret_cast {array} to {layout} : {memref} to {to}"
            )
            places = ", ".join(
                self.within(self.value("i32", uniform=self.maybe()), 2).name
                for _ in range(2)
            )
            if is_own and self.maybe():
                value = self.value(t).name
                self.line(f"memref.store {value}, {new}[{places}] : {to}")
                return
        text = f"memref.load {new}[{places}] : {to}"
        self.op(text, t, [Value("", t, False)])

    def ask_ahead(self) -> None:
        """Cache lines are asked for, whether there are such elements or not."""
        t = self.pick(self.types())
        how = self.pick(("", "write ", "streaming ", "write streaming "))
        far = self.cast(self.value("i32", uniform=self.maybe()), "index").name
        ahead = self.index(f"arith.addi %item, {self.index_of(64)}")
        name, memref, at = self.pick(
            (
                ("line", f"memref<?x{t}>", self.pick((ahead, far))),
                ("table", f"memref<{TABLE}x{t}>", far),
                ("own_rows", f"memref<?x?x{t}>", f"%item, {self.pick(('%c1', far))}"),
            )
        )
        array = self.parameter(name, t, memref)
        self.line(f"spmd.prefetch {how}{array}[{at}] : {memref}")

    def share(self) -> None:
        """Elements of an array that are a group apart, which a work-item adds up."""
        t = self.pick(self.types())
        line = self.parameter("line", t, f"memref<?x{t}>")
        end = self.pick(["%whole", "%items", ""])
        if not end:
            end = self.within(self.value("i32", uniform=not self.maybe(3)), 8).name
            end = self.index(f"arith.addi {end}, %whole")

        def element(counter: Value, carried: Value) -> Value:
            at = f"{line}[{counter.name}] : memref<?x{t}>"
            return self.combined(carried, self.op(f"memref.load {at}", t, [counter]))

        self.fold(t, f"%local to {end} step %items", element)

    def walk(self) -> None:
        """A loop over elements of one's own: a launch apart, a group apart, or a row."""
        self.barrier()
        t = self.pick(self.types())
        end = self.within(self.value("i32", uniform=True), 4).name
        how = self.pick(("walked", "parts", "own_columns"))
        memref, before = f"memref<?x{t}>", ""
        if how == "walked":
            start, step = "%item", "%whole"
            end = self.index(f"arith.muli {end}, %whole")
            if self.maybe():
                end = self.index(f"arith.addi {end}, {self.index_of(7)}")
        elif how == "parts":
            base = self.index(f"arith.muli %first, {self.index_of(4)}")
            start, step = self.index(f"arith.addi {base}, %local"), "%items"
            end = self.index(f"arith.muli {end}, %items")
            if self.maybe(3):
                end = self.index(f"arith.subi {end}, %c1")
            end = self.index(f"arith.addi {base}, {end}")
        else:
            start, step = self.pick(("%c0", "%c1")), self.pick(("%c1", "%c2"))
            memref, before = f"memref<?x?x{t}>", ", %item"
        array = self.parameter(how, t, memref)
        counter = Value(self.fresh(), "index", False)
        place = f"{array}[{counter.name}{before}] : {memref}"
        self.line(f"scf.for {counter.name} = {start} to {end} step {step} {{")
        with self.region(uniform=False):
            found = self.op(f"memref.load {place}", t, [counter])
            if self.maybe(4):
                self.scopes[-1].append(self.cast(counter, "i32"))
                self.block(1)
            other = self.value(t) if self.maybe(3) else found
            self.line(f"memref.store {self.combined(found, other).name}, {place}")
        self.line("}")

    def tile(self) -> None:
        """A private array that counted loops walk through, before, in and after other code."""
        t, shape = self.pick(self.types()), self.pick(((2,), (3,), (2, 3), (1, 2)))
        tile, first = self.fresh(), self.value(t)
        memref = f"memref<{'x'.join(map(str, shape))}x{t}>"
        self.line(f"{tile} = memref.alloca() : {memref}")

        def walk(part: int, step: Callable[[str], None]) -> None:
            """Do `step` at each element, or at those beyond a diagonal of two dimensions."""
            places: list[str] = []
            for extent in shape:
                start = places[0] if places and part == 1 else "%c0"
                places.append(self.fresh())
                head = f"scf.for {places[-1]} = {start} to %c{extent} step %c1"
                self.line(f"{head} {{")
                self.depth += 1
            step(f"{tile}[{', '.join(places)}] : {memref}")
            for _ in shape:
                self.depth -= 1
                self.line("}")

        def combine(place: str) -> None:
            with self.region(uniform=False):
                old = self.op(f"memref.load {place}", t, [Value("", t, False)])
                new = self.combined(old, self.value(t)).name
                self.line(f"memref.store {new}, {place}")

        walk(0, lambda place: self.line(f"memref.store {first.name}, {place}"))
        rounds = self.within(self.value("i32", uniform=self.uniform_control), 4).name
        self.line(f"scf.for {self.fresh()} = %c0 to {rounds} step %c1 {{")
        with self.region(uniform=self.uniform_control):
            self.enter_loop(self.uniform_control)
            self.block(1 + self.choose(2))
            if self.maybe(3):
                condition = self.compare(first, self.value(t)).name
                self.line(f"scf.if {condition} {{")
                walk(self.choose(2), combine)
                self.line("}")
            else:
                walk(self.choose(2), combine)
        self.line("}")
        if self.uniform_control:
            self.barrier()
        place = f"{tile}[{', '.join(f'%c{extent - 1}' for extent in shape)}]"
        self.op(f"memref.load {place} : {memref}", t, [Value("", t, False)])

    def tree(self) -> None:
        """Half as many work-items in each step combine what two of them had."""
        if not (self.uniform_control and self.features.barriers):
            return
        t = self.pick((*INTEGERS, *(FLOATS[:2] if self.features.floats else ())))
        array, value = self.fresh(), self.value(t)
        memref = f"memref<{self.largest_group}x{t}, #spmd.memory<local>>"
        half = self.index_of(1 << max(0, (self.largest_group - 1).bit_length() - 1))
        self.barrier()
        self.line(f"{array} = spmd.local_alloc : {memref}")
        self.line(f"memref.store {value.name}, {array}[%local] : {memref}")
        self.barrier()
        s, n, more = self.fresh(), self.fresh(), self.fresh()
        self.line(f"{self.fresh()} = scf.while ({s} = {half}) : (index) -> index {{")
        self.line(f"  {more} = arith.cmpi ugt, {s}, %c0 : index")
        self.line(f"  scf.condition({more}) {s} : index")
        self.line("} do {")
        self.line(f"^tree_{array[2:]}({n}: index):")
        with self.region(uniform=True):
            inside, there = self.fresh(), self.fresh()
            self.line(f"{inside} = arith.cmpi ult, %local, {n} : index")
            self.line(f"scf.if {inside} {{")
            with self.region(uniform=False):
                other = self.index(f"arith.addi %local, {n}")
                self.line(f"{there} = arith.cmpi ult, {other}, %items : index")
                self.line(f"scf.if {there} {{")
                with self.region(uniform=False):
                    mine = Value("", t, False)
                    parts = [
                        self.op(f"memref.load {array}[{at}] : {memref}", t, [mine])
                        for at in ("%local", other)
                    ]
                    both = self.combined(*parts).name
                    self.line(f"memref.store {both}, {array}[%local] : {memref}")
                self.line("}")
            self.line("}")
            self.barrier()
            self.line(f"scf.yield {self.index(f'arith.shrui {n}, %c1')} : index")
        self.line("}")
        self.op(f"memref.load {array}[%c0] : {memref}", t, [Value("", t, True)])

    def inside(self) -> str:
        """Whether an id is inside of bounds that all work-items agree on."""
        conditions: list[str] = []
        for dimension in "xyz"[: 1 + self.choose(self.rank)]:
            number = self.cast(self.value("i32", uniform=True), "index")
            which = self.pick(["global_id", "local_id", "global_id"])
            size = f"%{which.replace('id', 'size')}_{dimension}"
            bound = self.pick([self.within(number, 16).name, number.name, size])
            if bound == size or self.maybe(3):
                bound = self.index(f"arith.subi {bound}, %c1")
            name = self.pick(["ult", "slt", "ule", "sle", "slt", "ult", "eq", "sge"])
            sides = f"%{which}_{dimension}, {bound}"
            conditions.append(self.fresh())
            self.line(f"{conditions[-1]} = arith.cmpi {name}, {sides} : index")
        while len(conditions) > 1:
            both = self.fresh()
            self.line(
                f"{both} = arith.andi {conditions.pop()}, {conditions.pop()} : i1"
            )
            conditions.append(both)
        return conditions[0]
