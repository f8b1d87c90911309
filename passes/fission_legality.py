"""
Whether deep loop fission is right for a kernel.

Control flow that contains a barrier moves outside of the work-item loops, so all
work-items must take the same way through it: its condition (or bounds) must be proved
uniform. A work-item that leaves the control flow earlier than another would otherwise be
dragged along, which is wrong and not only slow:

```mlir
scf.for %i = %c0 to %trips step %c1 {   // %trips = 2 + local id
  ...                                   // must not run when %i >= %trips
  scf.if %early {                       // %i < 2: a legal barrier
    spmd.barrier
  }
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.barrier_regions import BarrierRegions
from spmd.analysis.divergence import Divergence
from spmd.dialects.spmd import KernelOp


class Problem(NamedTuple):
    """Why a kernel cannot be split, and the operation that is the reason."""

    op: Operation
    reason: str


def why_not_fission(
    kernel: KernelOp, regions: BarrierRegions, divergence: Divergence
) -> Problem | None:
    """Why deep loop fission would be wrong, or is not possible, for `kernel`."""
    if regions.barriers and len(kernel.body.blocks) > 1:
        return Problem(
            regions.barriers[0],
            "expected a barrier in structured control flow, got one in a kernel body of "
            f"{len(kernel.body.blocks)} blocks; write it with scf.if, scf.for and "
            "scf.while: strategy=fission does not split unstructured control flow",
        )
    for carrier in regions.carriers:
        if not isinstance(
            carrier, scf.IfOp | scf.ForOp | scf.WhileOp | scf.IndexSwitchOp
        ):
            return Problem(
                carrier,
                "expected barriers inside of scf.if, scf.for, scf.while and "
                f"scf.index_switch only, got one inside of {carrier.name}",
            )
        for what, value in _decisions(carrier):
            if not divergence.is_uniform(value):
                return Problem(
                    carrier,
                    f"expected the {what} of {carrier.name} to be the same in all "
                    "work-items of the group, because there is a barrier inside: it is "
                    f"not proved uniform ({_why_varying(divergence, value)}); "
                    "strategy=fission cannot split here",
                )
        for value in (*carrier.results, *_arguments(carrier)):
            if isinstance(value.type, MemRefType) and not divergence.is_uniform(value):
                return Problem(
                    carrier,
                    f"expected the memref that {carrier.name} passes on across a barrier "
                    "to be the same in all work-items of the group; pass the indices on "
                    "and take the subview behind the barrier",
                )
    return None


def _why_varying(divergence: Divergence, value: SSAValue) -> str:
    return "; ".join(divergence.why_varying(value).splitlines())


def _decisions(carrier: Operation) -> Iterator[tuple[str, SSAValue]]:
    """The values that decide which way control flow takes."""
    match carrier:
        case scf.IfOp():
            yield "condition", carrier.cond
        case scf.IndexSwitchOp():
            yield "argument", carrier.arg
        case scf.ForOp():
            yield "lower bound", carrier.lb
            yield "upper bound", carrier.ub
            yield "step", carrier.step
        case scf.WhileOp():
            condition = carrier.before_region.block.last_op
            assert isinstance(condition, scf.ConditionOp)
            yield "condition", condition.condition
        case _:
            raise AssertionError(f"{carrier.name} decides nothing")


def _arguments(carrier: Operation) -> Iterator[SSAValue]:
    for region in carrier.regions:
        for block in region.blocks:
            yield from block.args
