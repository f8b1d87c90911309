"""Every op that level 4 may contain has an emitter."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, cf, func, math, memref, scf, ub, vector

from spmd.dialects import compat
from spmd.lowering.emit import EMITTER_MODULES
from spmd.lowering.writing.control_flow import BRANCHES
from spmd.lowering.writing.registry import EMITTERS

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
    op.name
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


def test_emitters_stand_in_the_module_of_their_dialect():
    for name, emitter in EMITTERS.items():
        assert emitter.__module__ in MODULES, name


@pytest.mark.parametrize("name", OPS)
def test_op_has_an_emitter(name: str):
    known = {*EMITTERS, *BRANCHES, *WRITTEN_BY_THEIR_PARENT, *NOT_ON_CPUS}
    assert name in known
