"""A kernel of a program: compiled when launched, for each work-group size or once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ModuleOp

from spmd.dialects.spmd import KernelOp
from spmd.runtime.arguments.signature import PackedArguments, Parameter, Signature
from spmd.runtime.arguments.written_arguments import written_arguments
from spmd.runtime.errors import LaunchError, SourceText, compile_errors
from spmd.runtime.explanation.explanation import Explanation
from spmd.runtime.launching.launch import Launch
from spmd.runtime.limits import check_kernel
from spmd.runtime.native_kernel import (
    NativeKernel,
    compile_kernel,
    compiling,
    specialised_passes,
)
from spmd.runtime.options import CompileOptions
from spmd.runtime.pipeline import called_functions, ir_after, restrict, stages
from spmd.runtime.sizes import (
    Range,
    Size,
    Triple,
    group_size_for,
    make_range,
    required_global_size,
    whole_number,
)

if TYPE_CHECKING:
    from spmd.reference.checking.findings import Report

_MAX_PLANS = 256
"""Sizes of launches that are remembered; more are forgotten, which costs microseconds."""


class Kernel:
    """
    One kernel of a `Program`, called with its arguments and the size of the launch.

    ```python
    saxpy(n, a, x, y, global_size=n)
    saxpy(n, a, x, y, global_size=n, group_size=128, threads=2)
    launch = saxpy.bind(n, a, x, y, global_size=n)
    launch()
    ```

    Sizes are whole numbers or tuples of up to three, x first. Without `group_size` the
    kernel's attribute or the compiler decides, without `threads` `SPMD_NUM_THREADS` or
    the number of CPUs, less for small launches.
    """

    def __init__(
        self,
        module: ModuleOp,
        op: KernelOp,
        options: CompileOptions,
        source: SourceText | None,
    ):
        self.name = op.sym_name.data
        self._module = module
        self._op = op
        self._options = options
        self._source = source
        self._fixed = op.group_size
        self._natives: dict[tuple[Triple | None, bool], NativeKernel] = {}
        self._plans: dict[tuple[Any, Any], tuple[NativeKernel | None, Range]] = {}
        with compile_errors(source, f"checking kernel '{self.name}'"):
            functions = called_functions(module, op)
            local_bytes = check_kernel(op, list(functions.values()))
            written = written_arguments(op, functions)
            self.signature = Signature(op, written, local_bytes)

    def __repr__(self) -> str:
        arguments = ", ".join(p.declaration() for p in self.signature.parameters)
        return f"<spmd kernel {self.name}({arguments})>"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The arguments that the kernel expects."""
        return self.signature.parameters

    def __call__(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        threads: int | None = None,
    ) -> None:
        """Runs the kernel; returns when all work-items are done."""
        self.bind(
            *args, global_size=global_size, group_size=group_size, threads=threads
        )()

    def bind(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        threads: int | None = None,
    ) -> Launch:
        """Checks and compiles everything, so that the result can be called cheaply."""
        packed = self.signature.check(args)
        if threads is not None:
            threads = check_threads(self.name, threads)
        return self.prepare(packed, global_size, group_size, threads)

    def prepare(
        self,
        packed: PackedArguments,
        global_size: Size | None,
        group_size: Size | None,
        threads: int | None,
    ) -> Launch:
        """A launch with arguments that are packed already."""
        native, range_ = self._plan(global_size, group_size)
        return Launch(native, self.signature, packed, range_, threads)

    def group_size(self, given: Size | None) -> Triple:
        """The work-items of a group, in a launch that gives this size."""
        return group_size_for(self.name, self._fixed, given, (1, 1, 1))

    def check(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        schedule: str = "in-order",
        seed: int = 0,
    ) -> Report:
        """Runs the kernel in the interpreter, which watches it: see `spmd.check`."""
        from spmd.reference.check import check_kernel as run_watched

        self.signature.check(args)
        extents = required_global_size(self.name, global_size)
        size = group_size_for(self.name, self._fixed, group_size, extents)
        make_range(self.name, extents, size)
        check_schedule(self.name, schedule)
        with compile_errors(self._source, f"checking kernel '{self.name}'"):
            return run_watched(
                self._module,
                self.name,
                args,
                global_size=extents,
                group_size=size,
                schedule=schedule,
                seed=seed,
            )

    def stages(self, *, group_size: Size | None = None) -> Iterator[tuple[str, str]]:
        """
        The name of each pass and the IR after it, as `Program.stages`, for this kernel.

        With `group_size`, as it is compiled for launches whose groups are all full.
        """
        module = restrict(self._module, self._op)
        passes = self._options.passes()
        if group_size is not None:
            size = group_size_for(self.name, self._fixed, group_size, (1, 1, 1))
            if self._options.specialize:
                passes = specialised_passes(self.name, size, True, self._options)
        return stages(module, passes, self._source)

    def ir(self, stage: str, *, group_size: Size | None = None) -> str:
        """The IR after the pass `stage`, one of those that `stages` lists."""
        return ir_after(self.stages(group_size=group_size), stage)

    def assembly(self, *, group_size: Size | None = None) -> str:
        """The native code for launches whose groups are all full."""
        size = group_size_for(self.name, self._fixed, group_size, (1, 1, 1))
        return self._native(size, True).assembly()

    def explain(
        self, *, global_size: Size | None = None, group_size: Size | None = None
    ) -> Explanation:
        """
        What the compiler makes of the kernel, and what keeps it from being faster.

        With `global_size`, of the code that such a launch runs; with `group_size` alone,
        of that for full groups of this size. See `docs/explain.md`.
        """
        from spmd.runtime.explanation.decisions import explain_kernel

        size, full = self._fixed, False
        if global_size is not None:
            extents = required_global_size(self.name, global_size)
            size = group_size_for(self.name, self._fixed, group_size, extents)
            full = make_range(self.name, extents, size).full
        elif group_size is not None:
            size = group_size_for(self.name, self._fixed, group_size, (1, 1, 1))
            full = True
        if not self._options.specialize:
            size, full = None, False
        elif (size, full) == (self._fixed, False):
            size = None  # The kernel says so itself.
        facts = explain_kernel(
            restrict(self._module, self._op),
            self._op,
            specialised_passes(self.name, size, full, self._options),
            vectorize=self._options.vectorize,
            source=self._source,
        )
        return Explanation((facts,))

    def _plan(
        self, global_size: Any, group_size: Any
    ) -> tuple[NativeKernel | None, Range]:
        simple = _is_plain(global_size) and (
            group_size is None or _is_plain(group_size)
        )
        if simple and (found := self._plans.get((global_size, group_size))):
            return found
        extents = required_global_size(self.name, global_size)
        size = group_size_for(self.name, self._fixed, group_size, extents)
        range_ = make_range(self.name, extents, size)
        native = self._native(size, range_.full) if range_.groups else None
        plan = native, range_
        if simple:
            if len(self._plans) >= _MAX_PLANS:
                self._plans = {}
            self._plans[global_size, group_size] = plan
        return plan

    def _native(self, size: Triple, full: bool) -> NativeKernel:
        if not self._options.specialize:
            return self._compiled(None, False)
        # Code for any group also runs full ones, if a little slower.
        for key in ((size, full), (size, False)):
            if (found := self._natives.get(key)) is not None:
                return found
        return self._compiled(size, full)

    def _compiled(self, size: Triple | None, full: bool) -> NativeKernel:
        if (found := self._natives.get((size, full))) is not None:
            return found
        with compiling:
            found = self._natives.get((size, full))
            if found is None:
                found = compile_kernel(
                    self._module, self._op, size, full, self._options, self._source
                )
                self._natives[size, full] = found
            return found


def check_threads(name: str, threads: Any) -> int:
    """The number of threads that a launch of `name` asks for."""
    try:
        number = whole_number(threads)
    except TypeError:
        number = 0
    if number < 1:
        raise LaunchError(
            f"{name}: expected threads as a whole number of at least 1, got {threads!r}"
        )
    return number


def check_schedule(name: str, schedule: str) -> None:
    """The order in which a checked run of `name` lets work-items take turns."""
    from spmd.reference.schedule import SCHEDULES

    if schedule not in SCHEDULES:
        raise LaunchError(
            f"{name}: expected a schedule of {', '.join(SCHEDULES)}, got {schedule!r}"
        )


def _is_plain(size: Any) -> bool:
    """Whether `size` may be looked up: 1.0 == 1 == True, but only one of them is a size."""
    if type(size) is tuple:
        return all(type(extent) is int for extent in cast(tuple[Any, ...], size))
    return type(size) is int
