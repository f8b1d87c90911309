"""
Writes a function as Python source, once, and runs it many times.

Every op has a `Meaning`: a function that appends the op's Python statements to a `Body`.
Those of each dialect stand in one file, declared by `@meaning`. SSA
makes names unique, so a value is a Python variable, a region is indented code, and the
lanes of a sub-group are generators that see the variables around them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, StringAttr
from xdsl.dialects.utils import get_dynamic_index_list
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import is_terminator
from spmd.dialects.interfaces.meaning import Meaning
from spmd.dialects.interfaces.memory import MemoryHint
from spmd.dialects.spmd import KernelOp
from spmd.reference import scalars
from spmd.reference.checking.checker import Checker
from spmd.reference.errors import Trap
from spmd.reference.facts import ops_that_wait, values_that_may_be_poison
from spmd.reference.scalars import POISON

OpT = TypeVar("OpT", bound=Operation)
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])
Function = KernelOp | func.FuncOp
OpWriter = Callable[["Body", Any], None]
Terminate = Callable[["Body", Operation], None]
"""Writes what the last op of a region does: assign results, or return."""


@dataclass(frozen=True)
class Rendezvous:
    """What happens when work-items have come together at an op."""

    op: Operation
    across_sub_group: bool
    resolve: Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]
    """From the work-items and what each brings to what each gets."""


REGIONS_OF_BLOCKS: list[Callable[[Body, Region, Terminate], None]] = []
"""How to write a region of many blocks; the dialect of jumps provides it."""
HELPERS: dict[str, Any] = {
    "POISON": POISON,
    "inf": math.inf,
    "nan": math.nan,
    "_f": scalars.ONE_FLOAT,
    "signed": scalars.signed,
    "round_f16": scalars.round_f16,
    "round_bf16": scalars.round_bf16,
    "round_f32": scalars.round_f32,
    "F16": scalars.F16_VALUES,
    "BF16": scalars.BF16_VALUES,
}
"""Names that compiled code may use."""


def meaning(*ops: type[OpT]) -> Callable[[Callable[[Body, OpT], None]], OpWriter]:
    """Declares the function as the meaning of the ops."""
    return named_meaning(*(op.name for op in ops))


def named_meaning(*names: str) -> Callable[[OpWriter], OpWriter]:
    """The same for ops of these names, whose dialects take long to import."""

    def register(function: OpWriter) -> OpWriter:
        Meaning(function).attach(*names)
        return function

    return register


def helper(function: FunctionT) -> FunctionT:
    """Makes the function callable from compiled code."""
    HELPERS[function.__name__] = function
    return function


@helper
def trap(site: int, message: str) -> NoReturn:
    raise Trap(site, message)


def as_tuple(texts: Sequence[str]) -> str:
    return f"({''.join(f'{text}, ' for text in texts)})"


class Program:
    """What the compiled functions of one module share."""

    def __init__(self, module: ModuleOp):
        self.environment: dict[str, Any] = {**HELPERS, "memories": {}}
        self.checker: Checker | None = None
        """Watches the run, if somebody does."""
        self.sites: list[Operation] = []
        """Ops, numbered in the order in which they were compiled."""
        self.poison = values_that_may_be_poison(module)
        self.waiting, self.common = ops_that_wait(module, self.poison)
        """Ops at which work-items wait, and stores to what lanes that wait have in common."""
        self.rendezvous: dict[int, Rendezvous] = {}
        """What happens when work-items have come together at a site."""
        self.symbols: dict[str, Operation] = {}
        for op in module.ops:
            name = op.properties.get("sym_name")
            if isinstance(name, StringAttr):
                self.symbols[name.data] = op
        self.memory: dict[str, Any] = {}
        """Globals by name."""
        self.compiled: dict[Operation, str] = {}
        """Names of compiled functions that are the same for every caller."""
        self.bound = 0

    def bind(self, value: object, hint: str) -> str:
        """A name by which compiled code reaches `value`."""
        self.bound += 1
        name = f"{hint}_{self.bound}"
        self.environment[name] = value
        return name

    def define(self, source: str, name: str) -> Callable[..., Any]:
        """Compile `source`, which defines the function `name`."""
        exec(compile(source, f"<{name}>", "exec"), self.environment)
        return self.environment[name]


class Body:
    """The source of one Python function while it is being written."""

    def __init__(self, program: Program, callers: tuple[Function, ...] = ()):
        self.program = program
        self.callers = callers
        """The functions on the way to this one, which is the last."""
        self.lines: list[str] = []
        self.depth = 0
        self.names: dict[SSAValue, str] = {}
        self.counter = 0
        self.in_lanes = False
        """Whether this code runs in the lanes of a sub-group."""
        self.path: list[str] = []
        """Loops and iterations around the current op: see `position`."""

    # --- text ------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def suite(self, head: str) -> Generator[None]:
        """Indented statements under `head:`."""
        self.line(head + ":")
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def cases(
        self, flag: str, values: Sequence[int]
    ) -> Iterator[AbstractContextManager[None]]:
        """Where to write what is done for each value, and at last, for all others."""
        for number, value in enumerate(values):
            yield self.suite(f"{'elif' if number else 'if'} {flag} == {value}")
        yield self.suite("else" if values else "if True")

    def fresh(self, hint: str) -> str:
        self.counter += 1
        return f"{hint}{self.counter}"

    # --- values ----------------------------------------------------------------------

    def new(self, value: SSAValue) -> str:
        """The variable that is about to hold `value`."""
        hint = re.sub(r"\W", "_", value.name_hint or "")
        self.counter += 1
        name = self.names[value] = f"v{self.counter}_{hint}"
        return name

    def use(self, value: SSAValue) -> str:
        """The variable, or literal, that holds `value`."""
        return self.names[value]

    def uses(self, values: Sequence[SSAValue]) -> list[str]:
        return [self.names[value] for value in values]

    def let(self, value: SSAValue, text: str) -> None:
        """`value = text`."""
        self.line(f"{self.new(value)} = {text}")

    def mixed(
        self, static: Sequence[int], dynamic: Sequence[SSAValue], form: str = "{}"
    ) -> list[str]:
        """Numbers that are partly attributes, partly operands, those in a `form`."""
        numbers = get_dynamic_index_list(static, dynamic, DYNAMIC_INDEX)
        return [
            str(number) if isinstance(number, int) else form.format(self.use(number))
            for number in numbers
        ]

    def assign(self, targets: Sequence[str], sources: Sequence[str]) -> None:
        """Assign all at once: a source may be one of the targets."""
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t != s]
        if pairs:
            left, right = zip(*pairs, strict=True)
            self.line(f"{', '.join(left)} = {', '.join(right)}")

    def literal(self, value: SSAValue, number: float) -> None:
        """`value` is this constant."""
        text = repr(number)
        self.names[value] = f"({text})" if text.startswith("-") else text

    def may_be_poison(self, value: SSAValue) -> bool:
        return value in self.program.poison

    # --- ops -------------------------------------------------------------------------

    def site(self, op: Operation) -> int:
        """A number for `op` here; compiled code names it when something is wrong."""
        self.program.sites.append(op)
        return len(self.program.sites) - 1

    def position(self, site: int) -> str:
        """
        Where a work-item stands, as a tuple that grows as the work-item goes on.

        It alternates loops (by site) and iterations, and ends in the site of the op.
        """
        return f"k + ({', '.join([*self.path, str(site)])},)"

    @contextmanager
    def iterations(self, op: Operation) -> Generator[Callable[[], None]]:
        """Counts iterations of the loop `op`, if work-items may wait in it."""
        if op not in self.program.waiting:
            yield lambda: None
            return
        count = self.fresh("iteration")
        self.line(f"{count} = 0")
        self.path += [str(self.site(op)), count]
        yield lambda: self.line(f"{count} += 1")
        del self.path[-2:]

    def require(self, values: Sequence[SSAValue], op: Operation, use: str) -> None:
        """Using an undefined value here is an error."""
        for value in values:
            if self.may_be_poison(value):
                name = self.use(value)
                with self.suite(f"if {name} is POISON"):
                    self.line(f"trap({self.site(op)}, {f'undefined {use}'!r})")

    def condition(self, value: SSAValue, op: Operation, use: str) -> str:
        """
        What `op` decides on, for the lanes that come here together.

        A lane in which the value is undefined follows the others, which must be of one
        mind: below masks, control is uniform in the active lanes, and means nothing in
        the others.
        """
        if not self.in_lanes or not self.may_be_poison(value):
            self.require([value], op, use)
            return self.use(value)
        site = self.site(op)

        def resolve(lanes: Sequence[Any], values: Sequence[Any]) -> Sequence[Any]:
            defined = [v for v in values if v is not POISON]
            if len(defined) == len(values):
                return values
            if not defined:
                raise Trap(site, f"undefined {use} in all lanes")
            if any(v != defined[0] for v in defined):
                raise Trap(
                    site, f"undefined {use} in some lanes, and others do not agree"
                )
            return [defined[0]] * len(values)

        self.program.rendezvous[site] = Rendezvous(op, True, resolve)
        name = self.fresh("convergent")
        self.line(f"{name} = yield ({site}, {self.position(site)}, {self.use(value)})")
        return name

    def wait_for_lanes(self, op: Operation) -> None:
        """Lanes that come to `op` together go on when all of them are there."""
        site = self.site(op)
        self.program.rendezvous[site] = Rendezvous(op, True, lambda _, brought: brought)
        self.line(f"yield ({site}, {self.position(site)}, None)")

    @property
    def checked(self) -> bool:
        return self.program.checker is not None

    def defined(self, op: Operation, text: str, why: str) -> str:
        """The result `text` of `op`; if it is undefined, the checker hears why."""
        if not self.checked:
            return text
        name = self.fresh("t")
        undefined = f"check.undefined(w, {self.site(op)}, {why!r})"
        return f"({undefined} if ({name} := {text}) is POISON else {name})"

    def write(self, op: Operation) -> None:
        """Append the meaning of `op`."""
        if MemoryHint.of(op) is not None:
            return
        means = Meaning.of(op)
        if means is None:
            fail(
                op,
                f"expected an op that the interpreter knows, got {op.name}; give it the "
                "interface Meaning (docs/embedding.md)",
            )
        if op in self.program.common:
            self.wait_for_lanes(op)
        means.write(self, op)

    def straight(self, block: Block) -> Operation:
        """Append the block's ops but the terminator, which is returned."""
        last = block.last_op
        if last is None or not is_terminator(last):
            parent = block.parent_op()
            assert parent is not None
            fail(parent, "expected a block that ends in a terminator")
        for op in block.ops:
            if op is not last:
                self.write(op)
        return last

    def region(self, region: Region, finish: Terminate) -> None:
        """Append a region; `finish` writes its exits."""
        if len(region.blocks) == 1:
            finish(self, self.straight(region.block))
        else:
            REGIONS_OF_BLOCKS[0](self, region, finish)
