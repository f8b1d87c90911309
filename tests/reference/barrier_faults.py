"""Kernels in which not all work-items come to the same barrier."""

from __future__ import annotations

from tests.reference.faults import TAIL, Fault

BARRIERS = (
    Fault(
        "barrier for the first half of a reduction only",
        "barrier_in_while",
        (("    }\n    spmd.barrier\n", "      spmd.barrier\n    }\n"),),
        "barrier",
        "spmd.barrier",
    ),
    Fault(
        "barrier inside of a bounds check",
        "barrier_exchange",
        (
            ("  spmd.barrier\n", "  scf.if %inside {\n    spmd.barrier\n  }\n"),
            (
                "  %v =",
                "  %limit = arith.constant 37 : index\n"
                "  %inside = arith.cmpi ult, %i, %limit : index\n  %v =",
            ),
        ),
        "barrier",
        "spmd.barrier",
        TAIL,
    ),
    Fault(
        "loop with a barrier, and a trip count of each item's own",
        "barrier_in_loop",
        (("to %iterations step", "to %l step"),),
        "barrier",
        "spmd.barrier",
    ),
    Fault(
        "reduction whose loop the upper half leaves early",
        "barrier_in_while",
        (
            (
                "%more = arith.cmpi ugt, %s, %c0 : index",
                "%more = arith.cmpi ugt, %s, %lid : index",
            ),
        ),
        "barrier",
        "spmd.barrier",
    ),
    Fault(
        "a barrier in each branch of an if",
        "barrier_exchange",
        (
            (
                "  spmd.barrier\n",
                "  %first = arith.cmpi ult, %l, %c1 : index\n"
                "  scf.if %first {\n    spmd.barrier\n  } else {\n    spmd.barrier\n  }\n",
            ),
        ),
        "barrier",
        "spmd.barrier",
    ),
    Fault(
        "early return of the items that are out of range",
        "barrier_exchange",
        (
            (
                "  %v =",
                "  %limit = arith.constant 37 : index\n"
                "  %inside = arith.cmpi ult, %i, %limit : index\n"
                "  cf.cond_br %inside, ^work, ^leave\n^leave:\n  spmd.return\n^work:\n"
                "  %v =",
            ),
        ),
        "barrier",
        "spmd.barrier",
        TAIL,
    ),
    Fault(
        "only the leader calls the function with the barrier",
        "function_with_barrier",
        (
            (
                "  %a = func.call @from_the_right(%v) : (i32) -> i32\n",
                "  %id = spmd.local_id x\n  %c0 = arith.constant 0 : index\n"
                "  %leader = arith.cmpi eq, %id, %c0 : index\n"
                "  %a = scf.if %leader -> (i32) {\n"
                "    %r = func.call @from_the_right(%v) : (i32) -> i32\n"
                "    scf.yield %r : i32\n  } else {\n    scf.yield %v : i32\n  }\n",
            ),
        ),
        "barrier",
        "spmd.barrier",
    ),
    Fault(
        "a reduction over the group that not all take part in",
        "last_group",
        (
            (
                "  %sum = spmd.reduce add %v across work_group : i32\n",
                "  %c3 = arith.constant 3 : index\n"
                "  %some = arith.cmpi ne, %l, %c3 : index\n"
                "  %sum = scf.if %some -> (i32) {\n"
                "    %part = spmd.reduce add %v across work_group : i32\n"
                "    scf.yield %part : i32\n  } else {\n    scf.yield %v : i32\n  }\n",
            ),
        ),
        "barrier",
        "spmd.reduce",
    ),
    Fault(
        "a trip count that differs, from memory",
        "barrier_trips_from_memory",
        (
            (
                "%n = memref.load %trips[%c0]",
                "%three = arith.constant 3 : index\n"
                "  %short = arith.remui %l, %three : index\n"
                "  %most = memref.load %trips[%c0]",
            ),
            ("  %v =", "  %n = arith.minui %most, %short : index\n  %v ="),
        ),
        "barrier",
        "spmd.barrier",
    ),
    Fault(
        "one barrier in a case of a switch",
        "barrier_exchange",
        (
            (
                "  spmd.barrier\n",
                "  %c2 = arith.constant 2 : index\n"
                "  %parity = arith.remui %l, %c2 : index\n"
                "  scf.index_switch %parity\n  case 0 {\n    spmd.barrier\n"
                "    scf.yield\n  }\n  default {\n    scf.yield\n  }\n",
            ),
        ),
        "barrier",
        "spmd.barrier",
    ),
    Fault(
        "some items meet at a barrier, others at a reduction",
        "last_group",
        (
            (
                "  %sum = spmd.reduce",
                "  %c3 = arith.constant 3 : index\n"
                "  %some = arith.cmpi ult, %l, %c3 : index\n"
                "  scf.if %some {\n    spmd.barrier\n  }\n"
                "  %sum = spmd.reduce",
            ),
        ),
        "barrier",
        "spmd.",
    ),
)
