"""Private arrays proved uniform, in structured control flow and in blocks."""

from __future__ import annotations

from spmd.analysis.memory.alloca_ssa import StateKind, build_alloca_ssa
from spmd.analysis.memory.private_memory import memory_of
from tests.analysis.programs import Analysed

ARRAYS = """
%p = memref.alloca() : memref<8xindex>
%q = memref.alloca() : memref<8xindex>
%v = arith.cmpi slt, %gid, %n : index
%u = arith.cmpi slt, %n, %m : index
"""


def arrays(body: str) -> Analysed:
    return Analysed(ARRAYS + body)


def load(name: str, array: str = "%p", where: str = "%c0") -> str:
    return f"%{name} = memref.load {array}[{where}] : memref<8xindex>"


def store(value: str, array: str = "%p", where: str = "%c0") -> str:
    return f"memref.store {value}, {array}[{where}] : memref<8xindex>"


def test_a_varying_store_after_the_last_load_does_not_matter_to_the_load():
    k = arrays(f"""
    {store("%c8")}
    {load("a1")}
    {store("%lid")}
    {load("b1")}
    """)
    assert (k.shape("a1"), k.shape("b1")) == ("uniform align 8", "varying")
    assert k.shape("p") == "varying"


def test_uniform_store_in_a_divergent_branch_that_nobody_reads_after_it():
    k = arrays(f"""
    scf.if %v {{
      {store("%c8")}
      {load("a1")}
    }}
    {store("%c4", "%q")}
    {load("b1", "%q")}
    """)
    assert k.shape("a1") == "uniform align 8"
    assert (k.shape("p"), k.shape("q")) == ("uniform", "uniform")


def test_uniform_store_in_a_divergent_branch_that_is_read_after_it():
    k = arrays(f"""
    scf.if %v {{
      {store("%c8")}
    }}
    {load("a1")}
    """)
    assert (k.shape("a1"), k.shape("p")) == ("varying align 8", "varying")
    assert (k.shape("a1", 1), k.shape("p", 1)) == ("uniform align 8", "uniform")


def test_one_side_writes_what_the_other_side_reads():
    """Both sides see uniform contents, but one copy would be overwritten too early."""
    k = arrays(f"""
    {store("%c4")}
    scf.if %v {{
      {store("%c8")}
    }} else {{
      {load("a1")}
    }}
    """)
    assert k.shape("a1") == "uniform align 4"
    assert k.shape("p") == "varying"


def test_one_block_writes_what_a_block_beside_it_reads():
    k = arrays(f"""
      {store("%c4")}
      {store("%c4", "%q")}
      cf.cond_br %v, ^b, ^c
    ^b:
      {store("%c8")}
      {store("%c8", "%q")}
      {load("b1", "%q")}
      cf.br ^d
    ^c:
      {load("a1")}
      cf.br ^d
    ^d:
    """)
    assert (k.shape("a1"), k.shape("b1")) == ("uniform align 4", "uniform align 4")
    assert (k.shape("p"), k.shape("q")) == ("varying", "uniform")


def test_traversal_stack():
    """Lanes leave at different times, but until then all push and pop together."""
    k = arrays(f"""
    {store("%n")}
    %r = scf.while (%top = %c1) : (index) -> (index) {{
      %below = arith.subi %top, %c1 : index
      {load("node", where="%below")}
      %mine = memref.load %table[%lid] : memref<?xindex>
      %more = arith.cmpi ult, %node, %mine : index
      scf.condition(%more) %below : index
    }} do {{
    ^bb0(%t: index):
      %child = arith.addi %n, %t : index
      {store("%child", where="%t")}
      %next = arith.addi %t, %c1 : index
      scf.yield %next : index
    }}
    """)
    assert k.divergence.is_divergent(k.op("scf.while"))
    assert (k.shape("node"), k.shape("p")) == ("uniform", "uniform")
    assert k.shape("r") == "varying"


def test_traversal_stack_that_is_read_after_the_loop():
    k = arrays(f"""
    scf.for %j = %c0 to %lid step %c1 {{
      {store("%j")}
      {load("inside")}
    }}
    {load("outside")}
    """)
    assert (k.shape("inside"), k.shape("outside")) == ("uniform", "varying")
    assert k.shape("p") == "varying"


def test_traversal_stack_with_pushes_that_depend_on_the_lane():
    k = arrays(f"""
    {store("%n")}
    scf.for %j = %c0 to %m step %c1 {{
      {load("node")}
      %mine = memref.load %table[%lid] : memref<?xindex>
      %push = arith.cmpi ult, %node, %mine : index
      scf.if %push {{
        {store("%j")}
      }}
    }}
    """)
    assert (k.shape("node"), k.shape("p")) == ("varying", "varying")


