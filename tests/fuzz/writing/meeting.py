"""Blocks, and situations in which work-items meet, for kernels that are all about barriers."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fuzz.writing.control import Control
from tests.fuzz.writing.writer import Shared, Value


class Unstructured(Control):
    """Regions of `cf` blocks."""

    def blocks(self) -> None:
        """Unstructured code: blocks that jump forward, and loops that end early."""
        if not self.features.blocks:
            self.arithmetic()
            return
        number = 2 + self.choose(4)
        label = f"^b{self.fresh()[2:]}_"
        (result,) = self.bind(["i32"])
        self.line(f"{result.name} = scf.execute_region -> (i32) {{")
        outside, self.in_blocks = self.in_blocks, True
        with self.region(uniform=False):
            first = self.value("i32")
            self.line(f"cf.br {label}0({first.name} : i32)")
            for at in range(number):
                self.unstructured_block(label, at, number)
            self.depth -= 1
            self.line(f"{label}{number}(%end_{label[2:-1]}: i32):")
            self.depth += 1
            self.line(f"scf.yield %end_{label[2:-1]} : i32")
        self.in_blocks = outside
        self.line("}")
        self.scopes[-1].append(result)

    def jump(self, number: Value, paths: Sequence[str]) -> None:
        """One of several paths, the first of which is for most numbers."""
        default, *others = paths
        numbers = [self.pick((0, 1, -1)), 3 + self.choose(3)]
        cases = [f"{n}: {path}" for n, path in zip(numbers, others, strict=False)]
        three = self.constant("3", "i32")
        if self.maybe():
            text = f"arith.andi {number.name}, {three.name} : i32"
            number = self.op(text, "i32", [number])
        listed = ", ".join([f"default: {default}", *cases])
        self.line(f"cf.switch {number.name} : i32, [{listed}]")

    def unstructured_block(self, label: str, at: int, number: int) -> None:
        """A block with one argument, and two paths on; or a loop around itself."""
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
            paths = [
                f"{label}{at + 1 + self.choose(number - at)}({self.value('i32').name} : i32)"
                for _ in range(2)
            ]
            if not is_loop and self.maybe(3):
                paths.append(f"{label}{number}({arguments[0].name} : i32)")
                self.jump(self.value("i32"), paths)
                return
            condition = self.value("i1")
            if not is_loop:
                self.line(f"cf.cond_br {condition.name}, {paths[0]}, {paths[1]}")
                return
            next_ = self.op(f"arith.addi {arguments[1].name}, %one : i32", "i32", [])
            more = self.op(f"arith.cmpi slt, {next_.name}, %four : i32", "i1", [])
            value = self.value("i32")
            go_on = f"{label}{at}_again({value.name}, {next_.name} : i32, i32)"
            self.line(f"cf.cond_br {condition.name}, {go_on}, {paths[0]}")
            self.depth -= 1
            again = self.bind(["i32", "i32"])
            names = ", ".join(f"{v.name}: i32" for v in again)
            self.line(f"{label}{at}_again({names}):")
            self.depth += 1
            passed = ", ".join(v.name for v in again)
            back = f"{label}{at}_loop({passed} : i32, i32)"
            out = f"{paths[1].split('(')[0]}({again[0].name} : i32)"
            self.line(f"cf.cond_br {more.name}, {back}, {out}")


class Meeting(Unstructured):
    """Agreed conditions, blocks with barriers, early returns, functions with barriers."""

    def meet(self) -> None:
        """A barrier, or two in a row."""
        for _ in range(1 + self.choose(2)):
            self.barrier()

    def agreed(self) -> None:
        """A value that is the same in all work-items, which no compiler can know."""
        if not self.uniform_control:
            return
        memref = f"memref<{self.largest_group}xi32, #spmd.memory<local>>"
        array = Shared(self.fresh(), "i32", memref, None)
        value = self.value("i32", uniform=True)
        # In a loop, others may still read what the last iteration has stored.
        self.barrier()
        self.line(f"{array.name} = spmd.local_alloc : {memref}")
        self.line(f"memref.store {value.name}, {array.name}[%local] : {memref}")
        self.barrier()
        number = self.cast(self.value("i32"), "index")
        other = self.index(f"arith.remui {number.name}, %items")
        self.op(
            f"memref.load {array.name}[{other}] : {memref}",
            "i32",
            [Value("", "i32", True)],
        )

    def never(self) -> None:
        """Code with barriers that is never run."""
        false = self.fresh()
        self.line(f"{false} = arith.constant false")
        self.line(f"scf.if {false} {{")
        uses = [set(array.uses) for array in self.shared]
        with self.region(uniform=True):
            self.meet()
            self.block(1)
        self.line("}")
        for array, before in zip(self.shared, uses, strict=True):
            array.uses = before

    def meeting_blocks(self) -> None:
        """
        Blocks that a group goes through together: jumps forward, loops with two exits.

        Which accesses come before a block depends on the path to it, so each begins with
        a barrier.
        """
        if not (self.uniform_control and self.features.blocks) or self.in_blocks:
            self.meet()
            return
        number = 2 + self.choose(3)
        label = f"^m{self.fresh()[2:]}_"
        first, (result,) = self.value("i32"), self.bind(["i32"])
        self.line(f"{result.name} = scf.execute_region -> (i32) {{")
        outside, self.in_blocks = self.in_blocks, True
        with self.region(uniform=True):
            self.line(f"cf.br {label}0({first.name}, %zero : i32, i32)")
            for at in range(number):
                self.meeting_block(label, at, number)
            self.depth -= 1
            end = f"%end_{label[2:-1]}"
            self.line(f"{label}{number}({end}: i32, {end}_iteration: i32):")
            self.depth += 1
            self.line(f"scf.yield {end} : i32")
        self.in_blocks = outside
        self.line("}")
        self.barrier()
        self.scopes[-1].append(result)

    def meeting_block(self, label: str, at: int, number: int) -> None:
        """A block with a value and an iteration; it jumps forward, or at most twice back."""
        with self.region(uniform=True):
            value, iteration = (
                Value(self.fresh(), "i32", False),
                self.bind(["i32"], True)[0],
            )
            self.depth -= 1
            self.line(f"{label}{at}({value.name}: i32, {iteration.name}: i32):")
            self.depth += 1
            self.scopes[-1] += [value, iteration]
            self.meet()
            self.block(1 + self.choose(2))
            next_ = self.op(
                f"arith.addi {iteration.name}, %one : i32", "i32", [iteration]
            )
            early = self.op(f"arith.cmpi slt, {next_.name}, %four : i32", "i1", [next_])
            passed = f"({self.value('i32').name}, {next_.name} : i32, i32)"
            forward = f"{label}{at + 1 + self.choose(number - at)}{passed}"
            if self.maybe():
                # Back, while iterations are left; which path, is uniform in the group.
                wanted = self.value("i1", uniform=True)
                again = self.op(
                    f"arith.andi {early.name}, {wanted.name} : i1", "i1", [early]
                )
                # To where all paths lead through: a loop has one entry.
                back = f"{label}{self.pick((0, at))}{passed}"
                self.line(f"cf.cond_br {again.name}, {back}, {forward}")
            else:
                condition = self.value("i1", uniform=True)
                other = f"{label}{at + 1 + self.choose(number - at)}{passed}"
                if self.maybe(4):
                    wanted = self.value("i32", uniform=True)
                    self.jump(wanted, [forward, other, f"{label}{number}{passed}"])
                    return
                self.line(f"cf.cond_br {condition.name}, {forward}, {other}")

    def early_return(self) -> None:
        """Some groups are done here."""
        if len(self.scopes) > 1 or self.in_function or not self.features.blocks:
            self.meet()
            return
        condition = self.value("i1", uniform=True)
        label = f"^r{self.fresh()[2:]}_"
        self.line(f"cf.cond_br {condition.name}, {label}out, {label}on")
        self.depth -= 1
        self.line(f"{label}out:")
        self.depth += 1
        with self.region(uniform=True):
            uses = [set(array.uses) for array in self.shared]
            self.block(self.choose(2))
            self.store()
            self.line("spmd.return")
        for array, before in zip(self.shared, uses, strict=True):
            array.uses = before
        self.depth -= 1
        self.line(f"{label}on:")
        self.depth += 1

    def memory(self) -> None:
        """A private array of dynamic size, a part of one, or one of two that was chosen."""
        t = self.pick(self.types())
        kind = self.choose(3)
        if kind == 0:
            number = self.within(self.value("i32", uniform=self.uniform_control), 4)
            if not number.uniform:
                return
            size = self.index(f"arith.addi {number.name}, %length")
            array, _, memref = self.private_array(t, size)
            if self.maybe():
                part = self.fresh()
                to = f"memref<4x{t}, strided<[1]>>"
                self.line(
                    f"{part} = memref.subview {array}[0] [4] [1] : {memref} to {to}"
                )
                array, memref = part, to
        else:
            (first, _, memref), (second, _, _) = (
                self.private_array(t) for _ in range(2)
            )
            condition = self.value("i1").name
            array = self.fresh()
            if kind == 1:
                self.line(
                    f"{array} = arith.select {condition}, {first}, {second} : {memref}"
                )
            else:
                self.line(f"{array} = scf.if {condition} -> ({memref}) {{")
                self.line(f"  scf.yield {first} : {memref}")
                self.line("} else {")
                self.line(f"  scf.yield {second} : {memref}")
                self.line("}")
        self.privates[-1].append((array, t, memref))

    def call(self) -> None:
        """Calls of a function with barriers; the same one may be called again later."""
        if not self.uniform_control or self.in_function:
            self.meet()
            return
        if not self.callable or self.maybe(3):
            self.function()
        name, parameters = self.pick(self.callable)
        for _ in range(1 + self.choose(2)):
            self.call_once(name, parameters)

    def call_once(self, name: str, parameters: list[str]) -> None:
        values = [self.value("i32"), self.value("i32", uniform=True)]
        types = ["i32", "i32", *(self.parameters[p][2] for p in parameters)]
        names = [*(value.name for value in values), *parameters]
        self.op(
            f"func.call @{name}({', '.join(names)}) : ({', '.join(types)}) -> i32",
            "i32",
            [Value("", "i32", False)],
        )

    def function(self) -> None:
        """A function with ids, local memory, private arrays and barriers of its own."""
        name = f"meeting{len(self.callable)}"
        outside = (self.lines, self.depth, self.scopes, self.privates, self.shared)
        parameters, budget, own = self.parameters, self.budget, self.own
        self.lines, self.depth, self.scopes, self.privates = [], 1, [[]], [[]]
        self.shared, self.parameters, self.budget = [], {}, min(budget, 8)
        self.in_function, self.own = True, []
        self.ids()
        # What an earlier call has read is not written before all have read it.
        self.line("spmd.barrier")
        self.declare_shared()
        arguments = [Value("%a", "i32", False), Value("%b", "i32", True)]
        self.scopes[-1] += arguments
        self.block(2 + self.choose(3))
        self.meet()
        result = self.value("i32")
        self.line(f"func.return {result.name} : i32")
        listed = ", ".join(
            ["%a: i32", "%b: i32"]
            + [f"{p}: {memref}" for p, (_, _, memref) in self.parameters.items()]
        )
        head = f"func.func private @{name}({listed}) -> i32 {{"
        self.functions.append("\n".join([head, *self.without_dead_code(), "}"]))
        self.callable.append((name, list(self.parameters)))
        used = self.parameters
        (self.lines, self.depth, self.scopes, self.privates, self.shared) = outside
        self.parameters, self.budget = {**parameters, **used}, budget - 4
        self.in_function, self.own = False, own
