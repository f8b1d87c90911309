"""
The reference of the ops in `docs/language.md`, made from their docstrings.

`python -m tests.docs.op_reference` writes it anew.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from xdsl.ir import Operation

from spmd.dialects.spmd import (
    SPMD,
    AllOp,
    AnyOp,
    AtomicCasOp,
    AtomicRmwOp,
    BallotOp,
    BarrierOp,
    BroadcastOp,
    ElectOp,
    EnqueuedLocalSizeOp,
    FailOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    KernelOp,
    LaneIdOp,
    LaunchOp,
    LocalAllocOp,
    LocalIdOp,
    LocalSizeOp,
    MaskedOp,
    NumGroupsOp,
    NumSubGroupsOp,
    ReduceOp,
    ReturnOp,
    ScanOp,
    ShuffleOp,
    SubGroupIdOp,
    SubGroupOp,
    SubGroupSizeOp,
    YieldOp,
)

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "language.md"

CHAPTERS: dict[str, tuple[type[Operation], ...]] = {
    "Kernels and local memory": (KernelOp, ReturnOp, LocalAllocOp),
    "Ids and sizes": (
        GlobalIdOp,
        LocalIdOp,
        GroupIdOp,
        GlobalSizeOp,
        LocalSizeOp,
        EnqueuedLocalSizeOp,
        NumGroupsOp,
        LaneIdOp,
        SubGroupIdOp,
        SubGroupSizeOp,
        NumSubGroupsOp,
    ),
    "Barriers": (BarrierOp,),
    "Collectives": (
        ReduceOp,
        ScanOp,
        BroadcastOp,
        ShuffleOp,
        AnyOp,
        AllOp,
        BallotOp,
        ElectOp,
    ),
    "Atomics": (AtomicRmwOp, AtomicCasOp),
    "Launches": (LaunchOp,),
    "Run-time checks": (FailOp,),
    "Lanes and masks": (SubGroupOp, MaskedOp, YieldOp),
}
"""The ops in the order of the document."""

BEGIN = "<!-- begin of the op reference -->\n"
END = "<!-- end of the op reference -->\n"

INTRODUCTIONS = {
    "Run-time checks": "A condition that a kernel itself checks is a `cf.assert`. The passes "
    "that check barriers use this op, because their messages have numbers in them.",
    "Lanes and masks": "Frontends do not write these ops: `vectorize` makes them on its "
    "way from loops to vectors.",
}


def reference() -> str:
    """The chapters on the ops."""
    parts: list[str] = []
    for title, ops in CHAPTERS.items():
        parts.append(f"### {title}")
        if title in INTRODUCTIONS:
            parts.append(INTRODUCTIONS[title])
        for op in ops:
            parts.append(f"#### `{op.name}`")
            parts.append(inspect.cleandoc(op.__doc__ or ""))
    return "\n\n".join(parts) + "\n"


def updated(text: str) -> str:
    """The document with the reference as it should be."""
    assert {op for ops in CHAPTERS.values() for op in ops} == set(SPMD.operations)
    between = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.DOTALL)
    assert between.search(text), f"expected {BEGIN!r} and {END!r} in the document"
    return between.sub(lambda _: f"{BEGIN}\n{reference()}\n{END}", text)


if __name__ == "__main__":
    DOCUMENT.write_text(updated(DOCUMENT.read_text()))
