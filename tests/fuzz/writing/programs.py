"""
Random kernels that are legal by construction.

A kernel computes with integers and floats of all widths, branches and loops on uniform
and on varying conditions, and exchanges values through local memory. What makes it legal:

* barriers stand only where control is uniform;
* between two barriers a shared array is written, each work-item its own element, or read
  anywhere, never both;
* every index is reduced to the size of its array, divisors are odd and positive, shifts
  stay below the width, floats are clamped before they become integers;
* the bits of NaN never become visible, or floats are only moved (`Features.bits`).

`Choices` makes all decisions; choosing 0 everywhere gives the smallest kernel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tests.execution.harness import Launch, Maker
from tests.execution.harness.comparing import BITS, EXACT, Tolerance
from tests.fuzz.writing.stencils import Stencils
from tests.fuzz.writing.writer import SLOTS, TABLE, Choose, Features, Value

LAUNCHES = (
    Launch((5,), (4,)),
    Launch((1,), (1,)),
    Launch((16,), (16,)),
    Launch((40,), (16,)),
    Launch((33,), (64,)),
    Launch((70,), (32,)),
    Launch((6, 5), (4, 2)),
    Launch((9, 3), (8, 3)),
    Launch((3, 3, 2), (2, 2, 2)),
)

MEETINGS = (
    Launch((3,), (1,)),
    Launch((8,), (3,)),
    Launch((40,), (16,)),
    Launch((100,), (64,)),
    Launch((130,), (100,)),
    Launch((5, 3), (3, 1)),
    Launch((6, 5), (8, 2)),
    Launch((11, 8), (8, 8)),
    Launch((12, 12), (10, 10)),
    Launch((5, 3, 4), (4, 2, 2)),
    Launch((6, 5, 4), (5, 5, 4)),
)
"""Groups of 1, 3, 16, 64 and 100 work-items."""

LARGE = (Launch((1000,), (512,)), Launch((1030,), (1024,)), Launch((40, 35), (32, 32)))


ROW = 37
"""Elements in a row of one's own: some cache lines of most types, and a rest."""


@dataclass(frozen=True)
class Kernel:
    """A generated kernel, a range, and how to make its arguments."""

    source: str
    parameters: tuple[tuple[str, str], ...]
    """What each argument is, and of which element type."""
    launch: Launch
    meets_in_divergent_loops: bool = False
    """Whether only some iterations of a divergent loop reach a barrier."""
    uses_sub_groups: bool = False
    shows_bits: bool = False
    """Whether all bits of its floats are seen; else one NaN is as good as another."""

    @property
    def largest_group(self) -> int:
        """Work-items of its groups."""
        return prod(self.launch.group_size)

    @property
    def tolerance(self) -> Tolerance:
        """How results may differ."""
        return BITS if self.shows_bits else EXACT

    def arguments(self, make: Maker) -> list[Any]:
        made: list[Any] = []
        random = make.bits if self.shows_bits else make.random
        for what, dtype in self.parameters:
            if what == "number":
                number = random(dtype, 1)[0]
                made.append(number.item() if dtype[0] == "i" else float(number))
            elif what == "table":
                made.append(random(dtype, TABLE))
            elif what in ("line", "walked", "traded"):
                made.append(random(dtype, 4 * make.n + 8))
            elif what == "shared":
                made.append(random(dtype, make.groups * self.largest_group))
            elif what == "counter":
                made.append(random(dtype, 4))
            elif what in ("seen", "crosswise"):
                made.append(random(dtype, make.n))
            elif what in ("rows", "own_rows"):
                made.append(random(dtype, make.n, ROW))
            elif what.startswith("channels"):
                made.append(random(dtype, make.n, int(what.removeprefix("channels"))))
            elif what == "backwards":
                made.append(random(dtype, 2 * make.n, ROW)[::-2])
            elif what in ("columns", "own_columns"):
                made.append(random(dtype, ROW, make.n))
            elif what == "parts":
                made.append(random(dtype, 4 * make.groups * self.largest_group))
            elif what == "across":
                lines = self.launch.global_size[0]
                made.append(random(dtype, make.n).reshape(lines, -1))
            else:
                made.append(random(dtype, make.n, SLOTS))
        return made

    def __repr__(self) -> str:
        return f"{self.launch}\n{self.source}"


