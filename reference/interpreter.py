"""
The interpreter: what a module means, as a Python program.

Functions are compiled when they are first reached, and once per call path if work-items
wait in them. NumPy arrays are read and changed in place.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from math import prod
from operator import mul
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, ModuleOp

from spmd.dialects.interfaces.expansion import expand_all, has_expansions
from spmd.dialects.limits import MAX_EXTENT, MAX_GROUP_SIZE, MAX_INDEX
from spmd.dialects.spmd import KernelOp
from spmd.dialects.work_groups import (
    FULL_SUFFIX,
    SCRATCH_BYTES_SUFFIX,
    WORK_GROUP_FUNCTION,
    WORK_GROUP_SIZE,
    WORK_ITEMS,
)
from spmd.reference import semantics
from spmd.reference.arguments import bind_arguments, bind_local, result_values
from spmd.reference.checking.clock import Clock
from spmd.reference.compiler import Function, OpT, Program
from spmd.reference.errors import ArgumentError, Event, Trap, UndefinedBehavior
from spmd.reference.functions import compile_function
from spmd.reference.items import Group, Host, NDRange, WorkItem, as_triple, in_words
from spmd.reference.memory import MemRef, allocate
from spmd.reference.scalars import BYTE
from spmd.reference.schedule import ItemCode, Order, Turns, blame

semantics.register()

Sizes = int | tuple[int, ...]

DEFAULT_SUB_GROUP_SIZE = 16

MAX_CHECKED = 1 << 24
"""Work-items of a launch that somebody waits for: it takes minutes, or hours."""


class Interpreter:
    """Runs the kernels and functions of one module."""

    def __init__(self, module: ModuleOp, *, schedule: str = "in-order", seed: int = 0):
        self.order = Order(schedule, seed)
        self.launches = 0
        """Of host functions, so far."""
        self.clock: Clock | None = None
        """Who counts work-items, if somebody waits for them."""
        if has_expansions(module):
            module = module.clone()
            expand_all(module)
        self.program = Program(module)
        self.program.environment["schedule"] = self.order
        self.program.environment["run_together"] = self._run_together
        self.program.environment["launch"] = self._launch_from_host

    def _run_together(self, lanes: Sequence[Any], code: Any) -> None:
        Turns(self.program, self.order, lanes, code).run()

    def _symbol(self, name: str, what: type[OpT], words: str) -> OpT:
        op = self.program.symbols.get(name)
        if not isinstance(op, what):
            known = [n for n, o in self.program.symbols.items() if isinstance(o, what)]
            raise ArgumentError(
                f"expected the name of {words} ({', '.join(known) or 'there is none'}), "
                f"got {name}"
            )
        return op

    def _code(self, function: Function) -> Any:
        return self.program.environment[compile_function(self.program, function)]

    def _groups(self, range_: NDRange, lanes: int) -> Iterator[Group]:
        for group_id in self.order(list(range_.group_ids())):
            yield Group(group_id, range_, lanes)

    def _share(self, bound: Sequence[Any]) -> None:
        """Tell who watches, if somebody does, which memory the arguments are."""
        if self.program.checker is not None:
            self.program.checker.share([v for v in bound if isinstance(v, MemRef)])

    def _call(self, code: Any, arguments: Sequence[Any], where: Group | Host) -> Any:
        # Between levels 0 and 1 a function may still ask its group for local memory.
        item = WorkItem(where, 0, (0, 0, 0)) if isinstance(where, Group) else where
        try:
            return code(item, (), *arguments)
        except Trap as trap:
            raise blame(self.program, trap, where) from None

    # --- level 0 ---------------------------------------------------------------------

    def run_kernel(
        self,
        name: str,
        args: Sequence[Any],
        *,
        global_size: Sizes,
        group_size: Sizes | None = None,
        sub_group_size: int | None = None,
    ) -> None:
        """Run a kernel for all work-items of the range."""
        kernel = self._symbol(name, KernelOp, "a kernel")
        size = as_triple(global_size, "global size", 0)
        fixed = kernel.group_size
        enqueued = (
            fixed or as_triple(64, "group size", 1)
            if group_size is None
            else as_triple(group_size, "group size", 1)
        )
        if fixed is not None and enqueued != fixed:
            raise ArgumentError(
                f"expected the group size {fixed} that @{name} fixes, got {enqueued}"
            )
        lanes = (
            sub_group_size or DEFAULT_SUB_GROUP_SIZE
            if kernel.sub_group_size is None
            else kernel.sub_group_size.value.data
        )
        bound = bind_arguments(kernel.body.blocks[0].args, args)
        self.launch(kernel, bound, NDRange(size, enqueued), lanes)

    def _launch_from_host(
        self,
        host: Host,
        site: int,
        name: str,
        sizes: Sequence[int],
        whole_groups: bool,
        group_size: Sequence[int],
        bound: Sequence[Any],
    ) -> None:
        """A launch that a host function makes, with values of the interpreter."""
        kernel = self._symbol(name, KernelOp, "a kernel")
        tiles = [cast("tuple[int, ...]", v) for v in bound if isinstance(v, tuple)]
        if max((*sizes, *group_size, *chain(*tiles))) >> 63:
            raise Trap(site, f"negative size in the launch of @{name}")
        fixed: tuple[int, int, int] | None = kernel.group_size
        given = (*group_size, 1, 1)[:3] if group_size else fixed
        if given is None or 0 in given or fixed not in (None, given):
            raise Trap(
                site,
                f"expected groups of {fixed or 'at least one work-item'}, got {given}",
            )
        if (items := prod(given)) > MAX_GROUP_SIZE:
            raise Trap(
                site,
                f"expected groups of at most {MAX_GROUP_SIZE} work-items, got {items}",
            )
        enqueued = as_triple(given, "group size", 1)
        scale = enqueued if whole_groups else (1, 1, 1)
        counts = (*sizes, 1, 1)
        size = as_triple(tuple(map(mul, counts, scale)), "size", 0)
        most = MAX_EXTENT if self.clock is None else MAX_CHECKED
        if (items := prod(size)) > most:
            raise Trap(site, f"expected at most {most} work-items, got {items}")
        for type_, value in zip(kernel.function_type.inputs, bound, strict=True):
            signed = value - (value >> 63 << 64) if isinstance(type_, IndexType) else 0
            if abs(signed) > MAX_INDEX:
                raise Trap(site, f"expected an index from {-MAX_INDEX} to {MAX_INDEX}")
        lanes = kernel.sub_group_size
        range_ = NDRange(size, enqueued)
        self.launches += 1
        with self._launched(host, site, name, range_):
            self.launch(
                kernel,
                bound,
                range_,
                DEFAULT_SUB_GROUP_SIZE if lanes is None else lanes.value.data,
            )

    @contextmanager
    def _launched(
        self, host: Host, site: int, name: str, range_: NDRange
    ) -> Generator[None]:
        """What is found meanwhile names the launch."""
        checker = self.program.checker
        if checker is not None:
            size, group_size = map(in_words, (range_.global_size, range_.enqueued))
            checker.launch = Event(
                self.program.sites[site],
                f"launch {self.launches} of {host}",
                f"runs @{name} on {size} work-items in groups of {group_size}",
            )
        yield
        if checker is not None:
            checker.launch = None

    def launch(
        self, kernel: KernelOp, bound: Sequence[Any], range_: NDRange, lanes: int
    ) -> None:
        """Run every group of the range, with arguments as `bind_arguments` gives them."""
        self._share(bound)
        code, waits = self._code(kernel), kernel in self.program.waiting
        parameters = kernel.body.blocks[0].args
        # Between levels 0 and 1 a kernel may have its work-item loops already.
        whole_group = any(WORK_ITEMS in op.attributes for op in kernel.walk())
        clock = self.clock
        if clock is not None:
            clock.total += prod(range_.global_size)
        for group in self._groups(range_, lanes):
            items = group.items()[:1] if whole_group else group.items()
            self._run_items(waits, code, items, bind_local(parameters, bound))
            if clock is not None:
                clock.done += prod(group.size)

    def _run_items(
        self, waits: bool, code: Any, items: list[WorkItem], values: Sequence[Any]
    ) -> None:
        if waits:

            def start(item: WorkItem) -> ItemCode:
                return code(item, (), *values)

            with self._goes_on():
                Turns(self.program, self.order, items, start).run()
            return
        for item in self.order(items):
            with self._goes_on():
                try:
                    code(item, (), *values)
                except Trap as trap:
                    raise blame(self.program, trap, item) from None

    @contextmanager
    def _goes_on(self) -> Generator[None]:
        """If somebody watches, a fault is noted, and ends only what has it."""
        try:
            yield
        except UndefinedBehavior as error:
            if self.program.checker is None:
                raise
            self.program.checker.gave_up(error)

    # --- levels 1 and up -------------------------------------------------------------

    def run_work_groups(
        self,
        name: str,
        args: Sequence[Any],
        *,
        global_size: Sizes,
        group_size: Sizes | None = None,
    ) -> None:
        """Run a work-group function for all groups of the range."""
        function = self._symbol(name, func.FuncOp, "a function")
        if WORK_GROUP_FUNCTION not in function.attributes:
            raise ArgumentError(
                f"expected a function marked {WORK_GROUP_FUNCTION}, got @{name}"
            )
        size = as_triple(global_size, "global size", 0)
        fixed = function.attributes.get(WORK_GROUP_SIZE)
        if group_size is None and isinstance(fixed, DenseArrayBase):
            group_size = tuple(
                map(int, cast("DenseArrayBase[Any]", fixed).get_values())
            )
        enqueued = as_triple(64 if group_size is None else group_size, "group size", 1)
        width = function.attributes.get("spmd.sub_group_size")
        is_given = isinstance(width, IntegerAttr)
        lanes = width.value.data if is_given else DEFAULT_SUB_GROUP_SIZE

        symbols = self.program.symbols
        has_scratch = name + SCRATCH_BYTES_SUFFIX in symbols
        parameters = function.body.blocks[0].args
        parameters = parameters[: len(parameters) - 9 - has_scratch]
        bound = bind_arguments(parameters, args)
        full = symbols.get(name + FULL_SUFFIX)
        for group in self._groups(NDRange(size, enqueued), lanes):
            chosen = function
            if isinstance(full, func.FuncOp) and group.size == group.enqueued:
                chosen = full
            values = bind_local(parameters, bound)
            values += [*group.id, *group.enqueued, *group.global_size]
            # Each version needs memory of its own size, or none.
            scratch = symbols.get(chosen.sym_name.data + SCRATCH_BYTES_SUFFIX)
            if isinstance(scratch, func.FuncOp):
                length = self._call(self._code(scratch), group.enqueued, group)
                values.append(allocate((length,), BYTE, "local", "scratch"))
            code = self._code(chosen)
            if chosen in self.program.waiting:
                # Groups of one work-item have no loop, but may have sub-group ops.
                self._run_items(True, code, [WorkItem(group, 0, (0, 0, 0))], values)
            else:
                self._call(code, values, group)

    # --- plain functions -------------------------------------------------------------

    def run_function(self, name: str, args: Sequence[Any]) -> list[Any]:
        """
        Call a function; its results, numbers as Python numbers.

        None if it is watched and could not go on.
        """
        function = self._symbol(name, func.FuncOp, "a function")
        parameters = function.body.blocks[0].args
        values = bind_local(parameters, bind_arguments(parameters, args))
        self._share(values)
        code = self._code(function)
        outputs = list(function.function_type.outputs)
        with self._goes_on():
            returned = self._call(code, values, Host(name))
            if len(outputs) < 2:
                returned = [returned] * len(outputs)
            return result_values(outputs, returned)
        return []
