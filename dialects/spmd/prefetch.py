"""
Hints on memory that will be accessed.

They change no result. `{nontemporal = true}` on a `memref.load` or `memref.store` is the
hint that the access itself streams: its element is not accessed again soon.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, MemRefType, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    traits_def,
    var_operand_def,
)

from spmd.dialects.assembly_format import Flags
from spmd.dialects.compat import prefetch
from spmd.dialects.interfaces.memory import MemoryHint, verify_indices
from spmd.dialects.spmd.traits import STAYS_IN_PLACE, expect_inside_function


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """
    Asks for the cache line of an element that will be accessed.

    | name        | kind      | type     | meaning                                    |
    | ----------- | --------- | -------- | ------------------------------------------ |
    | `memref`    | operand   | memref   | the memory                                 |
    | `indices`   | operands  | `index`  | the element, one per dimension             |
    | `write`     | attribute | optional | the element will be written                |
    | `streaming` | attribute | optional | it will be accessed once, not again and again |

    The element need not exist: a work-item may ask for one past the end. Lanes that are
    neighbours ask once for each cache line. Inactive lanes may ask as well.

    Errors: a number of indices that is not the rank; an op outside of a kernel or function.

    ```mlir
    spmd.kernel @gather(%k: memref<?xindex>, %x: memref<?xf32>, %y: memref<?xf32>) {
      %c64 = arith.constant 64 : index
      %i = spmd.global_id x
      %ahead = arith.addi %i, %c64 : index
      spmd.prefetch streaming %k[%ahead] : memref<?xindex>
      spmd.prefetch write streaming %y[%ahead] : memref<?xf32>
      %j = memref.load %k[%i] {nontemporal = true} : memref<?xindex>
      %v = memref.load %x[%j] : memref<?xf32>
      memref.store %v, %y[%i] {nontemporal = true} : memref<?xf32>
      spmd.return
    }
    // run: global_size = 3, group_size = 3, k = [2, 0, 1], x = [1.0, 2.0, 3.0], y = [0.0, 0.0, 0.0]
    // gives: y = [3.0, 1.0, 2.0]
    ```
    """

    name = "spmd.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    write = opt_prop_def(UnitAttr)
    streaming = opt_prop_def(UnitAttr)

    traits = traits_def(*STAYS_IN_PLACE, MemoryHint())

    custom_directives = (Flags,)
    assembly_format = (
        "custom<Flags>($write, $streaming) $memref `[` $indices `]` attr-dict `:` "
        "type($memref)"
    )

    def __init__(
        self,
        memref: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        *,
        write: bool = False,
        streaming: bool = False,
    ):
        super().__init__(
            operands=[memref, indices],
            properties={
                "write": UnitAttr() if write else None,
                "streaming": UnitAttr() if streaming else None,
            },
        )

    def verify_(self) -> None:
        verify_indices(self.memref, self.indices)
        expect_inside_function(self)

    def upstream(self) -> prefetch.PrefetchOp:
        """The same in upstream's words."""
        op = prefetch.PrefetchOp(
            self.memref,
            self.indices,
            is_write=self.write is not None,
            locality=prefetch.MAX_LOCALITY if self.streaming is None else 0,
        )
        op.attributes.update(self.attributes)
        return op
