"""What `check-barriers` accepts runs, and what it lets through changes nothing."""

from typing import Any

import pytest

from spmd.dialects.diagnostics import KernelError
from spmd.passes.kernels.check_barriers import CheckBarriersPass
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.harness import LINES, Maker, check_passes

LEGAL = """
spmd.kernel @legal(%flags: memref<?xi32>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  %flag = memref.load %flags[%group] : memref<?xi32>
  %odd = arith.trunci %flag : i32 to i1
  scf.if %odd {
    spmd.barrier
    %w = memref.load %tile[%c0] : memref<64xi32, #spmd.memory<local>>
    memref.store %w, %x[%gid] : memref<?xi32>
  }
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.range("i32", make.groups), make.random("i32", make.n)]


def test_a_barrier_under_a_loaded_condition_is_accepted():
    check_passes(LEGAL, arguments, LINES, CheckBarriersPass())


TABLE = {
    "%lid": True,
    "%lane": True,
    "%lid_and_argument": True,
    "%lid_and_size": True,
    "%lid_and_group": True,
    "%gid": False,
    "%lid_and_gid": False,
    "%lid_and_load": False,
    "%group": False,
    "%n": False,
}
"""Values that a condition may be computed from, and whether it is rejected then."""

STATEMENTS = {
    "if": "scf.if %c {{ {op} }}",
    "else": "scf.if %c {{ }} else {{ {op} }}",
    "switch": """%s = arith.index_cast %c : i1 to index
  scf.index_switch %s case 1 {{ {op} scf.yield }} default {{ scf.yield }}""",
    "while": """scf.while () : () -> () {{ scf.condition(%c) }}
  do {{ {op} scf.yield }}""",
    "for": """%s = arith.index_castui %c : i1 to index
  scf.for %i = %zero to %s step %one {{ {op} }}""",
    "block": """cf.cond_br %c, ^then, ^exit
^then:
  {op}
  cf.br ^exit
^exit:""",
}

OPS = {
    "barrier": "spmd.barrier",
    "reduce": "%r = spmd.reduce add %n across work_group : index",
    "scan": "%r = spmd.scan inclusive add %n across work_group : index",
    "broadcast": "%r = spmd.broadcast %n from %zero across work_group : index",
    "any": "%r = spmd.any %yes across work_group",
}


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("value", TABLE)
def test_statements_conditions_and_ops(op: str, statement: str, value: str):
    module = parse(
        SourceText(
            "kernel.mlir",
            f"""
spmd.kernel @k(%n: index, %m: memref<?xindex>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %yes = arith.constant true
  %lid = spmd.local_id x
  %lane = spmd.lane_id
  %gid = spmd.global_id x
  %group = spmd.group_id x
  %size = spmd.local_size x
  %load = memref.load %m[%lid] : memref<?xindex>
  %lid_and_argument = arith.addi %lid, %n : index
  %lid_and_size = arith.muli %lid, %size : index
  %lid_and_group = arith.addi %group, %lid : index
  %lid_and_gid = arith.addi %lid, %gid : index
  %lid_and_load = arith.addi %lid, %load : index
  %c = arith.cmpi ult, {value}, %one : index
  {STATEMENTS[statement].format(op=OPS[op])}
  spmd.return
}}
""",
        )
    )
    if TABLE[value]:
        with pytest.raises(KernelError, match="expected all work-items"):
            CheckBarriersPass().apply(make_context(), module)
        CheckBarriersPass(divergent_barriers="allow").apply(make_context(), module)
    else:
        CheckBarriersPass().apply(make_context(), module)
