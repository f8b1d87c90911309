"""
Loops of a kernel in Python.

A loop that is left by its condition only is an `scf.for` or `scf.while`; break, continue
and return in it make blocks. A loop over a tuple is written once for each of its values.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.arithmetic import binary
from spmd.frontends.python.expressions.memory import size
from spmd.frontends.python.expressions.translation import Expressions
from spmd.frontends.python.expressions.views import smaller, subscript
from spmd.frontends.python.statements.control import Handed, Path, Paths, kept
from spmd.frontends.python.statements.flow import (
    Flow,
    Loop,
    is_structured,
)
from spmd.frontends.python.statements.variables import Environment
from spmd.frontends.python.types import BOOL, INT
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    integer,
)


@dataclass
class Range:
    """
    A counter from `first` while it is less than `end`, by `step`, all of type `index`.

    `item` is what the loop's variable is for a value of the counter.
    """

    first: SSAValue
    end: SSAValue
    step: SSAValue
    item: Callable[[SSAValue], Value]
    count: Scalars | None = None
    """The end, of a counter from 0 by 1."""


class Loops(Paths, ABC):
    """
    Writes loops; what stands in them is written by a subclass.

    `left` and `continued` are the paths that leave the innermost loop of blocks, and its
    iteration.
    """

    expressions: Expressions
    flow: Flow

    def __init__(self, emitter: Emitter, environment: Environment):
        super().__init__(emitter, environment)
        self.left: list[Path] = []
        self.continued: list[Path] = []

    @abstractmethod
    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Append statements."""

    @abstractmethod
    def assign_to(self, target: ast.expr, value: Value) -> None:
        """Give what stands before = a value."""

    def loop(self, loop: Loop) -> None:
        """Append a loop and what stands in its else."""
        over = self._iterated(loop.iter) if isinstance(loop, ast.For) else None
        is_left_at_end = is_structured(loop)
        write: Callable[[], None]
        if isinstance(loop, ast.For) and isinstance(over, Items):
            write = partial(self._unrolled, loop, over.values)
        elif isinstance(loop, ast.For) and isinstance(over, Range) and is_left_at_end:
            write = partial(self._for, loop, over)
        elif isinstance(loop, ast.While) and is_left_at_end:
            write = partial(self._while, loop)
        else:
            assert not isinstance(over, Items)
            write = partial(self._blocks, loop, over)
        if is_left_at_end:
            write()
            self.statements(loop.orelse)
        elif self.e.region is None:
            self.apart(write, self.flow.assigned(loop), self.flow.after[loop])
        else:
            write()

    # --- for --------------------------------------------------------------------------

    def _for(self, loop: ast.For, counter: Range) -> None:
        e = self.e
        names, live = self.flow.assigned(loop), self.flow.head[loop]
        before = self.environment
        values, rest = kept(e, names, live, before)
        initial = values.operands(e, before)
        block = Block(arg_types=[IndexType(), *values.types(e)])
        self.environment = values.received(rest, block.args[1:])
        with e.into(block):
            self._next_item(loop, counter, block.args[0])
            e.append(scf.YieldOp(*values.operands(e, self.environment)))
        op = scf.ForOp(counter.first, counter.end, counter.step, initial, block)
        e.append(op)
        self.environment = values.received(rest, op.results)

    def _next_item(self, loop: ast.For, counter: Range, count: SSAValue) -> None:
        self.assign_to(loop.target, counter.item(count))
        self.statements(loop.body)

    def _unrolled(self, loop: ast.For, items: Sequence[Value]) -> None:
        """The body once for each of some values that are written one by one."""
        names, live = self.flow.assigned(loop), self.flow.head[loop]
        before = self._enter_blocks()
        for item in items:
            if self.e.block is None:
                break
            self.assign_to(loop.target, item)
            self.statements(loop.body)
            self._join_continued(names, live)
        self._leave_blocks(loop, before)

    # --- while ------------------------------------------------------------------------

    def _while(self, loop: ast.While) -> None:
        e = self.e
        names, live = self.flow.assigned(loop), self.flow.head[loop]
        before = self.environment
        values, rest = kept(e, names, live, before)
        initial = values.operands(e, before)
        types = values.types(e)
        head, block = Block(arg_types=types), Block(arg_types=types)
        self.environment = values.received(rest, head.args)
        with e.into(head):
            condition = self.expressions.condition(loop.test)
            self._expect_end(loop, condition)
            e.append(scf.ConditionOp(e.ssa(condition), *head.args))
        self.environment = values.received(rest, block.args)
        with e.into(block):
            self.statements(loop.body)
            e.append(scf.YieldOp(*values.operands(e, self.environment)))
        op = scf.WhileOp(initial, types, [head], [block])
        e.append(op)
        self.environment = values.received(rest, op.results)

    def _expect_end(self, loop: ast.While, condition: Scalars) -> None:
        if isinstance(condition, Constant) and condition.value:
            self.e.fail(
                "expected a loop that ends, got one without break or return", loop
            )

    # --- blocks -----------------------------------------------------------------------

    def _blocks(self, loop: Loop, counter: Range | None) -> None:
        """
        A loop of blocks: the head with the condition, the body, the end of an iteration.

        With a `counter`, that is the first argument of the head.
        """
        e = self.e
        names, live = self.flow.assigned(loop), self.flow.head[loop]
        before = self._enter_blocks()
        values, rest = kept(e, names, live, self.environment)
        count = [IndexType()] if counter else []
        head = Block(arg_types=[*count, *values.types(e)])
        self._enter(head, counter and counter.first, values, self.environment)
        self.start(head, values.received(rest, head.args[len(count) :]))
        condition = self._head_condition(loop, counter, head)
        at_head, outside = self.environment, None
        if not (isinstance(condition, Constant) and condition.value):
            inside, outside = Block(), Block()
            bit = e.ssa(condition)
            e.append(cf.ConditionalBranchOp(bit, inside, [], outside, []))
            self.start(inside, dict(at_head))
        if counter:
            assert isinstance(loop, ast.For)
            self._next_item(loop, counter, head.args[0])
        else:
            self.statements(loop.body)
        self._join_continued(names, live)
        if e.block is not None:
            following = counter and e.add(arith.AddiOp(head.args[0], counter.step))
            self._enter(head, following, values, self.environment)
            e.block = None
        if outside is not None:
            self.start(outside, dict(at_head))
        self._leave_blocks(loop, before)

    def _enter_blocks(self) -> tuple[list[Path], list[Path]]:
        """Break and continue belong to another loop from here; to which before."""
        before = self.left, self.continued
        self.left, self.continued = [], []
        return before

    def _join_continued(self, names: set[str], live: set[str]) -> None:
        """The end of an iteration."""
        self.end_path(self.continued)
        self.join(self.continued, names, live)
        self.continued = []

    def _leave_blocks(self, loop: Loop, before: tuple[list[Path], list[Path]]) -> None:
        """Where the last iteration ends, and after the loop."""
        left = self.left
        self.left, self.continued = before
        if not is_structured(loop):
            self.statements(loop.orelse)
        self.end_path(left)
        self.join(left, self.flow.assigned(loop), self.flow.after[loop])

    def _enter(
        self,
        head: Block,
        count: SSAValue | None,
        values: Handed,
        environment: Environment,
    ) -> None:
        operands = values.operands(self.e, environment)
        self.e.append(cf.BranchOp(head, *([] if count is None else [count]), *operands))

    def _head_condition(
        self, loop: Loop, counter: Range | None, head: Block
    ) -> Scalars:
        """Whether there is one more iteration."""
        if counter:
            more = arith.CmpiOp(head.args[0], counter.end, "slt")
            return self.e.number(BOOL, more)
        assert isinstance(loop, ast.While)
        return self.expressions.condition(loop.test)

    # --- range ------------------------------------------------------------------------

    def _iterated(self, node: ast.expr) -> Range | Items:
        """What stands after `in`: the counter of `range(...)`, or a tuple."""
        e, value = self.e, self.expressions.value
        before, e.node = e.node, node
        callee = value(node.func) if isinstance(node, ast.Call) else None
        if isinstance(callee, Host) and callee.value is reversed:
            e.fail(
                "expected range(...), a tuple or an array after in, got reversed; write "
                "range(n - 1, -1, -1), or x[::-1]"
            )
        if isinstance(callee, Host) and callee.value in (zip, enumerate):
            assert isinstance(node, ast.Call)
            result = self._together(node, callee.value is enumerate)
            e.node = before
            return result
        if not (isinstance(callee, Host) and callee.value is range):
            items = value(node)
            if not isinstance(items, Items | Memory):
                e.fail(
                    "expected range(...), a tuple or an array after in, got "
                    f"{described(items.type)}"
                )
            e.node = before
            return _elements(e, items) if isinstance(items, Memory) else items
        assert isinstance(node, ast.Call)
        given: list[Value] = [value(each) for each in node.args]
        if not 1 <= len(given) <= 3 or node.keywords:
            e.fail("expected range(end), range(first, end) or range(first, end, step)")
        if len(given) == 1:
            given.insert(0, integer(0))
        bounds = [e.convert(e.integer(each, "bound of range"), INT) for each in given]
        result = _range(e, *bounds)
        e.node = before
        return result

    def _together(self, node: ast.Call, is_enumerate: bool) -> Range | Items:
        """`zip(...)` of several, or `enumerate(...)` of one, from its start on."""
        e, given = self.e, node.args[:1] if is_enumerate else node.args
        starts = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
        starts = starts if is_enumerate else []
        parts = len(given) + len(starts)
        if not given or len(starts) > 1 or parts < len(node.args) + len(node.keywords):
            e.fail("expected zip(a, b), enumerate(a) or enumerate(a, start)")
        start = self.expressions.value(starts[0]) if starts else integer(0)
        parts = [self._iterated(each) for each in given]
        tuples = [part.values for part in parts if isinstance(part, Items)]
        if len(tuples) == len(parts):
            rows = [*zip(*tuples, strict=False)]
            if is_enumerate:
                rows = [
                    (binary(e, ast.Add(), start, integer(number)), *row)
                    for number, row in enumerate(rows)
                ]
            return Items(tuple(Items(tuple(row)) for row in rows))
        counters = [part for part in parts if isinstance(part, Range)]
        sizes = [part.count for part in counters if part.count is not None]
        if len(sizes) < len(parts):
            e.fail(
                "expected arrays and range(n) in zip and enumerate, or tuples only; write "
                "'for i in range(...)'"
            )
        end = reduce(partial(smaller, e), sizes)

        def item(count: SSAValue) -> Items:
            values = [part.item(count) for part in counters]
            if is_enumerate:
                number = Number(INT, count, 0)
                values.insert(0, binary(e, ast.Add(), start, number))
            return Items(tuple(values))

        return replace(_range(e, integer(0), end), item=item)


