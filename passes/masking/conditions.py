"""
What control flow depends on is known to be uniform, also under masks.

A range that made a condition uniform may be lost: inactive lanes divide by 1, and what all
lanes have becomes a reduction. Then the next step could not tell that it is uniform. So
the condition is read again, from the active lanes.

```mlir
// before: uniform, as %row is 0 and %id below 64
%left = arith.subi %c64, %row : i32
%most = arith.maxui %id, %left : i32
%in = arith.cmpi eq, %most, %c64 : i32
scf.if %in { ... }

// after, where only the lanes of %exists have a %row
%asked = arith.select %exists, %in, %false : i1
%in_1 = spmd.reduce or %asked across sub_group : i1
scf.if %in_1 { ... }
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from spmd.analysis.divergence.analyze import Divergence, analyze_sub_group
from spmd.dialects.building import Builder
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.spmd import SubGroupOp
from spmd.passes.masking.masks import Mask, Masks


def rests_on_ranges(group: SubGroupOp, divergence: Divergence) -> bool:
    """Whether something is uniform in spite of what it is computed from, or decided by."""
    is_uniform = divergence.is_uniform
    for op in group.body.walk():
        if any(map(is_uniform, op.results)) and not all(map(is_uniform, op.operands)):
            return True
        if not divergence.is_divergent(op) and not all(
            is_uniform(decision.value) for decision in decisions(op)
        ):
            return True
    return False


def ask_active_lanes(
    group: SubGroupOp, kept: Sequence[tuple[Operation, Mask]], masks: Masks
) -> None:
    """Make sure that what decides in `kept`, under masks, is known to be uniform."""
    if not kept:
        return
    divergence = analyze_sub_group(group)
    for op, mask in kept:
        for anchor, number in decisions(op):
            value = anchor.operands[number]
            if not divergence.is_uniform(value):
                at = Builder.before(anchor)
                anchor.operands[number] = masks.read_first_active(value, mask.value, at)
