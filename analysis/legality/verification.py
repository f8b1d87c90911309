"""What xDSL 0.74 leaves unchecked, so that no wrong kernel is compiled."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from spmd.analysis.legality.dominance import find_use_before_definition
from spmd.analysis.legality.forwarded_values import verify_forwarded_values
from spmd.dialects.diagnostics import fail
from spmd.dialects.interfaces.legality import HostOnly, Legality
from spmd.dialects.spmd import KernelOp
from spmd.dialects.work_groups import WORK_ITEMS


def verify_converted(module: ModuleOp) -> None:
    """Fail on the first op of a module, made of other dialects, that is not valid or legal."""
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            fail(op, f"'{op.name}': {error}")
    verify_legality(module)


def verify_legality(module: ModuleOp) -> None:
    """Fail on the first op of a module, which xDSL has verified, that is not legal."""
    for top in module.ops:
        for_work_items = isinstance(top, KernelOp)
        unregistered: UnregisteredOp | None = None
        for op in top.walk():
            if isinstance(op, UnregisteredOp):
                unregistered = unregistered or op
            for_work_items = for_work_items or WORK_ITEMS in op.attributes
            verify_op(op)
            if for_work_items:
                HostOnly.verify_for_work_items(op)
        if unregistered is not None and for_work_items:
            name = unregistered.op_name.data
            fail(
                unregistered,
                f"expected an operation that is registered, got '{name}': nobody knows "
                f"what it does with work-items; load the dialect "
                f"'{name.partition('.')[0]}'",
            )
    if (found := find_use_before_definition(module)) is not None:
        op, value = found
        fail(op, f"expected {_name(value)} to be defined before '{op.name}' uses it")


def verify_op(op: Operation) -> None:
    """Fail on `op`, without what is inside of it, if it is not legal."""
    legality = Legality.of(op)
    if legality is not None and (why := legality.why_illegal(op)) is not None:
        fail(op, f"'{op.name}': {why}")
    if op.regions or op.successors:
        verify_forwarded_values(op)


def _name(value: SSAValue) -> str:
    return f"value %{value.name_hint}" if value.name_hint else "an operand"
