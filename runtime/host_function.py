"""A host function: it launches kernels, and is called like one, without sizes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import CFUNCTYPE, addressof, c_char, c_void_p
from typing import TYPE_CHECKING, Any, NoReturn, cast

from spmd.lowering.loading import NativeCode, load
from spmd.runtime.arguments.elements import Element
from spmd.runtime.arguments.scalars import unpacked
from spmd.runtime.arguments.signature import PackedArguments, Signature
from spmd.runtime.arguments.sizes import Groups, Size
from spmd.runtime.compiling.made import HostCode, HostFacts
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.entry_point import EntryPoint, Sizes
from spmd.runtime.errors import LaunchError
from spmd.runtime.kernel import Kernel
from spmd.runtime.launching.host_launch import (
    HostLaunch,
    RunningHost,
    launcher_address,
)
from spmd.runtime.launching.launch import fail_about_copy
from spmd.runtime.launching.python_calls import runtime_functions
from spmd.runtime.launching.record import LaunchRecord
from spmd.runtime.launching.watcher import watched, watcher

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


class HostCall:
    """
    A host function with its arguments; calling it runs the function.

    The arrays are kept alive, as by `Launch`.
    """

    __slots__ = (
        "_args",
        "_arrays",
        "_host",
        "_results",
        "_results_at",
        "_signature",
        "_threads",
        "_timeout",
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
        self._host = host
        self._arrays = packed.arrays
        # Results are zero and the pointer to the record is null until the call.
        self._signature = signature
        self._args = signature.pack(packed, (*[0] * len(results), 0))
        self._results = results
        self._results_at = [
            signature.field_offset(len(packed.fields) + n) for n in range(len(results))
        ]
        self._threads = threads
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"<spmd call of {self._host.name}>"

    def __reduce__(self) -> NoReturn:
        fail_about_copy("call")

    @watched
    def __call__(self) -> Any:
        """Runs the function; what it returns."""
        host = self._host
        args = (c_char * len(self._args)).from_buffer_copy(self._args)
        record = LaunchRecord()
        record.name, record.timeout = host.name, self._timeout
        struct.pack_into("@P", args, len(self._args) - 8, record.address)
        if watcher.asleep:
            watcher.wake()
        watcher.limit(record)
        with RunningHost(host.launches, self._threads) as running:
            host.entry(addressof(args))
        if record.error is not None:
            record.raise_error(self._signature.failed)
        if running.error is not None:
            if isinstance(running.error, LaunchError):
                raise LaunchError(f"{host.name}: {running.error}") from None
            raise running.error
        record.raise_error(self._signature.failed)
        values = [
            _result(element, args, at)
            for element, at in zip(self._results, self._results_at)
        ]
        if not values:
            return None
        return values[0] if len(values) == 1 else tuple(values)


def _result(element: Element, args: Any, at: int) -> bool | int | float:
    """The number that was returned; integers are signed."""
    return unpacked(element, struct.unpack_from(f"@{element.code}", args, at)[0])
