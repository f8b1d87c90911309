"""
Writes which elements of its arrays a kernel accesses into the IR.

| attribute of an argument | value                                                    |
| ------------------------ | -------------------------------------------------------- |
| `spmd.reads`             | the elements that a box of work-groups reads             |
| `spmd.writes`            | those that it writes                                     |
| `spmd.reduces`           | those that it updates in any order, and how: `add [...]` |

Elements are written `[first to last]`, both included, per dimension, and several of them
with `and`. `first.x` and `last.x` are the first and last global id of the box in a
dimension, `first_group.x` and `last_group.x` the ids of groups. `within` stands before what
may be more than the kernel accesses, `anything` before the access of which nothing is known,
with the value that decides about it.

```mlir
// before
spmd.kernel @smooth(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %j = arith.addi %i, %c1 : index
  %a = memref.load %x[%i] : memref<?xf32>
  %b = memref.load %x[%j] : memref<?xf32>
  %s = arith.addf %a, %b : f32
  memref.store %s, %y[%i] : memref<?xf32>
  spmd.return
}
// after
spmd.kernel @smooth(%x: memref<?xf32> {spmd.reads = "[first.x to last.x + 1]"},
    %y: memref<?xf32> {spmd.writes = "[first.x to last.x]"}) {
```

Requires: level 0.
Ensures: the module, with attributes that no pass reads; a second run changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from spmd.analysis.footprints.footprints import Footprints
from spmd.analysis.footprints.relations import AccessKind
from spmd.analysis.footprints.words import footprint_words
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.work_groups import FOOTPRINTS
from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from spmd.passes.structuring.structurize_control_flow import structurize_kernel


@dataclass(frozen=True)
class SpmdAnnotateFootprintsPass(ModulePass):
    """Footprints as attributes; see the module docstring."""

    name = "spmd-annotate-footprints"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        plain = structured(op.clone())
        for kernel, copy in zip(kernels_in(op), kernels_in(plain), strict=True):
            footprints = Footprints(copy)
            given = kernel.arg_attrs
            attributes: list[DictionaryAttr] = []
            for number in range(len(kernel.body.blocks[0].args)):
                found = {} if given is None else dict(given.data[number].data)
                for kind, name in zip(AccessKind, FOOTPRINTS, strict=True):
                    found.pop(name, None)
                    words = footprint_words(tuple(footprints.of(number, kind)))
                    if words is not None:
                        found[name] = StringAttr(words)
                attributes.append(DictionaryAttr(found))
            if given is not None or any(each.data for each in attributes):
                kernel.arg_attrs = ArrayAttr(attributes)


def structured(module: ModuleOp) -> ModuleOp:
    """`module`, whose kernels get to have neither calls nor branches between blocks."""
    SpmdInlineCallsPass().apply(Context(), module)
    for kernel in kernels_in(module):
        structurize_kernel(kernel, allow_irreducible=True)
    return module
