"""The variables of a function: what they are at a point, and their one type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from spmd.dialects.rewriting import hint
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.source import Node
from spmd.frontends.python.types import Array, Scalar, Type, join
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Value,
    described,
    leaves,
)

Name = tuple[object, ...]
"""A variable by the calls it stands in, and its name."""


@dataclass(frozen=True)
class Unset:
    """Of a variable that does not have a value on every path to here, and why."""

    why: str


Environment = dict[str, "Value | Unset"]
"""What the variables are at a point."""


class Variables:
    """
    The type that each variable has in the whole function.

    It is the join of all that is assigned to it. Where a variable is used before all of
    that is known, the function is translated again with what was found.
    """

    def __init__(self, declared: dict[Name, Type]):
        self._declared = declared
        self._found: dict[Name, tuple[Type, int]] = {}
        self.is_settled = True
        """Whether no variable had another type before all of its assignments were met."""

    def found(self) -> dict[Name, Type]:
        """The types that are known now."""
        return self._declared | {
            name: type_ for name, (type_, _) in self._found.items()
        }

    def assign(self, e: Emitter, name: Name, value: Value, node: Node) -> Value:
        """`value` as the variable has it, after `node` assigns it."""
        type_, line = value.type, e.source.place(node)[1]
        if name in self._found:
            known, line = self._found[name]
            joined = join(known, type_)
            if joined is None:
                e.fail(
                    f"expected one type for the variable {name[-1]}, got {described(known)} "
                    f"in line {line} and {described(type_)} here; {_advice(known, type_)}",
                    node,
                )
            self.is_settled &= joined == known
            type_ = joined
        if (declared := self._declared.get(name)) is not None:
            type_ = join(declared, type_) or type_
        self._found[name] = type_, line
        return adapted(e, value, type_)


def _advice(known: Type, other: Type) -> str:
    if isinstance(known, Scalar) and isinstance(other, Scalar):
        return f"convert one, as in {known.written}(...)"
    if isinstance(known, Array) and described(known) == described(other):
        return (
            "their elements lie in other places in memory, as of x, x.T and x[::2], so "
            "that accesses differ; use two variables, or np.ascontiguousarray before"
        )
    if "a NoneType None" in (described(known), described(other)):
        return "use a number such as -1 that says that there is none"
    return "use two variables"


def adapted(e: Emitter, value: Value, type_: Type) -> Value:
    """`value` with the types of its numbers as in `type_`, which has its structure."""
    match value:
        case Constant() | Number():
            return e.convert(value, type_)  # pyright: ignore[reportArgumentType]
        case Items(values):
            items = getattr(type_, "items", ())
            return Items(
                tuple(
                    adapted(e, each, item)
                    for each, item in zip(values, items, strict=True)
                )
            )
        case _:
            return value


def name_value(value: Value, name: str) -> None:
    """Name the operations of `value` after a variable."""
    if isinstance(value, Number | Memory) and name.isascii() and name[0] != "$":
        hint(value.ssa, name)


def same(one: Value | Unset | None, other: Value | Unset | None) -> bool:
    """Whether two paths agree on a value, so that nothing has to choose."""
    if isinstance(one, Constant) and isinstance(other, Constant):
        # Not by value: 0.0 equals -0.0, and NaN does not equal itself.
        return one.type == other.type and repr(one.value) == repr(other.value)
    if isinstance(one, Items) and isinstance(other, Items):
        return len(one.values) == len(other.values) and all(
            map(same, one.values, other.values)
        )
    return one == other


def joined_value(e: Emitter, name: str, values: Sequence[Value]) -> Value:
    """
    A value with the structure and the types of all of `values`.

    It is one of them, with the types of the join; an error about the variable `name` if
    there is none.
    """
    type_ = values[0].type
    for each in values[1:]:
        joined = join(type_, each.type)
        if joined is None:
            e.fail(
                f"expected one type for {_shown(name)} on all paths to here, got "
                f"{described(type_)} and {described(each.type)}"
            )
        type_ = joined
    return adapted_type(values[0], type_)


def adapted_type(value: Value, type_: Type) -> Value:
    """`value` as a pattern: the same structure, with the types of `type_`."""
    match value:
        case Constant() | Number():
            return Constant(type_, 0)  # pyright: ignore[reportArgumentType]
        case Items(values):
            items = getattr(type_, "items", ())
            return Items(tuple(map(adapted_type, values, items)))
        case _:
            return value


def _shown(name: str) -> str:
    return "what is returned" if name[0] == "$" else f"the variable {name}"


def fail_unset(e: Emitter, name: str, why: str) -> NoReturn:
    """The error of a variable that may have no value."""
    e.fail(f"expected a value of {name} on every path to here, got none {why}")


def ssa_leaves(e: Emitter, value: Value) -> list[Number | Memory | Constant]:
    """The numbers and arrays of a value, which values of IR stand for."""
    return [each for each in leaves(value) if not isinstance(each, Host)]
