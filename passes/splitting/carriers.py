"""
Syncs, and the values that no longer pass through control flow, after a split.

```mlir
// before: %acc differs between work-items and lives in a context
%r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
  ...
  scf.yield %next : f32
}
// after
scf.for %i = %c0 to %n step %c1 {
  ...
}
```
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from spmd.dialects.interfaces.control_flow import phis
from spmd.dialects.spmd import is_sync
from spmd.passes.rematerialization.replace_forwarded import erase_phis, forward_less


def remove_syncs(stops: Sequence[Operation], dropped: Container[SSAValue]) -> None:
    """
    Erase the syncs among `stops`, and the `dropped` arguments and results of carriers.

    `stops` are in the order of the source. Dropped values are used by nothing but syncs
    and the passing on of values that are dropped themselves.
    """
    lost = [phi for op in stops for phi in phis(op) if phi.values[0] in dropped]
    forward_less(lost)
    for op in reversed(stops):
        if is_sync(op):
            Rewriter.erase_op(op)
    erase_phis(lost)
