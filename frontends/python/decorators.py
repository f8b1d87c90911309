"""`@spmd.kernel` and `@spmd.function`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, overload

from spmd.frontends.python.kernel import PythonKernel
from spmd.frontends.python.source import Function
from spmd.runtime.arguments.sizes import Size
from spmd.runtime.errors import CompileError
from spmd.runtime.options import CompileOptions


@overload
def kernel(function: Callable[..., None], /) -> PythonKernel: ...
@overload
def kernel(
    *,
    group_size: Size | None = None,
    sub_group_size: int | None = None,
    **options: Any,
) -> Callable[[Callable[..., None]], PythonKernel]: ...
def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    group_size: Size | None = None,
    sub_group_size: int | None = None,
    **options: Any,
) -> PythonKernel | Callable[[Callable[..., None]], PythonKernel]:
    """
    Makes a kernel of a function of Python: the program of one work-item.

    `group_size` and `sub_group_size` fix the sizes of groups; `options` are those of
    `spmd.compile`. Errors in the function are raised when it is first called.
    """
    checked = CompileOptions.from_user(options)

    def make(function: Callable[..., None]) -> PythonKernel:
        return PythonKernel(
            _plain(function, "kernel"), group_size, sub_group_size, checked
        )

    return make if function is None else make(function)


def function(function: Callable[..., Any]) -> Function:
    """Marks a function of Python that kernels may call. It is written where it is called."""
    return Function(_plain(function, "function"))


def _plain(function: object, decorator: str) -> FunctionType:
    if isinstance(function, FunctionType):
        return function
    raise CompileError(
        f"expected a function defined by def after @spmd.{decorator}, got "
        f"{type(function).__name__}"
    )
