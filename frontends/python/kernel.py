"""`@spmd.kernel`: a function of Python as a kernel, compiled for the types of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import update_wrapper
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from spmd.frontends.python.names import constexpr
from spmd.frontends.python.source import Function, Packed, named, packed, unpacked
from spmd.frontends.python.translate import Given, translate, type_of_variable
from spmd.frontends.python.types import (
    Array,
    Scalar,
    Type,
    array_type,
    known_layout,
    no_argument,
    type_of_number,
    why_not,
)
from spmd.frontends.python.values import Value, exactly, in_words, value_of
from spmd.runtime.arguments.arrays import shared_array
from spmd.runtime.arguments.sizes import (
    Size,
    group_size_for,
    make_range,
    required_global_size,
    triple,
    whole_numbers,
)
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.errors import CompileError, LaunchError, compile_errors
from spmd.runtime.kernel import Kernel
from spmd.runtime.launching.launch import Launch
from spmd.runtime.options import CompileOptions
from spmd.runtime.parsing import verify
from spmd.runtime.pipeline import ir_after
from spmd.runtime.program import Program

if TYPE_CHECKING:
    from spmd.reference.checking.findings import Report
    from spmd.runtime.explanation.explanation import Explanation

SOURCE_STAGE = "python"
"""The name of the first stage of a kernel in Python: level 0, as it was translated."""

_OF_A_LAUNCH = ("global_size", "group_size", "threads", "timeout")
_ARRAYS: tuple[type, ...] = (np.ndarray,)
_NUMBERS: tuple[type, ...] = (bool, int, float, np.generic)


class _Compiled(NamedTuple):
    """A kernel for some types of arguments, its IR at level 0, and these types in words."""

    kernel: Kernel
    module: ModuleOp
    """As it was translated."""
    types: str


class PythonKernel:
    """
    A kernel that is written as a function of Python.

    ```python
    @spmd.kernel
    def scale(a, x):
        i = global_id()
        x[i] *= a

    scale(2.0, x, global_size=x.size)
    ```

    It is translated and compiled for the types of the arguments when they are first met:
    the dtype and number of dimensions of an array and whether neighbours are adjacent, the
    type of a number. A parameter annotated with a type of numbers has that type, and one
    annotated `constexpr` is compiled in by its value. Globals are those of that moment.

    Methods take the arguments and sizes of a launch. `docs/python.md` has the language.
    """

    def __init__(
        self,
        function: FunctionType,
        given: Given,
        options: CompileOptions,
    ):
        update_wrapper(self, function)
        self.function = function
        self.name = function.__name__
        self._source = Function(function)
        self._checked_size("sub_group_size", given.sub_group_size)
        size = self._checked_size("group_size", given.group_size)
        self._given = given._replace(group_size=size)
        self._options = options
        self._compiled: dict[tuple[Any, ...], _Compiled] = {}
        self._parameters = self._source.signature.parameters
        self.fixed = self._source.fixed(_OF_A_LAUNCH)

    def replaced(
        self, sizes: Mapping[str, Any], options: Mapping[str, Any]
    ) -> PythonKernel:
        """The same function with other sizes of groups and other options."""
        return PythonKernel(
            self.function,
            self._given._replace(**sizes),
            self._options._replace(**options),
        )

    def __repr__(self) -> str:
        return f"<spmd kernel {self.function.__qualname__}{self._source.signature}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: what it is called with, and what it was compiled for."""
        from html import escape  # no launch needs it

        called = [f"compiled for {each.types}" for each in self._compiled.values()]
        return f"<pre>{escape(chr(10).join([repr(self), *called]))}</pre>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled by its name, or by its text where no other process finds that."""
        by_text = packed(self.function), self._given, self._options
        return named(self) or (_kernel, by_text)

    def __getitem__(self, sizes: object) -> NoReturn:
        """Other languages write sizes in brackets."""
        raise LaunchError(
            f"{self.name}: expected sizes as arguments, got [{sizes}]; {self.name}(..., "
            "global_size=n) runs n work-items, in groups of group_size if that is given"
        )

    def __deepcopy__(self, memo: object) -> PythonKernel:
        """Itself, as of functions: nothing of it changes."""
        return self

    def __call__(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        threads: int | None = None,
        timeout: float | None = None,
        **named: Any,
    ) -> None:
        """Runs the kernel; returns when all is done."""
        self.bind(
            *args,
            global_size=global_size,
            group_size=group_size,
            threads=threads,
            timeout=timeout,
            **named,
        )()

    def bind(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        threads: int | None = None,
        timeout: float | None = None,
        **named: Any,
    ) -> Launch:
        """Checks and compiles everything: see `Kernel.bind`."""
        kernel, values = self.specialised(args, named)
        try:
            return kernel.bind(
                *values,
                global_size=global_size,
                group_size=group_size,
                threads=threads,
                timeout=timeout,
            )
        except CompileError as error:
            from spmd.frontends.python.explaining import respoken

            raise respoken(error) from error.__cause__

    def check(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        schedule: str = "in-order",
        seed: int = 0,
        **named: Any,
    ) -> Report:
        """Runs it in the interpreter, which watches it: see `spmd.check`."""
        from spmd.frontends.python.explaining import spoken

        kernel, values = self.specialised(args, named)
        report = kernel.check(
            *values,
            global_size=global_size,
            group_size=group_size,
            schedule=schedule,
            seed=seed,
        )
        for finding in report.findings:
            finding.message = spoken(finding.message)
        return report

    def interpret(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        schedule: str = "in-order",
        seed: int = 0,
        **named: Any,
    ) -> None:
        """
        Runs the function as what it is, in Python: breakpoints, `print` and all that.

        One work-item runs at a time, up to where it waits for others or to its end, in
        the order of `schedule`: "in-order", "reversed" or "random".
        """
        from spmd.frontends.python.interpreting.run import run

        values = self._bound(args, named)
        arguments = {
            name: self._as_python(name, value)
            for name, value in zip(self._parameters, values, strict=True)
        }
        size = self._given.group_size
        fixed = None if size is None else triple(self.name, "group_size", size, 1)
        extents = required_global_size(self.name, global_size)
        chosen = group_size_for(self.name, fixed, group_size, extents)
        run(
            self.function,
            arguments,
            make_range(self.name, extents, chosen),
            sub_group_size=self._given.sub_group_size,
            schedule=schedule,
            seed=seed,
        )

    def _as_python(self, name: str, value: Any) -> Any:
        """An argument in the type that the parameter has."""
        type_ = self._type(name, value)
        if isinstance(type_, Scalar) and not type_.weak:
            return np.dtype(type_.name).type(value)
        return value

    def type_of(self, variable: str, *args: Any) -> Type:
        """The type that a variable of the function has for these arguments."""
        values = self._bound(args, {})
        with compile_errors(None, f"translating the kernel '{self.name}'"):
            return type_of_variable(self._source, self._types(values), variable)

    def explain(
        self,
        *args: Any,
        global_size: Size | None = None,
        group_size: Size | None = None,
        **named: Any,
    ) -> Explanation:
        """What the compiler makes of it for these arguments: see `Kernel.explain`."""
        kernel, values = self.specialised(args, named)
        from spmd.frontends.python.explaining import PythonExplanation, respoken

        try:
            return PythonExplanation.of(
                kernel.explain(*values, global_size=global_size, group_size=group_size)
            )
        except CompileError as error:
            raise respoken(error) from error.__cause__

    def stages(
        self, *args: Any, group_size: Size | None = None, **named: Any
    ) -> Iterator[tuple[str, str]]:
        """`python` with the IR as it was translated, then as `Kernel.stages`."""
        values = self._bound(args, named)
        kernel, module, _ = self._for(values)
        yield SOURCE_STAGE, str(module)
        yield from kernel.stages(group_size=group_size)

    def ir(
        self, stage: str, *args: Any, group_size: Size | None = None, **named: Any
    ) -> str:
        """The IR after `stage`, one of those that `stages` lists."""
        return ir_after(self.stages(*args, group_size=group_size, **named), stage)

    def _checked_size(self, what: str, size: Size | None) -> tuple[int, ...] | None:
        try:
            return None if size is None else whole_numbers(size)
        except TypeError:
            raise CompileError(
                f"{self.name}: expected {what} as a whole number, or as a tuple of them if "
                f"it is the group_size, got {size!r}"
            ) from None

    # --- types of arguments -----------------------------------------------------------

    def specialised(
        self, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[Kernel, list[Any]]:
        """The kernel for these arguments, and those that it gets at run time."""
        values = self._bound(args, named)
        kernel = self._for(values).kernel
        if self.fixed or NoneType in map(type, values):
            pairs = zip(self._parameters, values, strict=True)
            rest = [(n, value) for n, value in pairs if not self._is_known(n, value)]
            for name, value in rest:
                if (why := why_not(self.fixed.get(name), value)) is not None:
                    raise LaunchError(f"{self.name}: argument {name}: {why}")
            values = [value for _, value in rest]
        return kernel, values

    def _is_known(self, name: str, value: Any) -> bool:
        """Whether the argument is compiled in: `None` stands for what is not there."""
        return self.fixed.get(name, constexpr if value is None else None) is constexpr

    def _bound(self, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """The arguments in the order of the parameters, arrays as NumPy has them."""
        if named or len(args) != len(self._parameters):
            try:
                bound = self._source.signature.bind(*args, **named)
            except TypeError as error:
                raise LaunchError(f"{self.name}: {error}") from None
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        return [
            each if isinstance(each, (*_ARRAYS, *_NUMBERS)) else self._shared(each)
            for each in args
        ]

    def _shared(self, value: Any) -> Any:
        try:
            array = shared_array(value)
        except ValueError as error:
            raise LaunchError(f"{self.name}: {error}") from None
        return value if array is None else array

    def _for(self, values: list[Any]) -> _Compiled:
        """What was compiled for the types of `values`."""
        key: tuple[Any, ...] = tuple(
            (value.dtype, known_layout(value))
            if type(value) is np.ndarray
            else self._key(name, value)
            for name, value in zip(self._parameters, values, strict=True)
        )
        try:
            found = self._compiled.get(key)
        except TypeError:
            raise LaunchError(
                f"{self.name}: expected constexpr arguments that are hashable, such as "
                "numbers and tuples"
            ) from None
        if found is None:
            found = self._compiled[key] = self._compile(values)
        return found

    def _key(self, name: str, value: Any) -> Any:
        """What decides how an argument other than a plain array is compiled."""
        fixed = self.fixed.get(name)
        if fixed is constexpr:
            return exactly(value)
        if isinstance(value, _ARRAYS):
            return value.dtype, known_layout(value)
        return cast(object, fixed or type(value))

    def _compile(self, values: list[Any]) -> _Compiled:
        arguments = self._types(values)
        with compile_errors(None, f"translating the kernel '{self.name}'"):
            module = translate(self._source, arguments, self._given)
        verify(module, None)
        try:
            kernel = Program(Unit(None, self._options, module)).kernels[self.name]
        except CompileError as error:
            from spmd.frontends.python.explaining import respoken

            raise respoken(error) from error.__cause__
        types = ", ".join(f"{n}: {in_words(t)}" for n, t in arguments.items())
        return _Compiled(kernel, module, types)

    def _types(self, values: list[Any]) -> dict[str, Scalar | Array | Value]:
        pairs = zip(self._parameters, values, strict=True)
        return {name: self._type(name, value) for name, value in pairs}

    def _type(self, name: str, value: Any) -> Scalar | Array | Value:
        """How an argument is compiled: as its type, or by its value."""
        if self._is_known(name, value):
            return value_of(value)
        if isinstance(fixed := self.fixed.get(name), Scalar):
            return fixed
        is_array = isinstance(value, _ARRAYS)
        found = array_type(value) if is_array else type_of_number(value)
        if found is None:
            raise LaunchError(f"{self.name}: argument {name}: {no_argument(value)}")
        return found


def _kernel(given: Packed, *rest: Any) -> PythonKernel:
    return PythonKernel(unpacked(given), *rest)