def _elements(e: Emitter, array: Memory) -> Range:
    """The counter of a loop over the elements of an array, or its rows."""
    counter = _range(e, integer(0), size(e, array, 0))

    def item(count: SSAValue) -> Number | Memory:
        return subscript(e, array, Number(INT, count, 0))

    return replace(counter, item=item)


def _range(
    e: Emitter, first: Scalars, end: Scalars, step: Scalars = integer(1)
) -> Range:
    if isinstance(step, Constant) and step.value == 0:
        e.fail("expected a step other than 0 for range, got 0")
    a, b, by = e.ssa(first), e.ssa(end), e.ssa(step)
    if step.low is not None and step.low > 0:
        is_count = first == integer(0) and step == integer(1)
        count = end if is_count else None
        return Range(
            a, b, by, lambda count: Number(INT, count, first.low, end.high), count
        )
    zero, one = e.constants.index(0), e.constants.index(1)
    if isinstance(step, Constant):
        distance = e.add(arith.SubiOp(a, b))
        size = e.constants.index(-step.value)
        low = None if end.low is None else end.low + 1
        high = first.high
    else:
        # The sign of the step is known at run time only.
        some = e.add(arith.CmpiOp(by, zero, "ne"))
        e.append(cf.AssertOp(some, "expected a step other than 0 for range, got 0"))
        down = e.add(arith.CmpiOp(by, zero, "slt"))
        upwards, downwards = e.add(arith.SubiOp(b, a)), e.add(arith.SubiOp(a, b))
        distance = e.add(arith.SelectOp(down, downwards, upwards))
        size = e.add(arith.SelectOp(down, e.add(arith.SubiOp(zero, by)), by))
        low = high = None
    count = e.add(arith.CeilDivSIOp(distance, size))

    def item(number: SSAValue) -> Number:
        moved = e.add(arith.MuliOp(number, by))
        return e.number(INT, arith.AddiOp(a, moved), low, high)

    return Range(zero, count, one, item)
