"""
Writes what the divergence analysis knows of values and control flow into the IR.

| attribute             | on                        | value                                 |
| --------------------- | ------------------------- | ------------------------------------- |
| `spmd.shapes`         | an op with results        | a shape for each result               |
| `spmd.argument_shapes`| an op with block arguments| a list of shapes for each block       |
| `spmd.access`         | `memref.load` and `store` | which elements neighbours access      |
| `spmd.divergent`      | a branch or loop          | the dimensions in which lanes part    |
| `spmd.why`            | with `why=true`, the same | the chain from the condition to an id |

A shape in several dimensions is written `x / y / z`; dimensions at the end in which the
value is just uniform are left out. Patterns are written likewise.

```mlir
// before
%gid = spmd.global_id x
%low = arith.cmpi slt, %gid, %n : index
scf.if %low {
  %v = memref.load %x[%gid] : memref<?xf32>
}
// after
%gid = spmd.global_id x {spmd.shapes = ["contiguous"]}
%low = arith.cmpi slt, %gid, %n {spmd.shapes = ["varying"]} : index
scf.if %low {
  %v = memref.load %x[%gid] {spmd.shapes = ["varying"], spmd.access = "contiguous"}
      : memref<?xf32>
} {spmd.divergent = "x"}
```

For people, `python -m spmd.tools.spmd_shapes` shows the same in colours.

Requires: levels 0 to 3. Whatever stands in no kernel, work-item loop or sub-group is left
alone.
Ensures: the module, with attributes that no pass reads; a second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import Divergence, analyses_of
from spmd.dialects.spmd.kernel import ARGUMENT_SHAPES

SHAPES = "spmd.shapes"
ACCESS = "spmd.access"
DIVERGENT = "spmd.divergent"
WHY = "spmd.why"


@dataclass(frozen=True)
class SpmdAnnotateShapesPass(ModulePass):
    """Shapes as attributes; see the module docstring."""

    name = "spmd-annotate-shapes"

    why: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for divergence in list(analyses_of(op)):
            for inner in divergence.root.walk():
                self._annotate(inner, divergence)

    def _annotate(self, op: Operation, divergence: Divergence) -> None:
        inside = op is not divergence.root
        if op.results and inside:
            op.attributes[SHAPES] = _texts(divergence, op.results)
        blocks = [block.args for region in op.regions for block in region.blocks]
        if any(blocks):
            op.attributes[ARGUMENT_SHAPES] = ArrayAttr(
                [_texts(divergence, arguments) for arguments in blocks]
            )
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            op.attributes[ACCESS] = StringAttr(_pattern(divergence, op))
        if divergence.is_divergent(op):
            op.attributes[DIVERGENT] = StringAttr(
                "".join(
                    name
                    for dimension, name in enumerate("xyz"[: divergence.dimensions])
                    if divergence.is_divergent(op, dimension)
                )
            )
            if self.why:
                why = divergence.why_divergent(op).replace("\n", "; ")
                op.attributes[WHY] = StringAttr(why)


def _texts(divergence: Divergence, values: Sequence[SSAValue]) -> ArrayAttr[StringAttr]:
    dimensions = range(divergence.dimensions)
    texts = (
        per_dimension([str(divergence.shape(value, d)) for d in dimensions])
        for value in values
    )
    return ArrayAttr(map(StringAttr, texts))


def per_dimension(texts: Sequence[str]) -> str:
    """One text for all dimensions, without those at the end that are uniform."""
    others = [i for i, text in enumerate(texts) if not text.startswith("uniform")]
    last = max(others, default=0)
    return " / ".join(texts[: last + 1])


def _pattern(divergence: Divergence, op: Operation) -> str:
    found = [access_pattern(divergence, op, d) for d in range(divergence.dimensions)]
    private = " (private)" if any(each.private for each in found) else ""
    return per_dimension([*map(str, found)]) + private
