"""What work-items do together: shared arrays, barriers, collectives."""

from __future__ import annotations

from tests.fuzz.writing.vectors import Vectors
from tests.fuzz.writing.writer import FLOATS, INTEGERS, Shared, Value


class Sharing(Vectors):
    """Shared arrays are written, or read, between two barriers; never both."""

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
            t, name = self.extremum()
            value = self.value(t)
            text = f"spmd.reduce {name} {value.name} across work_group : {t}"
        else:
            t, value = "i1", self.value("i1")
            text = f"spmd.{self.pick(['any', 'all'])} {value.name} across work_group"
        uniform = Value("", t, kind != 1)
        self.op(text, t, [uniform])

    def extremum(self) -> tuple[str, str]:
        """A type and a kind; of several NaNs any may be the least."""
        floats = self.features.floats and not self.features.bits
        return self.pick(FLOATS) if floats else "i32", self.pick(["min", "max"])

    def atomic(self) -> None:
        """Adds to a counter of all work-items; the order does not matter."""
        if not self.features.atomics:
            return
        t = self.pick(("i32", "i64", "i8"))
        name = self.parameter("counter", t, f"memref<4x{t}>")
        # Kinds do not commute with each other: each has a counter of its own.
        slot, kind = self.pick((("%c0", "add"), ("%c1", "max"), ("%c2", "xor")))
        value = self.value(t)
        old = self.fresh()
        self.line(
            f"{old} = spmd.atomic_rmw {kind} {value.name}, {name}[{slot}] : memref<4x{t}>"
        )

    def sub_group(self) -> None:
        """What the lanes that come here together compute."""
        if not self.may_use_sub_groups or self.in_blocks:
            return
        self.uses_sub_groups = True
        kind = self.choose(9)
        t = self.pick(INTEGERS)
        if kind == 8 and self.uniform_control:
            self.of_a_lane()
            return
        if kind == 6 and self.uniform_control:
            value, by = self.value(t), self.within(self.value("i32"), 64)
            text = f"spmd.shuffle rotate {value.name}, {by.name} : {t}"
        elif kind == 7:
            t, text = "i1", "spmd.elect"
        elif kind >= 5:
            self.line(f"{(lane := self.fresh())} = spmd.lane_id")
            text = f"arith.index_cast {lane} : index to {t}"
        elif kind == 0:
            name = self.pick(["add", "min", "max", "xor", "and", "or", "minui"])
            text = f"spmd.reduce {name} {self.value(t).name} across sub_group : {t}"
        elif kind == 1:
            mode = self.pick(["inclusive", "exclusive"])
            value = self.value(t)
            text = f"spmd.scan {mode} add {value.name} across sub_group : {t}"
        elif kind == 2:
            t, name = self.extremum()
            how = self.pick(["reduce", "scan inclusive", "scan exclusive"])
            text = f"spmd.{how} {name} {self.value(t).name} across sub_group : {t}"
        elif kind == 3:
            t, value = "i64", self.value("i1")
            text = f"spmd.ballot {value.name} : i64"
        else:
            t, value = "i1", self.value("i1")
            text = f"spmd.{self.pick(['any', 'all'])} {value.name} across sub_group"
        self.op(text, t, [Value("", t, False)])

    def of_a_lane(self) -> None:
        """What a lane has that is there, one for all or one for each."""
        t = self.pick((*self.types(), "i1"))
        value, lane, size = self.value(t), self.fresh(), self.fresh()
        self.line(f"{lane} = spmd.lane_id")
        self.line(f"{size} = spmd.sub_group_size")
        mode = self.pick(["idx", "up", "down", "broadcast"])
        number = self.value("i32", uniform=mode == "broadcast" or self.maybe())
        by = self.cast(number, "index").name
        if mode in ("idx", "broadcast"):
            by = self.index(f"arith.remui {by}, {size}")
        else:
            last = self.index(f"arith.subi {size}, %c1")
            ahead = self.index(f"arith.subi {last}, {lane}")
            by = self.index(f"arith.minui {by}, {lane if mode == 'up' else ahead}")
        text = f"spmd.shuffle {mode} {value.name}, {by} : {t}"
        if mode == "broadcast":
            text = f"spmd.broadcast {value.name} from {by} across sub_group : {t}"
        self.op(text, t, [Value("", t, False)])

    def exchange(self) -> None:
        """Write one's own element of a shared array, or read somebody's; or a barrier."""
        if not self.shared:
            return
        array = self.pick(self.shared)
        kind = self.choose(3)
        if kind == 2:
            self.barrier()
        elif kind == 1:
            self.write_own(array)
        else:
            self.read_another(array)

    def round_trip(self) -> None:
        """Everybody writes, all meet, everybody reads what others wrote."""
        if not (self.shared and self.uniform_control and self.features.barriers):
            return
        array = self.pick(self.shared)
        if "read" in array.uses:
            self.barrier()
        self.write_own(array)
        self.barrier()
        for _ in range(1 + self.choose(2)):
            self.read_another(array)

    def write_own(self, array: Shared) -> None:
        if "read" in array.uses:
            return
        array.uses.add("write")
        value = self.value(array.type)
        is_moved = self.features.bits and array.type in FLOATS
        if not (is_moved or self.maybe(4)):
            # Values that differ show whose were read.
            mine = self.cast(Value("%mine", "i32", False), array.type)
            operation = "arith.xori" if array.type[0] == "i" else "arith.subf"
            value = self.op(
                f"{operation} {value.name}, {mine.name} : {array.type}",
                array.type,
                [value, mine],
            )
        at = self.element(array, "%local")
        self.line(f"memref.store {value.name}, {array.name}[{at}] : {array.memref}")

    def read_another(self, array: Shared) -> None:
        """A neighbour's element, the mirrored one, or any."""
        if "write" in array.uses:
            return
        array.uses.add("read")
        kind = self.choose(3)
        uniform = False
        if kind == 0:
            right = self.index("arith.addi %local, %c1")
            other = self.index(f"arith.remui {right}, %items")
        elif kind == 1:
            last = self.index("arith.subi %items, %c1")
            other = self.index(f"arith.subi {last}, %local")
        else:
            number = self.cast(self.value("i32"), "index")
            other = self.index(f"arith.remui {number.name}, %items")
            uniform = number.uniform
        at = self.element(array, other)
        shared = Value("", array.type, uniform and array.base is None)
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
        fewest = int(self.features.all_about_barriers)
        for number in range(self.pick((1, 2, fewest, 3))):
            t = self.pick(("i32", "f32", "i64", "f64", "i8", "f16"))
            if t[0] == "f" and not self.features.floats:
                t = "i32"
            if number == 1 and self.maybe():
                name = self.parameter("shared", t, f"memref<?x{t}>")
                array = Shared(name, t, f"memref<?x{t}>", "%first")
            else:
                memref = f"memref<{self.largest_group}x{t}, #spmd.memory<local>>"
                array = Shared(self.fresh(), t, memref, None)
                self.line(f"{array.name} = spmd.local_alloc : {memref}")
            value = self.source(t, False)
            at = self.element(array, "%local")
            self.line(f"memref.store {value.name}, {array.name}[{at}] : {array.memref}")
            self.shared.append(array)
        if self.shared:
            self.line("spmd.barrier")

    def declare_own_elements(self) -> None:
        """An element of local memory for each work-item, which nobody else looks at."""
        for _ in range(self.choose(3)):
            t = self.pick((*INTEGERS, "f32") if self.features.floats else INTEGERS)
            memref = f"memref<{self.largest_group}x{t}, #spmd.memory<local>>"
            name = self.fresh()
            self.line(f"{name} = spmd.local_alloc : {memref}")
            value = self.source(t, False)
            self.line(f"memref.store {value.name}, {name}[%local] : {memref}")
            self.own.append((name, t, memref))

    def own_element(self) -> None:
        """One's own element is read, and at times written."""
        if not self.own:
            return
        name, t, memref = self.pick(self.own)
        mine = Value("%local", "index", False)
        old = self.op(f"memref.load {name}[%local] : {memref}", t, [mine])
        if self.maybe(3):
            return
        value = self.value(t)
        if t[0] == "i":
            text = f"arith.addi {old.name}, {value.name} : {t}"
            value = self.op(text, t, [old, value])
        self.line(f"memref.store {value.name}, {name}[%local] : {memref}")
