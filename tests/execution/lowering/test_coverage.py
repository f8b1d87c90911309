"""Every op that level 4 may contain has an emitter; what is short for others is not there."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, cf, func, math, memref, scf, ub, vector
from xdsl.ir import Operation
from xdsl.traits import HasParent

from spmd.dialects import compat
from spmd.dialects.interfaces.expansion import Expansion
from spmd.dialects.interfaces.meaning import Emission
from spmd.lowering.emit import EMITTER_MODULES
from spmd.lowering.writing.control_flow import BRANCHES

compat.ensure()
MODULES = {
    "spmd.lowering.ops.assertions",
    "spmd.lowering.ops.func",
    *EMITTER_MODULES,
}

WRITTEN_BY_THEIR_PARENT = {
    "func.func",
    "memref.global",
    "memref.alloca_scope.return",
    "scf.condition",
    "scf.reduce",
    "scf.reduce.return",
    "scf.yield",
}

NOT_ON_CPUS = {"memref.dma_start", "memref.dma_wait"}

OPS = [
    op
    for dialect in (
        arith.Arith,
        cf.Cf,
        func.Func,
        math.Math,
        memref.MemRef,
        scf.Scf,
        ub.UB,
        vector.Vector,
    )
    for op in dialect.operations
]


def is_short(kind: type[Operation]) -> bool:
    """Whether its `Expansion`, or that of the op that it belongs to, takes it away."""
    if Expansion.of(kind.create()) is not None:
        return True
    parents = kind.get_trait(HasParent)
    return parents is not None and all(map(is_short, parents.op_types))


@pytest.mark.parametrize("kind", OPS, ids=lambda kind: kind.name)
def test_op_has_an_emitter(kind: type[Operation]):
    """It stands in the module of its dialect."""
    if kind.name in {*BRANCHES, *WRITTEN_BY_THEIR_PARENT, *NOT_ON_CPUS}:
        return
    if is_short(kind):
        return
    emission = Emission.of(kind.create())
    assert emission is not None
    assert emission.emit.__module__ in MODULES
