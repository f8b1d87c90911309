"""`@spmd.kernel` and `@spmd.function`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, overload

from xdsl.dialects.utils import FastMathFlag

from spmd.frontends.python.kernel import PythonKernel
from spmd.frontends.python.source import Function
from spmd.frontends.python.translate import Given
from spmd.runtime.arguments.sizes import Size
from spmd.runtime.errors import CompileError
from spmd.runtime.options import CompileOptions

_OF_VALUES = FastMathFlag.NO_NANS, FastMathFlag.NO_INFS
"""What makes results undefined; other flags only round otherwise."""


@overload
def kernel(function: Callable[..., None], /) -> PythonKernel: ...
@overload
def kernel(
    *,
    group_size: Size | None = None,
    sub_group_size: int | None = None,
    fastmath: bool | str | Iterable[str] = False,
    **options: Any,
) -> Callable[[Callable[..., None]], PythonKernel]: ...
def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    group_size: Size | None = None,
    sub_group_size: int | None = None,
    fastmath: bool | str | Iterable[str] = False,
    **options: Any,
) -> PythonKernel | Callable[[Callable[..., None]], PythonKernel]:
    """
    Makes a kernel of a function of Python: the program of one work-item.

    `group_size` and `sub_group_size` fix the sizes of groups. With `fastmath` arithmetic of
    floats may be rounded otherwise: sums in another order, a product and a sum at once, a
    product by the reciprocal for a quotient, -0 for 0. It may name flags of LLVM instead,
    "contract", say; of these "nnan" and "ninf" leave results undefined where there are NaNs
    or infinities. `options` are those of `spmd.compile`. Errors in the function are raised
    when it is first called.
    """
    checked = CompileOptions.from_user(options)
    given = Given(group_size, sub_group_size, _flags(fastmath))

    def make(function: Callable[..., None]) -> PythonKernel:
        return PythonKernel(_plain(function, "kernel"), given, checked)

    return make if function is None else make(function)


def function(function: Callable[..., Any]) -> Function:
    """Marks a function of Python that kernels may call. It is written where it is called."""
    return Function(_plain(function, "function"))


def _flags(fastmath: bool | str | Iterable[str]) -> frozenset[FastMathFlag]:
    if isinstance(fastmath, bool):
        return (
            frozenset(FastMathFlag).difference(_OF_VALUES) if fastmath else frozenset()
        )
    try:
        return frozenset(
            map(FastMathFlag, [fastmath] if isinstance(fastmath, str) else fastmath)
        )
    except (TypeError, ValueError):
        raise CompileError(
            f"expected fastmath to be True, or any of {', '.join(FastMathFlag)}, got "
            f"{fastmath!r}"
        ) from None


def _plain(function: object, decorator: str) -> FunctionType:
    if isinstance(function, FunctionType):
        return function
    raise CompileError(
        f"expected a function defined by def after @spmd.{decorator}, got "
        f"{type(function).__name__}"
    )
