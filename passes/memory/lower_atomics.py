"""
Atomics of the `spmd` dialect become instructions of the `llvm` dialect.

A work-group runs on one thread. So an operation whose scope is the work-group, or whose
memory is local, needs no instruction: nobody else can be in between, and a load and a
store do it. All others work on the pointer of the element.

```mlir
// before
%a = spmd.atomic_rmw add %v, %x[%i] : memref<?xi32>
%b = spmd.atomic_rmw max %v, %tile[%i] : memref<64xi32, 3 : i64>

// after
%base = "memref.extract_aligned_pointer_as_index"(%x) : (memref<?xi32>) -> index
%address = arith.index_cast %base : index to i64
%start = llvm.inttoptr %address : i64 to !llvm.ptr
%at = arith.index_cast %i : index to i64
%element = llvm.getelementptr inbounds %start[%at] : (!llvm.ptr, i64) -> !llvm.ptr, i32
%a = llvm.atomicrmw add %element, %v monotonic : !llvm.ptr, i32
%b = memref.load %tile[%i] : memref<64xi32, 3 : i64>
%most = arith.maxsi %b, %v : i32
memref.store %most, %tile[%i] : memref<64xi32, 3 : i64>
```

Every kind has its instruction, floats too (`fmaximum`, `fminimum`). `memref.atomic_rmw`
stays as it is.

Requires: level 1 or 4. It comes after the passes that must know what is atomic.
Ensures: no `spmd.atomic_rmw` and `spmd.atomic_cas` is left.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.dialects.rewriting import replace
from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp
from spmd.dialects.spmd.atomics import AtomicKind, AtomicOp, AtomicScope
from spmd.dialects.spmd.types import is_float, is_local
from spmd.passes.memory.lower_memory_types import LOCAL_SPACE

_Combine = type[
    arith.SignlessIntegerBinaryOperation | arith.FloatingPointLikeBinaryOperation
]

_INTEGERS: dict[AtomicKind, _Combine] = {
    AtomicKind.ADD: arith.AddiOp,
    AtomicKind.SUB: arith.SubiOp,
    AtomicKind.MIN: arith.MinSIOp,
    AtomicKind.MAX: arith.MaxSIOp,
    AtomicKind.MINUI: arith.MinUIOp,
    AtomicKind.MAXUI: arith.MaxUIOp,
    AtomicKind.AND: arith.AndIOp,
    AtomicKind.OR: arith.OrIOp,
    AtomicKind.XOR: arith.XOrIOp,
}

_FLOATS: dict[AtomicKind, _Combine] = {
    AtomicKind.ADD: arith.AddfOp,
    AtomicKind.SUB: arith.SubfOp,
    AtomicKind.MIN: arith.MinimumfOp,
    AtomicKind.MAX: arith.MaximumfOp,
}


@dataclass(frozen=True)
class LowerAtomicsPass(ModulePass):
    """Instructions instead of atomics of the dialect; see the module docstring."""

    name = "lower-atomics"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in tuple(op.walk()):
            if isinstance(each, AtomicRmwOp):
                lower_rmw(each)
            elif isinstance(each, AtomicCasOp):
                lower_cas(each)


def needs_no_instruction(op: AtomicOp) -> bool:
    """Whether only the thread of this work-group can get at the element."""
    type_ = op.memref_type
    return (
        is_local(type_)
        or type_.memory_space == LOCAL_SPACE
        or op.scope.data is AtomicScope.WORK_GROUP
    )


def lower_rmw(op: AtomicRmwOp) -> None:
    """Do to one update what the pass does to all."""
    if not needs_no_instruction(op):
        # Imported here because few kernels need the `llvm` dialect, which takes long.
        from spmd.passes.memory.atomic_instructions import write_rmw

        write_rmw(op)
        return
    load = memref.LoadOp.get(op.memref, op.indices)
    new: SSAValue = op.value
    ops: list[Operation] = [load]
    if (kind := op.kind.data) is not AtomicKind.EXCHANGE:
        combine = (_FLOATS if is_float(op.value.type) else _INTEGERS)[kind]
        combined = combine(load.res, op.value)
        new = combined.result
        ops.append(combined)
    ops.append(memref.StoreOp.get(new, op.memref, op.indices))
    replace(op, ops, (load.res,))


def lower_cas(op: AtomicCasOp) -> None:
    """Do to one exchange what the pass does to all."""
    if not needs_no_instruction(op):
        from spmd.passes.memory.atomic_instructions import write_cas

        write_cas(op)
        return
    load = memref.LoadOp.get(op.memref, op.indices)
    won = arith.CmpiOp(load.res, op.expected, "eq")
    new = arith.SelectOp(won, op.new, load.res)
    store = memref.StoreOp.get(new, op.memref, op.indices)
    replace(op, (load, won, new, store), (load.res, won.result))
