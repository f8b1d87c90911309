"""Ops of frontends that mean what a Python function does with their operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation, SSAValue

from spmd.dialects.diagnostics import KernelError
from spmd.reference.compiler import Body, as_tuple
from spmd.reference.errors import Trap, UndefinedBehavior
from spmd.reference.memory import MemRef
from spmd.reference.scalars import INDEX, Scalar, as_memref
from spmd.reference.semantics.expressions import element, elementwise, rounded
from spmd.reference.semantics.upstream.memref import (
    element_in_memory,
    loaded,
    memref_type,
    outside,
    stored,
)


class Elements:
    """
    A memref, to the function that an op with this operand means: `array[i, j]`.

    Every access is checked, as that of `memref.load` and `memref.store` is.
    """

    def __init__(
        self,
        memory: MemRef,
        read: Callable[[Any], Any],
        write: Callable[[Any], Any],
        site: int,
        watched: tuple[Any, Any] | None,
    ):
        self._memory, self._read, self._write = memory, read, write
        self._site, self._watched = site, watched
        self.shape = memory.sizes

    def __getitem__(self, at: int | tuple[int, ...]) -> Any:
        indices = _indices(at)
        if self._watched is not None:
            check, item = self._watched
            return self._read(check.load(item, self._memory, indices, self._site))
        return self._read(self._memory.data[self._position(indices)])

    def __setitem__(self, at: int | tuple[int, ...], value: Any) -> None:
        indices, contents = _indices(at), self._write(value)
        if self._watched is not None:
            check, item = self._watched
            check.store(item, self._memory, indices, contents, self._site)
        else:
            self._memory.data[self._position(indices)] = contents

    def _position(self, indices: tuple[int, ...]) -> int:
        pairs = zip(indices, self._memory.sizes, strict=True)
        if any(index >= size for index, size in pairs):
            outside(self._site, self._memory, indices)
        return self._memory.position(indices)


def _indices(at: int | tuple[int, ...]) -> tuple[int, ...]:
    """As the interpreter has them: bits, so that a negative one is huge."""
    return tuple(i & INDEX.mask for i in (at if isinstance(at, tuple) else (at,)))


def computed_by(body: Body, op: Operation, function: Callable[..., Any]) -> None:
    """The results of `op` are `function` of its operands, memrefs being `Elements`."""
    name = body.program.bind(_named(op, function), "function")
    if len(op.results) == 1 and not any(as_memref(v.type) for v in op.operands):
        arguments = ", ".join(f"{{{n}}}" for n in range(len(op.operands)))
        scalar = element(op.results[0].type, op)
        text = f"{name}({arguments})" + ("" if scalar.is_float else " & {t.mask}")
        elementwise(body, op, text, rounds=scalar.is_float)
        return
    numbers = [value for value in op.operands if as_memref(value.type) is None]
    body.require(numbers, op, "operand")
    arguments = ", ".join(_argument(body, op, value) for value in op.operands)
    call = f"{name}({arguments})"
    if len(op.results) == 1:
        call = f"({call},)"
    found = body.fresh("results")
    body.line(f"{found} = {call}")
    for number, result in enumerate(op.results):
        scalar = element(result.type, op)
        body.let(result, _fitted(scalar, f"{found}[{number}]"))


def _named(op: Operation, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, whose own errors name the op."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (Trap, UndefinedBehavior):
            raise
        except Exception as error:
            raise KernelError(
                f"the Meaning of {op.name} failed: {type(error).__name__}: {error}", op
            ) from error

    return call


def _fitted(scalar: Scalar, text: str) -> str:
    """What a Python function gave, as a value of this type."""
    return rounded(text, scalar) if scalar.is_float else f"{text} & {scalar.mask}"


def _argument(body: Body, op: Operation, value: SSAValue) -> str:
    if as_memref(value.type) is None:
        return body.use(value)
    scalar = element_in_memory(memref_type(value, op), op)
    contents = stored(scalar, _fitted(scalar, "x"))
    texts = {"read": loaded(scalar, "x"), "write": contents}
    names: list[str] = []
    for hint, text in texts.items():
        name = body.program.bind(None, hint)
        body.program.define(f"def {name}(x): return {text}", name)
        names.append(name)
    watched = as_tuple(("check", "w")) if body.checked else "None"
    elements = body.program.bind(Elements, "elements")
    arguments = ", ".join((body.use(value), *names, str(body.site(op)), watched))
    return f"{elements}({arguments})"
