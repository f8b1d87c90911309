"""
What the CPU has for kernels: a cache, which takes hints, and a clock.

Hints change no result. `{nontemporal = true}` on a `memref.load` or `memref.store` is the
hint that the access itself streams: its element is not accessed again soon.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)

from spmd.dialects.assembly_format import Flags
from spmd.dialects.compat import prefetch
from spmd.dialects.interfaces.cost import Cost, CostClass
from spmd.dialects.interfaces.meaning import Emission, Meaning
from spmd.dialects.interfaces.memory import MemoryAccess, MemoryHint, verify_indices
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


def _emit(writer: Any, op: ClockOp) -> None:
    # These have a counter of cycles too, which user code may not read.
    others = writer.module.machine.triple.startswith(("aarch64", "riscv"))
    kind = "steady" if others else "cycle"
    writer.define(op.result, writer.call(f"llvm.read{kind}counter", "i64", []))


def _mean(body: Any, op: ClockOp) -> None:
    body.let(op.result, f"{body.program.bind(perf_counter_ns, 'clock')}()")


@irdl_op_definition
class ClockOp(IRDLOperation):
    """
    Reads a counter that grows with time, to measure parts of a kernel.

    | name     | kind   | type | meaning                                                   |
    | -------- | ------ | ---- | --------------------------------------------------------- |
    | `result` | result | i64  | what the counter of the CPU says: of x86, the time stamp counter |

    Differences count, between two that the same thread has read: work-items of one group are
    run by one thread. Lanes read together and get the same. Neither the compiler nor the CPU
    waits for what stands before it, so measure much more than a few operations.

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @measure(%n: index, %x: memref<?xf32>, %took: memref<?xi64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      %before = spmd.clock
      %w = scf.for %k = %c0 to %n step %c1 iter_args(%u = %v) -> (f32) {
        %next = math.sqrt %u : f32
        scf.yield %next : f32
      }
      memref.store %w, %x[%i] : memref<?xf32>
      %after = spmd.clock
      %cycles = arith.subi %after, %before : i64
      memref.store %cycles, %took[%i] : memref<?xi64>
      spmd.return
    }
    // run: global_size = 2, group_size = 2, n = 2, x = [1.0, 16.0], took = [0, 0]
    // gives: x = [1.0, 2.0]
    ```
    """

    name = "spmd.clock"

    result = result_def(IntegerType(64))

    traits = traits_def(
        *STAYS_IN_PLACE,
        # To read it once for all lanes is to read it in each.
        MemoryAccess(),
        Cost(CostClass.ATOMIC),
        Emission(_emit),
        Meaning(_mean),
    )

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[i64])

    def verify_(self) -> None:
        expect_inside_function(self)
