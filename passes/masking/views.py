"""Memrefs that are made under a mask and used behind it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.passes.masking.speculation import needs_mask


def is_used_behind(value: SSAValue, members: set[Operation]) -> bool:
    """Whether others than `members` use `value`; regions inside of them are others."""
    return any(use.operation not in members for use in value.uses)


def views_used_behind(
    ops: Sequence[Operation], members: set[Operation]
) -> dict[Operation, None]:
    """Those of `ops` that make memrefs used behind them, and that can be made again."""
    found: set[Operation] = set()
    for op in reversed(ops):
        if (
            any(isinstance(result.type, MemRefType) for result in op.results)
            and not isinstance(op, memref.AllocaOp)
            and not needs_mask(op)
            and any(
                is_used_behind(result, members)
                or any(use.operation in found for use in result.uses)
                for result in op.results
            )
        ):
            found.add(op)
    return {op: None for op in ops if op in found}