class Program(Stencils):
    """Writes one kernel."""

    def statement(self) -> None:
        simple = (
            self.store,
            self.exchange,
            self.own_element,
            self.round_trip,
            self.round_trip,
            self.private,
            self.own_number,
            self.promise,
            self.load_line,
            self.load_own,
            self.record,
            self.within_bounds,
            self.view,
            self.collective,
            self.atomic,
            self.sub_group,
            self.vectors,
            self.constant_table,
            self.bytes_of_numbers,
            self.parallel,
            self.row,
            self.neighbours,
            self.trade_places,
            self.flat,
            self.window,
            self.share,
            self.tile,
            self.tree,
            self.own_atomic,
            self.part_of_row,
            self.channels,
            self.alias,
            self.ask_ahead,
        )
        nested = (
            self.branch,
            self.loop,
            self.adding_loop,
            self.guarded_loop,
            self.while_loop,
            self.switch,
            self.blocks,
            self.loop_with_conditional_barrier,
        )
        if self.features.all_about_barriers and self.maybe():
            meetings = (
                self.meet,
                self.round_trip,
                self.agreed,
                self.private,
                self.memory,
                self.collective,
                self.tree,
                self.call,
                self.meeting_blocks,
                self.never,
                self.early_return,
                self.loop_with_conditional_barrier,
            )
            self.pick(meetings)()
            return
        kind = self.choose(5 + len(simple) + len(nested)) - 5
        if kind < 0:
            self.arithmetic()
        elif kind < len(simple):
            simple[kind]()
        elif len(self.scopes) > 4:
            self.arithmetic()
        else:
            nested[kind - len(simple)]()

    def ids(self) -> None:
        """The linear ids and sizes, in as many dimensions as the launch has."""
        for number in range(4):
            self.line(f"%c{number} = arith.constant {number} : index")
        self.line("%length = arith.constant 4 : index")
        self.line("%zero = arith.constant 0 : i32")
        self.line("%one = arith.constant 1 : i32")
        self.line("%four = arith.constant 4 : i32")
        for what in ("global_id", "local_id", "local_size", "global_size", "group_id"):
            for dimension in "xyz"[: self.rank]:
                self.line(f"%{what}_{dimension} = spmd.{what} {dimension}")
        for dimension in "xyz"[: self.rank]:
            self.line(f"%groups_{dimension} = spmd.num_groups {dimension}")
        self.linear("item", "global_id", "global_size")
        self.linear("local", "local_id", "local_size")
        self.linear("group", "group_id", "groups")
        self.crosswise()
        whole = "%global_size_x"
        for dimension in "yz"[: self.rank - 1]:
            whole = self.index(f"arith.muli {whole}, %global_size_{dimension}")
        self.line(f"%whole = arith.addi {whole}, %c0 : index")
        items = "%local_size_x"
        for dimension in "yz"[: self.rank - 1]:
            new = self.fresh()
            self.line(f"{new} = arith.muli {items}, %local_size_{dimension} : index")
            items = new
        self.line(f"%items = arith.addi {items}, %c0 : index")
        self.line(f"%most = arith.constant {self.largest_group} : index")
        self.line("%first = arith.muli %group, %most : index")
        self.line("%mine = arith.index_cast %item : index to i32")
        for name, uniform in (("item", False), ("local", False), ("group", True)):
            index = Value(f"%{name}", "index", uniform)
            self.scopes[-1] += [index, self.cast(index, "i32")]

    def linear(self, name: str, of: str, sizes: str) -> None:
        result = f"%{of}_{'xyz'[self.rank - 1]}"
        for dimension in "yx"[2 - (self.rank - 1) :] if self.rank > 1 else "":
            row, new = self.fresh(), self.fresh()
            self.line(f"{row} = arith.muli {result}, %{sizes}_{dimension} : index")
            self.line(f"{new} = arith.addi {row}, %{of}_{dimension} : index")
            result = new
        self.line(f"%{name} = arith.addi {result}, %c0 : index")

    def crosswise(self) -> None:
        """The linear id with x as the slowest dimension, and its part without x."""
        for name, others in (("crosswise", "xyz"), ("across", "yz")):
            dimensions = others[: self.rank + len(others) - 3]
            result = f"%global_id_{dimensions[0]}" if dimensions else "%c0"
            for dimension in dimensions[1:]:
                line = self.index(f"arith.muli {result}, %global_size_{dimension}")
                result = self.index(f"arith.addi {line}, %global_id_{dimension}")
            self.line(f"%{name} = arith.addi {result}, %c0 : index")

    def without_dead_code(self) -> list[str]:
        """The lines whose result is used; what a line needs stands before it."""
        pure = re.compile(r"\s*(%\w+) = (arith|math|memref\.load|spmd\.\w+_(id|size) )")
        used: set[str] = set()
        kept: list[str] = []
        for line in reversed(self.lines):
            found = pure.match(line)
            if found and found[1] not in used:
                continue
            kept.append(line)
            used.update(re.findall(r"%\w+", line))
        return kept[::-1]

    def launch(self, usual: Sequence[Launch]) -> Launch:
        """A usual one, one with a tail of any length, or one of large groups."""
        if self.features.planes:
            most = ((20, 9), (12, 8, 4))[self.choose(2)]
            group = tuple(1 + self.choose(extent) for extent in most)
            size = tuple(1 + self.choose(2 * extent) for extent in group)
            return Launch(size, group)
        kind = self.choose(20)
        if kind < 14:
            return self.pick(usual)
        if kind < 19:
            return Launch((1 + self.choose(130),), (1 + self.choose(64),))
        return self.pick(LARGE)

    def body(self) -> None:
        """Some statements, and stores: what was computed must be seen, or it proves nothing."""
        self.block(2 + self.choose(8))
        self.store()
        for value in self.scopes[-1][-1 : -2 - self.choose(6) : -1]:
            if value.type != "index":
                out = self.parameter("seen", value.type, f"memref<?x{value.type}>")
                at = f"{out}[%item] : memref<?x{value.type}>"
                self.line(f"memref.store {value.name}, {at}")

    def kernel(self) -> Kernel:
        barriers = self.features.all_about_barriers
        launch = self.launch(MEETINGS if barriers else LAUNCHES)
        self.rank = len(launch.global_size)
        self.largest_group = prod(launch.group_size)
        fixed = self.maybe(3)
        self.may_meet_in_divergent_loops = (
            self.features.conditional_barriers and self.maybe(2 if barriers else 6)
        )
        self.may_use_sub_groups = self.features.sub_groups and self.maybe(6)
        if barriers:
            self.budget = 24
            # Blocks around barriers are not for fission: every second kernel has none.
            self.features = replace(self.features, blocks=self.maybe())
        guarded = not barriers and self.maybe(8)
        if guarded:
            self.features = replace(self.features, barriers=False, collectives=False)
        self.ids()
        if self.features.barriers:
            self.declare_shared()
        self.declare_own_elements()
        if guarded:
            self.line(f"scf.if {self.inside()} {{")
            with self.region(uniform=False):
                self.body()
            self.line("}")
        else:
            self.body()
        if self.maybe(4):
            self.walk()
        self.line("spmd.return")
        signature = ", ".join(
            f"{name}: {memref}" for name, (_, _, memref) in self.parameters.items()
        )
        attributes: list[str] = []
        if fixed:
            size = ", ".join(map(str, launch.group_size))
            attributes.append(f"work_group_size = array<i64: {size}>")
        if self.uses_sub_groups:
            attributes.append(f"sub_group_size = {self.pick((4, 8, 2, 16))} : i64")
        listed = f" attributes {{{', '.join(attributes)}}}" if attributes else ""
        head = f"spmd.kernel @fuzz({signature}){listed} {{"
        body = [head, *self.without_dead_code(), "}"]
        source = "\n".join([*self.functions, *body]) + "\n"
        made = tuple((what, dtype) for what, dtype, _ in self.parameters.values())
        return Kernel(
            source,
            made,
            launch,
            self.meets_in_divergent_loops,
            self.uses_sub_groups,
            self.features.bits,
        )


def write_kernel(choose: Choose, features: Features = Features()) -> Kernel:
    """A kernel as the choices have it."""
    return Program(choose, features).kernel()


def write_kernel_in_planes(choose: Choose) -> Kernel:
    """A kernel for groups of two or three dimensions, without sub-groups of its own."""
    return write_kernel(choose, Features(planes=True, sub_groups=False))


def write_kernel_that_shows_bits(choose: Choose) -> Kernel:
    """A kernel that moves floats of all bit patterns, and shows them."""
    return write_kernel(choose, Features(bits=True))


def write_kernel_with_barriers(choose: Choose) -> Kernel:
    """A kernel that is all about barriers."""
    return write_kernel(choose, Features(all_about_barriers=True))
