"""A host function: it launches kernels, and is called like one, without sizes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, c_void_p, create_string_buffer
from threading import get_ident
from typing import TYPE_CHECKING, Any, NoReturn, cast

from spmd.lowering.loading.object_code import NativeCode, load
from spmd.runtime.arguments.elements import Element
from spmd.runtime.arguments.parameters import PackedArguments
from spmd.runtime.arguments.scalars import unpacked
from spmd.runtime.arguments.signature import Signature
from spmd.runtime.arguments.sizes import Groups, Size
from spmd.runtime.compiling.made import HostCode, HostFacts
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.entry_point import EntryPoint, Sizes
from spmd.runtime.errors import LaunchError
from spmd.runtime.kernel import Kernel
from spmd.runtime.launching.host_launch import (
    HostLaunch,
    HostLaunches,
    launcher_address,
)
from spmd.runtime.launching.launch import fail_about_copy
from spmd.runtime.launching.python_calls import runtime_functions
from spmd.runtime.launching.watcher import Watched, watcher

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from spmd.reference.checking.findings import Report
    from spmd.runtime.explanation.explanation import Explanation
    from spmd.runtime.explanation.facts import FunctionFacts

_ENTRY = CFUNCTYPE(None, c_void_p)


class HostFunction(EntryPoint["HostCall", "NativeHost"]):
    """
    A `func.func` of a `Program` that launches kernels.

    ```python
    total = sum_all(x, scratch, n)
    total = sum_all(x, scratch, n, threads=2)
    call = sum_all.bind(x, scratch, n)
    total = call()
    ```

    The sizes of launches are its own business. It gives back what the function returns:
    nothing, a number, or a tuple of numbers.
    """

    kind = "host function"

    def __init__(self, unit: Unit, facts: HostFacts, kernels: Mapping[str, Kernel]):
        super().__init__(unit, facts.signature)
        self._facts = facts
        self._kernels = kernels

    def __reduce__(self) -> tuple[Any, ...]:
        return HostFunction, (self._unit, self._facts, self._kernels)

    def prepare(
        self,
        packed: PackedArguments,
        sizes: Sizes,
        threads: int | None,
        timeout: float | None = None,
        constants: tuple[str, ...] = (),
    ) -> HostCall:
        """A call with arguments that are packed already."""
        if constants:
            raise LaunchError(
                f"{self.name}: expected no constants, because only kernels are compiled "
                f"for the values of their arguments, got {', '.join(constants)}"
            )
        return HostCall(
            self._compiled(),
            self.signature,
            packed,
            self._facts.results,
            threads,
            timeout,
        )

    def _watched(self, sizes: Sizes) -> Callable[..., Report]:
        from spmd.reference.check import check_function

        return check_function

    def _check_sizes(self, *sizes: Size | None) -> None:
        for what, size in zip(("global_size", "group_size"), sizes):
            if size is not None:
                raise LaunchError(
                    f"{self.name}: expected no {what}, because a host function gives the "
                    f"sizes of its launches itself, got {size!r}"
                )

    @property
    def _op(self) -> FuncOp:
        return cast("FuncOp", self._unit.symbol(self.name))

    def assembly(self) -> str:
        """The native code, without that of the kernels."""
        from spmd.runtime.compiling.native_code import compile_host

        _, compiled = compile_host(self._unit, self._op)
        return compiled.assembly(self._unit.options.machine())

    def stages(self) -> Iterator[tuple[str, str]]:
        """The name of each pass and the IR after it, without the kernels."""
        from spmd.runtime.compiling.native_code import host_module, host_passes
        from spmd.runtime.pipeline import stages

        unit = self._unit
        return stages(
            host_module(unit, self._op), host_passes(unit), unit.source, unit.options
        )

    def explain(
        self, *, global_size: Size | None = None, group_size: Size | None = None
    ) -> Explanation:
        """What the compiler makes of its loops, and of the kernels that it launches."""
        from spmd.runtime.explanation.explanation import Explanation

        self._check_sizes(global_size, group_size)
        own = self.explain_loops()
        kernels = [self._kernels[name] for name in sorted(self._facts.launched)]
        return Explanation(
            tuple(facts for each in kernels for facts in each.explain().kernels),
            () if own is None else (own,),
        )

    def explain_loops(self) -> FunctionFacts | None:
        """What became of the parallel loops that it runs itself, if it has some."""
        from spmd.runtime.compiling.native_code import host_module, host_passes
        from spmd.runtime.explanation.decisions import explain_function

        unit = self._unit
        return explain_function(
            host_module(unit, self._op),
            self._op,
            self._facts.launched,
            host_passes(unit),
            options=unit.options,
            source=unit.source,
        )

    def _compile(self, groups: Groups | None, constants: tuple[str, ...]) -> NativeHost:
        def make() -> HostCode:
            from spmd.runtime.compiling.native_code import compile_host

            return compile_host(self._unit, self._op)[0]

        def use(made: HostCode) -> NativeHost:
            return NativeHost(self.name, made, self._kernels)

        return self._unit.stored(("host function", self.name), make, use)


class NativeHost:
    """Native code of a host function, and the launches that it asks for."""

    def __init__(self, name: str, made: HostCode, kernels: Mapping[str, Kernel]):
        self.name = name
        self._native: NativeCode = load(
            made.code,
            {made.launcher: launcher_address(), **runtime_functions(made.code)},
        )
        self.launches = [
            HostLaunch(site, kernels[site.kernel]) for site in made.launches
        ]
        self.entry = _ENTRY(self._native.address(made.entry))


class HostCall(Watched):
    """
    A host function with its arguments; calling it runs the function.

    The arrays are kept alive, as by `Launch`.
    """

    __slots__ = (
        "_args",
        "_entry",
        "_host",
        "_launches",
        "_made_of",
        "_results",
        "_signature",
    )

    def __init__(
        self,
        host: NativeHost,
        signature: Signature,
        packed: PackedArguments,
        results: Sequence[Element],
        threads: int | None,
        timeout: float | None,
    ):
        super().__init__(host.name, timeout)
        self._made_of = host, signature, packed, results, threads, timeout
        self._host = host
        self._entry = host.entry
        self._signature = signature
        self._launches = (
            HostLaunches(host.launches, threads, self.record) if host.launches else None
        )
        # Results are zero until the call.
        last = (*[0] * len(results), self.record.address)
        self._args = create_string_buffer(signature.pack(packed, last))
        self._results = [
            (element, signature.field_offset(len(packed.fields) + n))
            for n, element in enumerate(results)
        ]

    def __repr__(self) -> str:
        return f"<spmd call of {self._host.name}>"

    def __reduce__(self) -> NoReturn:
        fail_about_copy("call")

    def __call__(self) -> Any:
        """Runs the function; what it returns."""
        thread = get_ident()
        if self.thread:
            # Another thread runs it, or a signal handler in the midst of it.
            return HostCall(*self._made_of)()
        self.thread = thread
        record = self.record
        try:
            if watcher.asleep:
                watcher.wake()
            if record.timeout is not None:
                watcher.limit(record)
            if self._launches is None:
                self._entry(self._args)
            else:
                with self._launches:
                    self._entry(self._args)
                if (error := self._launches.error) is not None:
                    self._raise(error)
            record.raise_error(self._signature.failed)
            values = [_result(element, self._args, at) for element, at in self._results]
        except BaseException:
            record.clear()
            raise
        finally:
            if record.timeout is not None:
                record.deadline = None
            self.thread = 0
        if not values:
            return None
        return values[0] if len(values) == 1 else tuple(values)

    def _raise(self, error: BaseException) -> None:
        """Raises what a launch raised, unless this call has been stopped as well."""
        if self.record.error is not None:
            return
        if isinstance(error, LaunchError):
            raise LaunchError(f"{self._host.name}: {error}") from None
        raise error


def _result(element: Element, args: Any, at: int) -> bool | int | float:
    """The number that was returned; integers are signed."""
    return unpacked(element, struct.unpack_from(f"@{element.code}", args, at)[0])
