"""
What is short for other ops, by its interface `Expansion`, becomes these.

`spmd-to-loops` and `vectorize` do it before their first step, `spmd.compile` before anything
else: an expansion may be made of parallel loops.

Requires: verified IR.
Ensures: no op with the interface is left.

```mlir
// before                                  // after
shop.unless %low {                         %not = arith.xori %low, %true : i1
  memref.store %v, %x[%i] : memref<?xf32>  scf.if %not {
}                                            memref.store %v, %x[%i] : memref<?xf32>
                                           }
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.dialects.interfaces.expansion import expand_all


@dataclass(frozen=True)
class ExpandOpsPass(ModulePass):
    """Other ops instead of those that are short for them; see the module docstring."""

    name = "expand-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_all(op)
