"""
Control flow forwards as many values as its targets take, of the same types.

MLIR's `verifyTypesAlongControlFlowEdges`, for regions and for blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.control_flow import (
    Forwarding,
    Operand,
    RegionBranch,
    RegionTerminator,
    Runs,
    ends_of,
    forwarded,
)


def verify_forwarded_values(op: Operation) -> None:
    """Fail on `op` if it is a branch, or has regions, and an edge is wrong."""
    if op.successors:
        _verify_successors(op)
    flow = RegionBranch.of(op) if op.regions else None
    for region in op.regions:
        if flow is None and len(region.blocks) < 2:
            continue
        if any(block.last_op is None for block in region.blocks):
            fail(op, "expected every block to end in a terminator, got an empty one")
    if flow is None or op.get_trait(IsolatedFromAbove) is not None:
        return  # what a kernel takes comes from its launches
    for source in (None, *op.regions):
        for end in (op,) if source is None else ends_of(source):
            _verify_end(op, flow, source, end)


def _verify_successors(op: Operation) -> None:
    groups = forwarded(op)
    if Forwarding.of(op) is None:
        return
    if len(groups) != len(op.successors):
        fail(
            op,
            f"expected operands for {len(op.successors)} successors, got them for "
            f"{len(groups)}",
        )
    region = parent_block(op).parent
    first = None if region is None else region.first_block
    for target, operands in zip(op.successors, groups, strict=True):
        if target is first:
            fail(op, "expected another successor than the block that is entered first")
        if _types(target.args) != (got := _types(each.value for each in operands)):
            fail(
                op,
                f"expected values of types {_shown(_types(target.args))} for the "
                f"arguments of the successor, got {_shown(got)}",
            )


def _verify_end(
    op: Operation, flow: RegionBranch, source: Region | None, end: Operation
) -> None:
    if source is not None:
        leaves = RegionTerminator.of(end)
        decides = flow.runs is Runs.LOOP and source is not op.regions[-1]
        if leaves is None or bool(leaves.decides) != decides:
            fail(
                end,
                f"expected another end of the region of '{op.name}', got '{end.name}'",
            )
    operands: Sequence[Operand] = next(iter(forwarded(end)), ())
    got = _types(operand.value for operand in operands)
    for target in flow.successors(op, source):
        expected = _types(flow.inputs(op, target))
        if got == expected or (source is None and flow.may_skip):
            continue  # what is skipped may leave its results undefined
        if source is None and target is None:
            fail(
                op,
                f"expected '{op.name}' to have an else region, which yields values of "
                f"types {_shown(expected)}, got none",
            )
        where = "results" if target is None else "arguments of the region"
        fail(
            end,
            f"expected values of types {_shown(expected)} for the {where} of "
            f"'{op.name}', got {_shown(got)}",
        )


def _types(values: Iterable[SSAValue]) -> list[Attribute]:
    return [value.type for value in values]


def _shown(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"
