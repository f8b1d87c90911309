"""`@spmd.autotune`: a kernel that is launched as was fastest when it was tried."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import update_wrapper
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from spmd.frontends.python.kernel import SOURCE_STAGE, PythonKernel
from spmd.frontends.python.names import constexpr
from spmd.frontends.python.source import named
from spmd.runtime.arguments.arrays import Array, shared_array
from spmd.runtime.arguments.sizes import Size
from spmd.runtime.cache.disk import cache
from spmd.runtime.errors import CompileError, LaunchError
from spmd.runtime.launching.launch import Launch
from spmd.runtime.options import CompileOptions

if TYPE_CHECKING:
    from spmd.reference.checking.findings import Report
    from spmd.runtime.explanation.explanation import Explanation

Config = Mapping[str, Any]
GlobalSize = Size | Callable[[Config], Size] | None

_OF_KERNEL = ("group_size", "sub_group_size")
_OPTIONS = ("strategy", "width", "vectorize")
_SECONDS, _MOST_RUNS = 0.05, 20
_ARRAYS: tuple[type, ...] = (np.ndarray,)


class TunedKernel:
    """
    A kernel with several configurations, of which the fastest is found when it is called.

    They are tried when arguments come that differ from all before in type or in what `key`
    names. Arrays are as they were after each trial.
    """

    def __init__(
        self,
        kernel: PythonKernel,
        configs: Iterable[Config],
        key: Sequence[str],
        progress: bool | None,
    ):
        update_wrapper(self, kernel.function)
        self.kernel = kernel
        self.configs = tuple(dict(config) for config in configs)
        self._signature = inspect.signature(kernel.function)
        self._parameters = self._signature.parameters
        self._key = (key,) if isinstance(key, str) else tuple(key)
        self._check()
        self._variants = [_variant(kernel, config) for config in self.configs]
        self._chosen: dict[str, int] = {}
        self._asked_progress = progress
        self._progress = sys.stderr.isatty() if progress is None else progress

    def __repr__(self) -> str:
        return f"<{self.kernel!r} tuned over {len(self.configs)} configurations>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled as its kernel is."""
        given = self.kernel, self.configs, self._key, self._asked_progress
        return named(self) or (TunedKernel, given)

    def __deepcopy__(self, memo: object) -> TunedKernel:
        """Itself, as of functions."""
        return self

    def __call__(
        self,
        *args: Any,
        global_size: GlobalSize = None,
        threads: int | None = None,
        timeout: float | None = None,
        **named: Any,
    ) -> None:
        """Runs the kernel; `global_size` may be a function of the configuration."""
        number = self._number(args, named, global_size, threads)
        self._bind(number, args, named, global_size, threads, timeout)()

    def bind(
        self,
        *args: Any,
        global_size: GlobalSize = None,
        threads: int | None = None,
        timeout: float | None = None,
        **named: Any,
    ) -> Launch:
        """Finds the configuration, checks and compiles everything: see `Kernel.bind`."""
        number = self._number(args, named, global_size, threads)
        return self._bind(number, args, named, global_size, threads, timeout)

    def config(
        self,
        *args: Any,
        global_size: GlobalSize = None,
        threads: int | None = None,
        **named: Any,
    ) -> Config:
        """The configuration that is used for these arguments."""
        return self.configs[self._number(args, named, global_size, threads)]

    def explain(
        self,
        *args: Any,
        global_size: GlobalSize = None,
        threads: int | None = None,
        **named: Any,
    ) -> Explanation:
        """What the compiler makes of it in the configuration for these arguments."""
        number = self._number(args, named, global_size, threads)
        config = self.configs[number]
        return self._variants[number].explain(
            *args,
            global_size=_size(global_size, config),
            **(self._compiled_in(config) | named),
        )

    def check(
        self,
        *args: Any,
        global_size: GlobalSize = None,
        schedule: str = "in-order",
        seed: int = 0,
        **named: Any,
    ) -> Report:
        """
        Runs each configuration in the interpreter, up to one with faults: see `spmd.check`.

        Arrays are as they were between the configurations.
        """
        saved = _saved([*args, *named.values()])
        report: Report | None = None
        for variant, config in zip(self._variants, self.configs, strict=True):
            if report is not None:
                for array, before in saved:
                    array[...] = before
            report = variant.check(
                *args,
                global_size=_size(global_size, config),
                schedule=schedule,
                seed=seed,
                **(self._compiled_in(config) | named),
            )
            if not report:
                break
        assert report is not None, "there are configurations"
        return report

    def _check(self) -> None:
        fixed = self.kernel.fixed
        of_kernel = [name for name, type_ in fixed.items() if type_ is constexpr]
        allowed = (*_OF_KERNEL, *_OPTIONS, *of_kernel)
        if not self.configs:
            raise CompileError(f"{self.kernel.name}: expected configs, got none")
        for config in self.configs:
            for name in config:
                if name not in allowed:
                    raise CompileError(
                        f"{self.kernel.name}: expected configs of {', '.join(allowed)}, "
                        f"got '{name}'"
                    )
        for name in self._key:
            if name not in self._parameters:
                raise CompileError(
                    f"{self.kernel.name}: expected key of parameters, which are "
                    f"{', '.join(self._parameters)}, got '{name}'"
                )

    def _bind(
        self,
        number: int,
        args: Sequence[Any],
        named: Mapping[str, Any],
        global_size: GlobalSize,
        threads: int | None,
        timeout: float | None = None,
    ) -> Launch:
        config = self.configs[number]
        return self._variants[number].bind(
            *args,
            global_size=_size(global_size, config),
            threads=threads,
            timeout=timeout,
            **(self._compiled_in(config) | dict(named)),
        )

    def _translated(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        """All that decides how fast the configurations are: functions and constants, too."""
        texts: list[str] = []
        for variant, config in zip(self._variants, self.configs, strict=True):
            try:
                given = self._compiled_in(config) | dict(named)
                texts.append(f"{config} {variant.ir(SOURCE_STAGE, *args, **given)}")
            except (CompileError, LaunchError) as error:
                texts.append(f"{config} {error}")
        return "\n".join(texts)

    def _compiled_in(self, config: Config) -> dict[str, Any]:
        return {k: v for k, v in config.items() if k in self._parameters}

    def _number(
        self,
        args: Sequence[Any],
        named: Mapping[str, Any],
        global_size: GlobalSize,
        threads: int | None,
    ) -> int:
        try:
            bound = self._signature.bind_partial(*args, **named)
        except TypeError as error:
            raise LaunchError(f"{self.kernel.name}: {error}") from None
        given = bound.arguments
        types = [f"{name}={_type(value)}" for name, value in given.items()]
        values = [_value(given.get(name)) for name in self._key]
        key = f"{' '.join(types)} {values} threads={threads}"
        if (number := self._chosen.get(key)) is None:
            entry = cache.entry(f"tuning {key} {self._translated(args, named)}")
            if entry is not None and (found := entry.read()) is not None:
                number = int(found)
            else:
                number = self._fastest(
                    lambda number: self._bind(
                        number, args, named, global_size, threads
                    ),
                    list(given.values()),
                )
                if entry is not None:
                    entry.write(str(number).encode())
            self._chosen[key] = number
        return number

    def _fastest(self, bind: Callable[[int], Launch], given: Sequence[Any]) -> int:
        """The number of the configuration whose launch takes the least time."""
        saved = _saved(given)
        times: dict[int, float] = {}
        failed: Exception | None = None
        for number, config in enumerate(self.configs):
            try:
                times[number] = _least_time(bind(number))
            except (CompileError, LaunchError) as error:
                failed = failed or error
            for array, old in saved:
                array[...] = old
            if self._progress:
                took = f"{times[number] * 1e3:.3g} ms" if number in times else "failed"
                print(
                    f"tuning {self.kernel.name}: {number + 1} of {len(self.configs)}, "
                    f"{dict(config)}: {took}",
                    file=sys.stderr,
                )
        if not times:
            assert failed is not None, "there are configurations"
            raise failed
        return min(times, key=lambda number: times[number])


def _saved(arguments: Sequence[Any]) -> list[tuple[Array, Array]]:
    """The arrays that trials may write to, of NumPy or others, and what is in them."""
    saved: list[tuple[Array, Array]] = []
    for each in arguments:
        with suppress(ValueError):  # The launch says why.
            array = shared_array(each)
            if array is not None and array.flags.writeable:
                saved.append((array, array.copy()))
    return saved


def _size(global_size: GlobalSize, config: Config) -> Size | None:
    return global_size(config) if callable(global_size) else global_size


def _variant(kernel: PythonKernel, config: Config) -> PythonKernel:
    options = {name: value for name, value in config.items() if name in _OPTIONS}
    CompileOptions.from_user(options)
    sizes = {name: value for name, value in config.items() if name in _OF_KERNEL}
    return kernel.replaced(sizes, options)


def _least_time(launch: Launch) -> float:
    """Seconds of the fastest of some launches, after one that does not count."""
    launch()
    times: list[float] = []
    while len(times) < 3 or (sum(times) < _SECONDS and len(times) < _MOST_RUNS):
        start = perf_counter()
        launch()
        times.append(perf_counter() - start)
    return min(times)


def _type(value: Any) -> str:
    if isinstance(value, _ARRAYS):
        return f"{value.dtype}[{value.ndim}]"
    return type(value).__name__


def _value(value: Any) -> object:
    return value.shape if isinstance(value, _ARRAYS) else value


def autotune(
    configs: Iterable[Config],
    key: Sequence[str] = (),
    *,
    progress: bool | None = None,
) -> Callable[[PythonKernel], TunedKernel]:
    """
    Makes a kernel find out which configuration is the fastest.

    Each of `configs` is a dict with any of `group_size`, `sub_group_size`, `strategy`,
    `width`, `vectorize` and `constexpr` parameters of the kernel. `key` names parameters
    whose values, or shapes, ask for a search of their own. What was found is kept in
    `spmd.cache` for other processes. `progress` prints what is tried, by default to a
    terminal.
    """

    def tune(kernel: Any) -> TunedKernel:
        if not isinstance(kernel, PythonKernel):
            raise CompileError(
                "expected @spmd.kernel below @spmd.autotune(...), got "
                f"{type(kernel).__name__}"
            )
        return TunedKernel(kernel, configs, key, progress)

    return tune