def test_traversal_stack_in_blocks():
    k = arrays(f"""
      {store("%n")}
      {store("%n", "%q")}
      cf.br ^h(%c1 : index)
    ^h(%top: index):
      %below = arith.subi %top, %c1 : index
      {load("node", where="%below")}
      {load("other", "%q")}
      %mine = memref.load %table[%lid] : memref<?xindex>
      %more = arith.cmpi ult, %node, %mine : index
      cf.cond_br %more, ^body, ^x
    ^body:
      {store("%top", where="%below")}
      {store("%top", "%q")}
      %next = arith.addi %below, %c2 : index
      cf.br ^h(%next : index)
    ^x:
      {load("after", "%q")}
    """)
    assert (k.shape("node"), k.shape("other")) == ("uniform", "uniform")
    assert k.shape("after") == "varying"
    assert (k.shape("p"), k.shape("q")) == ("uniform", "varying")


def test_blocks():
    k = arrays(f"""
      {store("%c8")}
      {store("%c8", "%q")}
      cf.cond_br %u, ^b, ^c
    ^b:
      {store("%c4")}
      cf.br ^c
    ^c:
      {load("a1")}
      cf.cond_br %v, ^d, ^e
    ^d:
      {store("%c4", "%q")}
      cf.br ^e
    ^e:
      {load("b1")}
      {load("c5", "%q")}
    """)
    assert (k.shape("a1"), k.shape("b1")) == ("uniform align 4", "uniform align 4")
    assert k.shape("c5") == "varying align 4"
    assert (k.shape("p"), k.shape("q")) == ("uniform", "varying")


def test_array_of_one_execution_of_a_loop_body():
    """An alloca in a loop is new in every iteration."""
    k = arrays("""
    scf.for %j = %c0 to %lid step %c1 {
      %fresh = memref.alloca() : memref<8xindex>
      memref.store %j, %fresh[%c0] : memref<8xindex>
      %a1 = memref.load %fresh[%c0] : memref<8xindex>
    }
    """)
    assert (k.shape("a1"), k.shape("fresh")) == ("uniform", "uniform")


def test_execute_region_that_stores():
    k = arrays(f"""
    scf.execute_region {{
      cf.cond_br %v, ^b, ^c
    ^b:
      {store("%c8")}
      scf.yield
    ^c:
      {store("%c4", "%q")}
      scf.yield
    }}
    {load("a1")}
    {load("b1", "%q")}
    """)
    assert (k.shape("a1"), k.shape("b1")) == ("varying align 8", "varying align 4")


def test_stores_under_something_unknown():
    k = arrays(f"""
    "test.op"() ({{
      {store("%c8")}
      "test.termop"() : () -> ()
    }}) : () -> ()
    {load("a1")}
    """)
    assert (k.shape("a1"), k.shape("p")) == ("varying", "varying")


# The examples of the dissertation


def test_figure_6_11():
    k = arrays(f"""
    %c42 = arith.constant 42 : index
    {store("%lid")}
    {load("a1")}
    {store("%c42", "%q", "%lid")}
    {load("b1", "%q", "%c3")}
    %r = memref.alloca() : memref<64xindex>
    scf.for %j = %c0 to %c8 step %c1 {{
      %twice = arith.muli %j, %c2 : index
      memref.store %twice, %r[%j] : memref<64xindex>
    }}
    %c5 = arith.constant 5 : index
    %d1 = memref.load %r[%c5] : memref<64xindex>
    """)
    assert [k.shape(name) for name in ("p", "q", "r")] == [
        "varying",
        "varying",
        "uniform",
    ]
    assert [k.shape(name) for name in ("a1", "b1", "d1")] == [
        "contiguous align 0",
        "varying",
        "uniform align 2",
    ]


FIGURE_6_12 = """
  cf.cond_br %v, ^b, ^c({first} : memref<8xindex>)
^b:
  %loaded = memref.load %table[%lid] : memref<?xindex>
  memref.store %loaded, %p[%c0] : memref<8xindex>
  cf.br ^c({second} : memref<8xindex>)
^c(%z: memref<8xindex>):
  cf.cond_br %u, ^d, ^e
^d:
  memref.store %m, {target}[%c4] : memref<8xindex>
  cf.br ^e
^e:
  %s = memref.load %q[%c3] : memref<8xindex>
"""


def test_figure_6_12():
    """Some work-items write one array and some the other: neither is uniform."""
    k = arrays(FIGURE_6_12.format(first="%p", second="%q", target="%z"))
    assert (k.shape("p"), k.shape("q")) == ("varying", "varying")
    k = arrays(
        FIGURE_6_12.format(first="%x2", second="%x2", target="%p").replace(
            "cf.cond_br %v", "%x2 = memref.alloca() : memref<8xindex>\n  cf.cond_br %v"
        )
    )
    assert (k.shape("p"), k.shape("q")) == ("varying", "uniform")


def test_states():
    k = arrays(f"""
    scf.for %j = %c0 to %m step %c1 {{
      scf.if %v {{
        {store("%c8")}
      }}
    }}
    """)
    operations = [op for op in k.kernel.walk() if op is not k.kernel]
    ssa = build_alloca_ssa(k.kernel, memory_of(operations))
    kinds = [state.kind for state in ssa.states if state.object.stores]
    assert kinds == [
        StateKind.UNDEF,
        StateKind.LOOP_PHI,
        StateKind.DEF,
        StateKind.PHI,
        StateKind.EXIT_PHI,
    ]
