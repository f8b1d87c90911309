"""Code of a host function becomes a kernel: its name, and the values from outside that it uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import KernelOp


def is_computed_again(value: SSAValue) -> bool:
    """Whether a kernel makes `value` itself: constants, and the addresses of globals."""
    owner = value.owner
    return (
        isinstance(owner, Operation)
        and not owner.operands
        and FunctionOfOperands.of(owner) is not None
    )


def free_name(function: func.FuncOp, suffix: str) -> str:
    """A name that no symbol has, for a kernel of `function`."""
    base = name = f"{function.sym_name.data}_{suffix}"
    number = 0
    while SymbolTable.lookup_symbol(function, name) is not None:
        number += 1
        name = f"{base}_{number}"
    return name


def values_inside(
    captured: Iterable[SSAValue],
    passed: Iterable[SSAValue],
    arguments: Sequence[SSAValue],
    at: Builder,
    constants: ConstantPool,
) -> dict[SSAValue, SSAValue]:
    """What stands for the `captured` values in a kernel: `arguments` for those `passed`."""
    known: dict[SSAValue, SSAValue] = {}
    known.update(zip(passed, arguments, strict=False))
    for value in captured:
        if value not in known:
            owner = value.owner
            assert isinstance(owner, Operation)
            if isinstance(owner, arith.ConstantOp):
                known[value] = constants.get(owner.value, value.name_hint)  # pyright: ignore[reportArgumentType]
            else:
                known[value] = at.add(owner.clone(), value)
    for value, argument in known.items():
        hint(argument, value)
    return known


def use_inside(kernel: KernelOp, known: dict[SSAValue, SSAValue]) -> None:
    """Let `kernel` use what stands for values from outside."""
    for value, new in known.items():
        value.replace_uses_with_if(new, lambda use: kernel.is_ancestor(use.operation))
