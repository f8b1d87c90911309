"""Unstructured control flow of a random kernel."""

from __future__ import annotations

from tests.fuzz.control import Control


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
