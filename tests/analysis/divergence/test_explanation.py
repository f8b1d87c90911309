"""Chains from varying values and divergent branches to ids, loads and loops."""

from __future__ import annotations

from tests.analysis.programs import Analysed


def chain(body: str, name: str) -> list[str]:
    k = Analysed(body)
    return k.divergence.why_varying(k.value(name)).splitlines()


def test_arithmetic():
    body = "%a1 = arith.addi %n, %lid : index\n%b1 = arith.muli %a1, %a1 : index"
    assert chain(body, "b1") == [
        "%b1 is varying: arith.muli of %a1",
        "%a1 is varying: arith.addi of %lid",
        "%lid is varying: spmd.local_id differs between work-items",
    ]


def test_uniform():
    assert chain("%a1 = arith.addi %n, %m : index", "a1") == ["%a1 is uniform"]


def test_load():
    body = """
    %old = spmd.atomic_rmw add %i, %counter[%c0] : memref<?xi32>
    %v = memref.load %counter[%c0] : memref<?xi32>
    """
    k = Analysed(body, ", %counter: memref<?xi32>")
    assert k.divergence.why_varying(k.value("v")) == (
        "%v is varying: it is loaded from memory that work-items may write"
    )
    assert k.divergence.why_varying(k.value("old")) == (
        "%old is varying: spmd.atomic_rmw differs between work-items"
    )


def test_branch():
    body = """
    %p = arith.cmpi slt, %lid, %n : index
    %r = scf.if %p -> (index) {
      scf.yield %n : index
    } else {
      scf.yield %m : index
    }
    """
    assert chain(body, "r") == [
        "%r is varying: work-items take different paths through scf.if",
        "%p is varying: arith.cmpi of %lid",
        "%lid is varying: spmd.local_id differs between work-items",
    ]


def test_branch_that_yields_a_varying_value():
    body = """
    %p = arith.cmpi slt, %m, %n : index
    %r = scf.if %p -> (index) {
      scf.yield %n : index
    } else {
      scf.yield %lid : index
    }
    """
    assert chain(body, "r")[0] == "%r is varying: scf.if yields %lid"


def test_loop_left_at_different_times():
    body = """
    %r = scf.for %j = %c0 to %lid step %c1 iter_args(%s = %c0) -> (index) {
      %t = arith.addi %s, %c1 : index
      scf.yield %t : index
    }
    """
    assert chain(body, "r") == [
        "%r is varying: work-items leave scf.for at different times",
        "%lid is varying: spmd.local_id differs between work-items",
    ]


def test_values_that_a_loop_carries():
    body = """
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
      %t = arith.addi %s, %lid : index
      scf.yield %t : index
    }
    %z:1 = scf.while (%x1 = %c0) : (index) -> (index) {
      %more = arith.cmpi ult, %n, %m : index
      scf.condition(%more) %x1 : index
    } do {
    ^bb0(%y1: index):
      %w1 = arith.addi %y1, %lid : index
      scf.yield %w1 : index
    }
    scf.for %k = %lid to %n step %c1 {
      %u1 = arith.addi %k, %c1 : index
    }
    """
    assert chain(body, "s") == [
        "%s is varying: its loop carries a varying value",
        "%t is varying: arith.addi of %s",
    ]
    assert chain(body, "q")[:2] == [
        "%q is varying: scf.for yields %t",
        "%t is varying: arith.addi of %s",
    ]
    assert chain(body, "y1")[:2] == [
        "%y1 is varying: its loop carries a varying value",
        "%x1 is varying: its loop carries a varying value",
    ]
    assert chain(body, "k")[0] == (
        "%k is varying: its loop begins at or steps by a varying value"
    )


def test_blocks():
    body = """
      %p = arith.cmpi slt, %lid, %n : index
      cf.cond_br %p, ^b, ^c
    ^b:
      cf.br ^d(%c1, %c1 : index, index)
    ^c:
      cf.br ^d(%c2, %lid : index, index)
    ^d(%x1: index, %y1: index):
    """
    assert chain(body, "x1") == [
        "%x1 is varying: work-items diverged at cf.cond_br",
        "%p is varying: arith.cmpi of %lid",
        "%lid is varying: spmd.local_id differs between work-items",
    ]
    assert chain(body, "y1")[0] == "%y1 is varying: cf.br brings %lid"


def test_a_value_after_its_loop():
    body = """
      cf.br ^h(%c0 : index)
    ^h(%k: index):
      %next = arith.addi %k, %c1 : index
      %stay = arith.cmpi slt, %next, %lid : index
      cf.cond_br %stay, ^h(%next : index), ^x
    ^x:
      %use = arith.addi %next, %c1 : index
    """
    assert chain(body, "use") == [
        "%use is varying: arith.addi of %next",
        "%next is varying: work-items leave its loop at different times",
    ]


def test_an_argument_of_a_loop_header():
    body = """
      cf.br ^h(%lid : index)
    ^h(%k: index):
      %next = arith.addi %k, %c1 : index
      %stay = arith.cmpi slt, %n, %m : index
      cf.cond_br %stay, ^h(%next : index), ^x
    ^x:
    """
    assert chain(body, "k")[0] == "%k is varying: cf.br brings %lid"


def test_divergent_branches():
    k = Analysed("""
    %p = arith.cmpi slt, %lid, %n : index
    scf.if %p {
    }
    %q = arith.cmpi slt, %m, %n : index
    scf.if %q {
    }
    """)
    assert k.divergence.why_divergent(k.op("scf.if")).splitlines() == [
        "scf.if is divergent: it depends on %p",
        "%p is varying: arith.cmpi of %lid",
        "%lid is varying: spmd.local_id differs between work-items",
    ]
    assert k.divergence.why_divergent(k.op("scf.if", 1)) == "scf.if is not divergent"


def test_unknown_operations():
    body = """
    %r = "test.op"(%n) ({
    ^bb0(%inner: index):
      "test.termop"() : () -> ()
    }) : (index) -> index
    """
    k = Analysed(body)
    assert k.divergence.why_divergent(k.op("test.op")) == (
        "test.op runs its regions in an order that is not known"
    )
    assert chain(body, "inner") == ["%inner is varying: it is an argument of test.op"]
    assert chain(body, "r") == [
        "%r is varying: work-items take different paths through test.op"
    ]
