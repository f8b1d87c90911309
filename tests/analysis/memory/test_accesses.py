"""Which memory may be the same."""

from __future__ import annotations

from xdsl.dialects import memref

from spmd.analysis.memory.accesses import is_argument, may_overlap
from spmd.dialects.spmd.kernel import kernels_in
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse

CHOSEN = """
spmd.kernel @k(%c: i1, %x: memref<4xi32>) {
  %p = memref.alloca() : memref<4xi32>
  cf.cond_br %c, ^next(%p : memref<4xi32>), ^next(%x : memref<4xi32>)
^next(%m: memref<4xi32>):
  spmd.return
}
"""


def test_what_blocks_pass_on_may_be_storage_of_the_kernel():
    (kernel,) = kernels_in(parse(SourceText("chosen.mlir", CHOSEN)))
    entry, following = kernel.body.blocks
    (own,) = (op.memref for op in entry.ops if isinstance(op, memref.AllocaOp))
    argument, chosen = entry.args[1], following.args[0]
    assert is_argument(argument)
    assert not is_argument(chosen)
    assert not may_overlap(own, argument)
    assert may_overlap(own, chosen)
