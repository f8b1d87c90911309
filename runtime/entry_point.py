"""What kernels and host functions of a program have in common: they can be called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spmd.runtime.arguments.parameters import PackedArguments, Parameter
from spmd.runtime.arguments.signature import Signature
from spmd.runtime.arguments.sizes import Groups, Size, whole_number
from spmd.runtime.cache.stored import compiling
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.errors import LaunchError, LaunchTimeout, compile_errors
from spmd.runtime.launching.threads import MAX_THREADS, THREADS

if TYPE_CHECKING:
    from spmd.reference.checking.findings import Report

CallT = TypeVar("CallT", bound=Callable[[], Any])
NativeT = TypeVar("NativeT")

Sizes = tuple[Size | None, Size | None]
"""The global size and the group size that were given."""

Version = tuple[Groups | None, tuple[str, ...]]
"""What code is for: some groups, or any, and arguments with values."""

_MAX_CONSTANTS = 32
"""Versions for the values of arguments that are kept, beside those that launches have."""


class EntryPoint(ABC, Generic[CallT, NativeT]):
    """
    A kernel or host function.

    A call is a `CallT` that `prepare` makes and that is done at once; what it runs is a
    `NativeT`, compiled when it is first needed.
    """

    kind: str
    """What messages call it."""

    def __init__(self, unit: Unit, signature: Signature):
        self.name = signature.kernel
        self.signature = signature
        self._unit = unit
        self._natives: dict[Version, NativeT] = {}

    @abstractmethod
    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by source and options; the copy compiles again."""

    def __repr__(self) -> str:
        arguments = ", ".join(p.declaration() for p in self.parameters)
        return f"<spmd {self.kind} {self.name}({arguments})>"

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the arguments, in the colours of the page."""
        from html import escape  # no launch needs it

        rows = "".join(
            f"<tr><td><code>%{escape(each.name or '')}</code></td>"
            f"<td><code>{escape(each.type)}</code></td></tr>"
            for each in self.parameters
        )
        head = f"{self.kind} <code>{escape(self.name)}</code>"
        return (
            f"<table><caption>{head}</caption>"
            f"<tr><th>argument</th><th>type</th></tr>{rows}</table>"
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The arguments that are expected."""
        return self.signature.parameters

    def __call__(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        threads: int | None = None,
        timeout: float | None = None,
        constants: Iterable[str] = (),
    ) -> Any:
        """Runs it; returns when all is done, with what a host function returns."""
        return self.bind(
            *args,
            global_size=global_size,
            group_size=group_size,
            threads=threads,
            timeout=timeout,
            constants=constants,
        )()

    def bind(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        threads: int | None = None,
        timeout: float | None = None,
        constants: Iterable[str] = (),
    ) -> CallT:
        """
        Checks and compiles everything, so that the result can be called cheaply.

        `threads` is for each launch of a host function. `timeout` is in seconds, for each
        call: one that takes longer is ended with a `LaunchTimeout`. `constants` are the
        names of numbers among the arguments of a kernel; what is run is compiled for
        their values.
        """
        self._check_sizes(global_size, group_size)
        packed = self.signature.check(args)
        if threads is not None:
            threads = self._checked_threads(threads)
        if timeout is not None:
            timeout = self._checked_timeout(timeout)
        values = self.signature.constants(constants, packed) if constants else ()
        sizes = global_size, group_size
        return self.prepare(packed, sizes, threads, timeout, values)

    def _check_sizes(self, *sizes: Size | None) -> None:
        """Fails if there are sizes where none are expected."""

    @abstractmethod
    def prepare(
        self,
        packed: PackedArguments,
        sizes: Sizes,
        threads: int | None,
        timeout: float | None = None,
        constants: tuple[str, ...] = (),
    ) -> CallT:
        """A call with arguments that are packed already, some of them constants."""

    def check(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        schedule: str = "in-order",
        seed: int = 0,
        timeout: float | None = None,
    ) -> Report:
        """
        Runs it in the interpreter, which watches it: see `spmd.check`.

        What is found in a launch of a host function names the launch.
        """
        from spmd.reference.check import OutOfTime
        from spmd.reference.schedule import SCHEDULES

        self._check_sizes(global_size, group_size)
        self.signature.check(args)
        run_watched = self._watched((global_size, group_size))
        if schedule not in SCHEDULES:
            raise LaunchError(
                f"{self.name}: expected a schedule of {', '.join(SCHEDULES)}, got "
                f"{schedule!r}"
            )
        if timeout is not None:
            timeout = self._checked_timeout(timeout)
        unit = self._unit
        options = {"schedule": schedule, "seed": seed, "timeout": timeout}
        with compile_errors(unit.source, f"checking {self.kind} '{self.name}'"):
            try:
                return run_watched(unit.module, self.name, args, **options)
            except OutOfTime as error:
                late = error
        found = "".join(f"\n\n{each}" for each in late.report.errors)
        raise LaunchTimeout(
            f"{self.name}: expected the check to be done within the timeout of "
            f"{timeout:g} s, it was not: {late}; take a smaller size{found}"
        )

    @abstractmethod
    def _watched(self, sizes: Sizes) -> Callable[..., Report]:
        """What runs it in the interpreter, with sizes that were checked."""

    @abstractmethod
    def stages(self) -> Iterator[tuple[str, str]]:
        """The name of each pass and the IR after it."""

    def ir(self, stage: str, **sizes: Any) -> str:
        """The IR after the pass `stage`, one of those that `stages(**sizes)` lists."""
        from spmd.runtime.pipeline import ir_after

        return ir_after(self.stages(**sizes), stage)

    def _compiled(self, version: Version = (None, ())) -> NativeT:
        """The native code, which is made once."""
        if (found := self._natives.get(version)) is None:
            with compiling:
                if (found := self._natives.get(version)) is None:
                    self._expect_target()
                    found = self._natives[version] = self._compile(*version)
                    self._forget_constants()
        return found

    def _forget_constants(self) -> None:
        """Gives up the oldest versions for values of arguments when there are many."""
        with_constants = [version for version in self._natives if version[1]]
        for version in with_constants[:-_MAX_CONSTANTS]:
            del self._natives[version]

    def _expect_target(self) -> None:
        target = self._unit.options.target
        if target == "host":
            return
        from spmd.passes.targets import why_not_here

        if (missing := why_not_here(target)) is not None:
            raise LaunchError(
                f"{self.name}: expected {missing} to launch what is compiled for {target}; "
                "ir() and assembly() work on any machine"
            )

    @abstractmethod
    def _compile(
        self, groups: Groups | None, constants: tuple[str, ...]
    ) -> NativeT: ...

    def _checked_timeout(self, timeout: Any) -> float:
        try:
            seconds = float(timeout)
        except (TypeError, ValueError):
            seconds = 0.0
        if seconds > 0:
            return seconds
        raise LaunchError(
            f"{self.name}: expected a timeout of more than 0 seconds, got {timeout!r}"
        )

    def _checked_threads(self, threads: Any) -> int:
        try:
            number = whole_number(threads)
        except TypeError:
            number = 0
        if not 1 <= number <= MAX_THREADS:
            raise LaunchError(
                f"{self.name}: expected threads as {THREADS}, got {threads!r}"
            )
        return number
