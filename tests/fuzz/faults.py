"""
Kernels in which work-items access an element that is not there, divide by zero, or stand still.

Of a legal kernel, an index of one access, one divisor or the step of one loop is replaced in
the work-items of one global id, or in all. The interpreter finds the fault if one of them
comes to it; checked native code must then say the same of the same op, and else do what the
kernel does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, UnitAttr, i1
from xdsl.ir import Operation, SSAValue

import spmd
from spmd import CompileError, LaunchError
from spmd.dialects.building import Builder
from spmd.dialects.diagnostics import source_location
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.interfaces.speculation import is_integer_division
from spmd.dialects.spmd import GlobalIdOp
from spmd.dialects.spmd.types import is_integer
from tests.execution.harness import (
    assert_same,
    kernel_name,
    make,
    parsed,
    target_for,
)
from tests.fuzz.properties import STRATEGIES, WIDTHS, may_be_refused, watch
from tests.fuzz.writing.programs import Kernel, write_kernel
from tests.fuzz.writing.writer import Choose

UNEQUAL = "where the lanes of a sub-group are in the same iteration of every loop"
"""What a loop with barriers and sub-group operations is refused for."""

AT_FAULT = "fuzz.fault"
"""The attribute of the op at fault."""


def write_kernel_at_fault(choose: Choose) -> Kernel:
    """A kernel that is legal but for one op."""
    kernel = write_kernel(choose)
    module = parsed(kernel.source).clone()
    spots = _spots(module)
    if not spots:
        return kernel
    op, operand = spots[choose(len(spots))]
    victim = choose(kernel.launch.global_size[0])
    if is_integer_division(op):
        wrong = 0
    elif isinstance(op, scf.ForOp):
        wrong = -choose(2)
    else:
        wrong = (1 << 20, -1, -(1 << 40), 1 << 62)[choose(4)]
    at = Builder.before(op)
    if choose(4):
        i = at.add(GlobalIdOp("x"))
        number = at.add(arith.ConstantOp(IntegerAttr(victim, IndexType())))
        here = at.add(arith.CmpiOp(i, number, "eq"))
    else:
        here = at.add(arith.ConstantOp(IntegerAttr(1, i1)))
    right = op.operands[operand]
    bad = at.add(arith.ConstantOp(IntegerAttr(wrong, right.type)))  # pyright: ignore
    op.operands[operand] = at.add(arith.SelectOp(here, bad, right))
    op.attributes[AT_FAULT] = UnitAttr()
    return replace(kernel, source=str(module))


def _spots(module: ModuleOp) -> list[tuple[Operation, int]]:
    """The operands of ops that may be replaced."""
    spots: list[tuple[Operation, int]] = []
    for op in module.walk():
        if is_integer_division(op) and is_integer(op.operands[1].type):
            spots.append((op, 1))
        elif isinstance(op, scf.ForOp):
            spots.append((op, 2))
        elif (access := MemoryAccess.of(op)) is not None:
            indices: tuple[SSAValue, ...] = access.indices(op) or ()
            first = len(op.operands) - len(indices)
            spots += [(op, first + n) for n in range(len(indices))]
    return spots


def check_reported(kernel: Kernel, number: int) -> None:
    """The interpreter and native code agree on whether there is a fault, and where."""
    module = parsed(kernel.source)
    found = [op for op in module.walk() if AT_FAULT in op.attributes]
    if not found:
        return
    place = f"{source_location(found[0])}: "
    report, want = watch(kernel.source, kernel)
    wrong = [str(each) for each in report.errors if place in str(each)]
    options: dict[str, Any] = {
        "vectorize": number % 3 > 0,
        "width": WIDTHS[number % len(WIDTHS)],
        "strategy": STRATEGIES[number // 2 % 2],
        "target": target_for(kernel.source),
    }
    with may_be_refused(kernel):
        program = spmd.compile(module, checked=True, **options)
        args = make(kernel.arguments, kernel.launch)
        sizes = kernel.launch.global_size, kernel.launch.group_size
        try:
            program[kernel_name(module)](
                *args, global_size=sizes[0], group_size=sizes[1], threads=1
            )
        except CompileError as error:
            # Steps that differ make a loop one in which lanes do not stay together.
            if not isinstance(found[0], scf.ForOp) or UNEQUAL not in str(error):
                raise
        except LaunchError as error:
            message = str(error)
            if not wrong:
                raise AssertionError(f"only native code finds: {message}") from None
            if place not in message:
                raise AssertionError(f"{wrong[0]}\nnot\n{message}") from None
        else:
            if wrong:
                raise AssertionError(f"native code does not find: {wrong[0]}")
            assert_same(args, want, kernel.tolerance, "checked code")
