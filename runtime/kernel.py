"""A kernel of a program: compiled when launched, for each work-group size or once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from spmd.dialects import limits
from spmd.dialects.names import FEW_ITEMS, FULL_GROUPS
from spmd.runtime.arguments.parameters import PackedArguments
from spmd.runtime.arguments.sizes import (
    Groups,
    Range,
    Size,
    Triple,
    group_size_for,
    make_range,
    required_global_size,
    words,
)
from spmd.runtime.compiling.made import KernelCode, KernelFacts
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.entry_point import EntryPoint, Sizes, Version
from spmd.runtime.errors import LaunchError, compile_errors
from spmd.runtime.launching.launch import Launch
from spmd.runtime.launching.native_kernel import NativeKernel
from spmd.runtime.launching.streaming import exceed_caches, streamed_arrays
from spmd.runtime.launching.thread_copies import copied_arrays

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from spmd.analysis.footprints.footprints import Footprints, LaunchFootprints
    from spmd.dialects.spmd import KernelOp
    from spmd.reference.checking.findings import Report
    from spmd.runtime.explanation.explanation import Explanation

_MAX_PLANS = 256
"""Sizes of launches that are remembered; more are forgotten, which costs microseconds."""


_MAX_FOOTPRINTS = 16
"""Launches whose footprints are remembered, with what was asked about them."""


class _Arrays(NamedTuple):
    """What code may rely on about the arrays of a launch."""

    apart: bool
    """Whether no array that is written overlaps another."""
    small: bool
    """Whether all have few elements."""
    elements: tuple[int, ...] = ()
    """Of each array, where it matters."""
    threads: int | None = None
    """What the launch was given, where `elements` matter."""
    line_offsets: tuple[int | None, ...] = ()
    """Where in a cache line the rows of each begin, where what is stored may be streamed."""


class Kernel(EntryPoint[Launch, NativeKernel]):
    """
    One kernel of a `Program`, called with its arguments and the size of the launch.

    ```python
    saxpy(n, a, x, y, global_size=n)
    saxpy(n, a, x, y, global_size=n, group_size=128, threads=2)
    launch = saxpy.bind(n, a, x, y, global_size=n)
    launch()
    ```

    Sizes are whole numbers or tuples of up to three, x first. Without `group_size` the
    kernel's attribute or the compiler decides. `threads` are the most that are used; without
    them `SPMD_NUM_THREADS` or the number of CPUs.
    """

    kind = "kernel"

    def __init__(self, unit: Unit, facts: KernelFacts):
        super().__init__(unit, facts.signature)
        self._facts = facts
        stored = {each.number for each in facts.stored}
        self._stored = tuple(
            at
            for at, array in enumerate(facts.signature.arrays)
            if array.number in stored
        )
        self._footprints: Footprints | None = None
        self._footprints_in: dict[object, LaunchFootprints] = {}
        self._plans: dict[tuple[Sizes, _Arrays], tuple[NativeKernel | None, Range]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self._unit, self._facts)

    def prepare(
        self,
        packed: PackedArguments,
        sizes: Sizes,
        threads: int | None,
        timeout: float | None = None,
        constants: tuple[str, ...] = (),
    ) -> Launch:
        """A launch with arguments that are packed already."""
        if threads is None and self._facts.ordered:
            threads = 1
        arrays = self._all_of_arrays(packed, threads)
        native, range_ = self._plan(sizes, constants, arrays)
        return Launch(native, self.signature, packed, range_, threads, timeout)

    def bind_box(
        self,
        box: Sequence[range],
        *args: Any,
        global_size: Triple,
        group_size: Triple,
        edges: Triple,
        threads: int,
    ) -> Launch:
        """
        As `bind`, for the work-groups with ids in these ranges alone, x first.

        `edges` divide the numbers of work-items where boxes begin and end within the launch.
        """
        packed = self.signature.check(args)
        small = self.signature.span_few(packed)
        arrays = self._arrays(packed)._replace(small=small)
        native, range_ = self._plan((global_size, group_size), (), arrays, edges)
        box = range_.in_groups(box, group_size)
        return Launch(native, self.signature, packed, range_, threads, None, box)

    def _arrays(self, packed: PackedArguments) -> _Arrays:
        signature = self.signature
        return _Arrays(signature.are_apart(packed), signature.are_small(packed))

    def _all_of_arrays(self, packed: PackedArguments, threads: int | None) -> _Arrays:
        arrays = self._arrays(packed)
        streams = arrays.apart and exceed_caches(packed.arrays, self._stored)
        if streams or (arrays.apart and self._facts.updated):
            elements = self.signature.elements(packed)
            arrays = arrays._replace(elements=elements, threads=threads)
        if not streams:
            return arrays
        return arrays._replace(line_offsets=self.signature.line_offsets(packed))

    def group_size(self, given: Size | None) -> Triple:
        """The work-items of a group, in a launch that gives this size."""
        return group_size_for(self.name, self._facts.group_size, given, (1, 1, 1))

    def _range(self, global_size: Size | None, group_size: Size | None) -> Range:
        extents = required_global_size(self.name, global_size)
        size = group_size_for(self.name, self._facts.group_size, group_size, extents)
        range_ = make_range(self.name, extents, size)
        if self._facts.full_groups and not range_.full:
            raise LaunchError(
                f"{self.name}: expected a global_size that is a multiple of the "
                f"group_size {words(size)}, because the kernel has {FULL_GROUPS}, got "
                f"{words(extents)}"
            )
        if self._facts.few_items and not range_.few:
            raise LaunchError(
                f"{self.name}: expected a global_size of less than {limits.FEW_ITEMS} "
                f"work-items, because the kernel has {FEW_ITEMS}, got {words(extents)}"
            )
        return range_

    def _watched(self, sizes: Sizes) -> Callable[..., Report]:
        from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
        from spmd.reference.check import check_kernel as run_watched
        from spmd.reference.interpreter import MAX_CHECKED
        from spmd.runtime.parsing import make_context

        # Python's stack ends before a recursion does, and has no words for it.
        with compile_errors(self._unit.source, f"checking kernel '{self.name}'"):
            SpmdInlineCallsPass().apply(make_context(), self._restricted())
        range_ = self._range(*sizes)
        if (items := prod(range_.global_size)) > MAX_CHECKED:
            raise LaunchError(
                f"{self.name}: expected a global_size of at most {MAX_CHECKED} work-items "
                f"for a check, which takes about a second for each 20000, got {items}"
            )
        return partial(
            run_watched, global_size=range_.global_size, group_size=range_.group_size
        )

    def stages(self, *, group_size: Size | None = None) -> Iterator[tuple[str, str]]:
        """
        The name of each pass and the IR after it, as `Program.stages`, for this kernel.

        With `group_size`, as it is compiled for launches whose groups are all full.
        """
        from spmd.runtime.compiling.native_code import specialised_passes
        from spmd.runtime.pipeline import stages

        groups = None
        if group_size is not None:
            groups = Groups.all_full(self.group_size(group_size))
        passes = specialised_passes(self._unit, self.name, groups)
        return stages(self._restricted(), passes, self._unit.source, self._unit.options)

    @property
    def _op(self) -> KernelOp:
        return cast("KernelOp", self._unit.symbol(self.name))

    def _restricted(self) -> ModuleOp:
        from spmd.runtime.pipeline import restrict

        return restrict(self._unit.module, self._op)

    def assembly(self, *, group_size: Size | None = None) -> str:
        """The native code for launches with full groups and arrays apart and small."""
        from spmd.runtime.compiling.native_code import compile_kernel

        groups = Groups.all_full(self.group_size(group_size))._replace(
            apart=True, small=True
        )
        _, compiled = compile_kernel(self._unit, self._op, groups)
        return compiled.assembly(self._unit.options.machine())

    def explain(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
    ) -> Explanation:
        """
        What the compiler makes of the kernel, and what keeps it from being faster.

        With `global_size`, of the code that such a launch runs; with `group_size` alone,
        of that for full groups of this size; in both cases for the arrays of `args`, if they
        are given. See `docs/explain.md`.
        """
        from dataclasses import replace

        from spmd.runtime.compiling.native_code import specialised_passes
        from spmd.runtime.explanation.decisions import explain_kernel
        from spmd.runtime.explanation.explanation import Explanation

        arrays = self._all_of_arrays(self.signature.check(args), None) if args else None
        groups = self._explained(arrays, (global_size, group_size))
        facts = explain_kernel(
            self._restricted(),
            self._op,
            specialised_passes(self._unit, self.name, groups),
            options=self._unit.options,
            source=self._unit.source,
        )
        lines = tuple(str(self.footprints()).splitlines())
        return Explanation((replace(facts, footprints=lines),))

    def _explained(self, arrays: _Arrays | None, sizes: Sizes) -> Groups | None:
        """What `explain` tells about."""
        global_size, group_size = sizes
        if global_size is not None:
            range_ = self._range(*sizes)
            if arrays is not None:
                return self._groups(range_, arrays)
            # Of arrays nothing is known: they are taken to be as large as they can matter.
            elements = [prod(range_.global_size)] * len(self.signature.arrays)
            groups = range_.made_for()
            groups = groups._replace(streamed=self._streamed(elements, (), range_))
        elif group_size is not None:
            groups = Groups.all_full(self.group_size(group_size))
            if arrays is not None:
                groups = groups._replace(apart=arrays.apart, small=arrays.small)
        else:
            return None
        copied = [f"{each.number}={each.kind}" for each in self._facts.updated]
        return groups._replace(copied=tuple(copied))

    def footprints(self) -> Footprints:
        """Which elements of its arrays the kernel accesses: see `docs/larger.md`."""
        if self._footprints is None:
            from spmd.analysis.footprints.footprints import Footprints
            from spmd.dialects.spmd.kernel import kernels_in
            from spmd.passes.kernels.spmd_annotate_footprints import structured

            source = self._unit.source
            with compile_errors(source, f"looking for accesses of '{self.name}'"):
                module = structured(self._restricted())
                (kernel,) = kernels_in(module)
                self._footprints = Footprints(kernel)
        return self._footprints

    def footprints_in(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
    ) -> LaunchFootprints:
        """
        Which elements any box of work-groups accesses in such a launch.

        Of an array only its `shape` matters.
        """
        range_ = self._range(global_size, group_size)
        numbers = self.signature.whole_numbers(args)
        shapes = {
            position: tuple(given.shape)
            for position, given in enumerate(args)
            if hasattr(given, "shape") and position not in numbers
        }
        key = range_, tuple(numbers.items()), tuple(shapes.items())
        found = self._footprints_in.get(key)
        if found is None:
            if len(self._footprints_in) >= _MAX_FOOTPRINTS:
                self._footprints_in = {}
            found = self._footprints_in[key] = self.footprints().in_launch(
                range_.global_size, range_.group_size, numbers, shapes
            )
        return found

    def _plan(
        self,
        sizes: Sizes,
        constants: tuple[str, ...],
        arrays: _Arrays,
        edges: Triple = (0, 0, 0),
    ) -> tuple[NativeKernel | None, Range]:
        # Code for constants may be forgotten, which plans would keep.
        simple = (
            not constants
            and not any(edges)
            and _is_plain(sizes[0])
            and _is_plain(sizes[1])
        )
        if simple and (found := self._plans.get((sizes, arrays))):
            return found
        range_ = self._range(*sizes)
        native = None
        if range_.groups:
            native = self._native(self._groups(range_, arrays, edges), constants)
            if (size := native.group_size_in(range_, edges)) != range_.group_size:
                range_ = make_range(self.name, range_.global_size, size)
        plan = native, range_
        if simple:
            if len(self._plans) >= _MAX_PLANS:
                self._plans = {}
            self._plans[sizes, arrays] = plan
        return plan

    def _groups(
        self, range_: Range, arrays: _Arrays, edges: Triple = (0, 0, 0)
    ) -> Groups:
        """What the code of a launch is made for."""
        return range_.made_for(edges)._replace(
            apart=arrays.apart,
            small=arrays.small and range_.few,
            copied=self._copied(arrays, range_),
            streamed=self._streamed(arrays.elements, arrays.line_offsets, range_),
        )

    def _copied(self, arrays: _Arrays, range_: Range) -> tuple[str, ...]:
        if not arrays.elements:
            return ()
        updated, threads = self._facts.updated, arrays.threads
        return copied_arrays(updated, self.signature, arrays.elements, range_, threads)

    def _streamed(
        self,
        elements: Sequence[int],
        line_offsets: Sequence[int | None],
        range_: Range,
    ) -> tuple[str, ...]:
        if not elements or not self._unit.options.vectorize:
            return ()
        stored, signature = self._facts.stored, self.signature
        return streamed_arrays(stored, signature, elements, line_offsets, range_)

    def _native(self, groups: Groups, constants: tuple[str, ...]) -> NativeKernel:
        if not self._unit.options.specialize:
            return self._compiled((None, constants))
        version: Version = groups, constants
        if version not in self._natives:
            for (made_for, values), code in self._natives.items():
                if made_for is None or code.group_size != groups.size:
                    continue
                if values == constants and made_for.covers(groups):
                    return code
        return self._compiled(version)

    def _compile(
        self, groups: Groups | None, constants: tuple[str, ...]
    ) -> NativeKernel:
        version = groups, constants

        def make() -> KernelCode:
            from spmd.runtime.compiling.native_code import compile_kernel

            return compile_kernel(self._unit, self._op, *version)[0]

        return self._unit.stored(("kernel", self.name, *version), make, NativeKernel)


def _is_plain(size: Any) -> bool:
    """Whether `size` may be looked up: 1.0 == 1 == True, but only one of them is a size."""
    if type(size) is tuple:
        return all(type(extent) is int for extent in cast(tuple[Any, ...], size))
    return type(size) is int or size is None
