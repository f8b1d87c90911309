"""
Whether deep loop fission is right for a kernel.

Control flow that contains a barrier moves outside of the work-item loops, so all
work-items must take the same path through it. They do if its condition is uniform, or if
each path leads to barriers of its own: in a legal kernel all work-items reach the same
barrier next. The condition of one work-item is then that of all. Where neither holds, a
work-item could be dragged along on a path that it does not take:

```mlir
scf.for %i = %c0 to %trips step %c1 {   // %trips = 2 + local id
  ...                                   // must not run when %i >= %trips
  scf.if %early {                       // %i < 2: a legal barrier
    spmd.barrier
  }
}
```

After the last barrier, some work-items go around once more and others leave; both paths
lead to the end of the kernel.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from spmd.analysis.analyses import Analyses
from spmd.analysis.barriers.region_flow import why_not_agreed
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.interfaces.control_flow import decisions


class Problem(NamedTuple):
    """Why a kernel cannot be split, and the operation that is the reason."""

    op: Operation
    reason: str


def why_not_fission(analyses: Analyses) -> Problem | None:
    """Why deep loop fission would be wrong, or is not possible, for a kernel."""
    regions, divergence = analyses.regions, analyses.divergence
    for carrier in regions.carriers:
        if not decisions(carrier):
            return Problem(
                carrier,
                "expected barriers inside of scf.if, scf.for, scf.while and "
                f"scf.index_switch only, got one inside of {carrier.name}",
            )
    for carrier in regions.carriers:
        for decision in decisions(carrier):
            if divergence.is_uniform(decision.value):
                continue
            paths = analyses.flow[regions.region_before(decision.op)]
            reason = why_not_agreed(analyses.syncs_ahead, paths)
            if reason is not None:
                return Problem(
                    carrier,
                    f"expected {carrier.name}, which has a barrier inside, to take the "
                    f"same path in all work-items of the group: {reason}, and its condition "
                    f"is not proved uniform ({_why_varying(divergence, decision.value)})",
                )
    return None


def _why_varying(divergence: Divergence, value: SSAValue) -> str:
    return "; ".join(divergence.why_varying(value).splitlines())
