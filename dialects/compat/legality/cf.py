"""Switches of which every case can be taken."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import cf
from xdsl.dialects.builtin import IndexType, IntegerType

from spmd.dialects.element_types import INDEX_BYTES


def why_equal_cases(op: cf.SwitchOp) -> str | None:
    """Why one value of the flag would lead to several blocks; verifiers count the cases."""
    if op.case_values is None:
        return None
    type_ = cast("IntegerType | IndexType", op.flag.type)
    bits = 8 * INDEX_BYTES if isinstance(type_, IndexType) else type_.width.data
    seen = set[int]()
    for value in map(int, op.case_values.get_values()):
        pattern = value & (1 << bits) - 1  # 200 and -56 are one i8
        if pattern in seen:
            return f"expected cases that differ, got {value} twice"
        seen.add(pattern)
    return None
