"""Divergence of kernels whose control flow is blocks and branches."""

from __future__ import annotations

from tests.analysis.programs import Analysed

CONDITIONS = """
%v = arith.cmpi slt, %gid, %n : index
%w = arith.cmpi slt, %lid, %m : index
%u = arith.cmpi slt, %n, %m : index
%u2 = arith.cmpi eq, %n, %m : index
"""


def analysed(body: str) -> Analysed:
    """The last block falls through to the end of the kernel."""
    return Analysed(CONDITIONS + body)


def test_diamond_on_a_varying_condition():
    k = analysed("""
      cf.cond_br %v, ^b, ^c
    ^b:
      cf.br ^d(%c8, %n, %c16 : index, index, index)
    ^c:
      cf.br ^d(%c4, %n, %lid : index, index, index)
    ^d(%x1: index, %same: index, %y1: index):
      %z = arith.addi %x1, %c4 : index
    """)
    # 8 or 4; the same value from both sides; 16 or the id.
    assert k.shape("x1") == "varying align 4"
    assert k.shape("x1", 1) == "uniform align 4"
    assert k.shape("same") == "uniform"
    assert k.shape("y1") == "varying"
    assert k.divergence.is_divergent(k.op("cf.cond_br"))
    assert not k.divergence.is_divergent(k.op("cf.cond_br"), 1)
    assert not k.divergence.all_active(k.op("cf.br", 0))
    assert k.divergence.all_active(k.definition("z"))


def test_diamond_on_a_uniform_condition():
    k = analysed("""
      cf.cond_br %u, ^b, ^c
    ^b:
      cf.br ^d(%c8, %lid : index, index)
    ^c:
      cf.br ^d(%c4, %gid : index, index)
    ^d(%x1: index, %y1: index):
      cf.br ^e
    ^e:
    """)
    assert (k.shape("x1"), k.shape("y1")) == ("uniform align 4", "contiguous")
    assert not k.divergence.is_divergent(k.op("cf.cond_br"))


def test_both_edges_to_one_block():
    k = analysed("""
      cf.cond_br %v, ^d(%c8 : index), ^d(%c4 : index)
    ^d(%x1: index):
      cf.cond_br %u, ^e(%c8 : index), ^e(%c4 : index)
    ^e(%y1: index):
      cf.cond_br %v, ^f(%n : index), ^f(%n : index)
    ^f(%z1: index):
    """)
    assert k.shape("x1") == "varying align 4"
    assert k.shape("y1") == "uniform align 4"
    assert k.shape("z1") == "uniform"


def test_switch():
    k = analysed("""
      %flag = arith.index_cast %lid : index to i32
      cf.switch %flag : i32, [
        default: ^b,
        1: ^c(%c8 : index),
        2: ^d(%c16 : index)
      ]
    ^b:
      cf.br ^c(%c4 : index)
    ^c(%x1: index):
      cf.br ^d(%c4 : index)
    ^d(%y1: index):
    """)
    assert (k.shape("x1"), k.shape("y1")) == ("varying align 4", "varying align 4")
    assert k.divergence.is_divergent(k.op("cf.switch"))


LOOP = """
  cf.br ^h(%c0 : index)
^h(%k: index):
  %next = arith.addi %k, %c4 : index
  %stay = arith.cmpi slt, %next, {bound} : index
  cf.cond_br %stay, ^h(%next : index), ^x(%k : index)
^x(%out: index):
  %use = arith.addi %next, %c4 : index
  %other = arith.addi %n, %c4 : index
"""


def test_loop_with_a_uniform_exit():
    k = analysed(LOOP.format(bound="%m"))
    assert (k.shape("k"), k.shape("out"), k.shape("use")) == ("uniform align 4",) * 3


def test_temporal_divergence():
    k = analysed(LOOP.format(bound="%lid"))
    next_ = k.value("next")
    # In the loop all lanes count together; after it they have counted differently.
    assert k.shape("k") == "uniform align 4"
    assert k.shape("out") == "varying align 4"
    assert k.shape("use") == "varying align 4"
    assert k.shape("other") == "uniform"
    at = k.divergence.shape_at
    assert str(at(next_, k.op("cf.cond_br"))) == "uniform align 4"
    assert str(at(next_, k.definition("use"))) == "varying align 4"
    assert k.shape("next") == "varying align 4"
    assert not k.divergence.all_active(k.definition("stay"))
    assert k.divergence.all_active(k.definition("use"))


def test_mixed_exits():
    """The exit that all lanes take together keeps what was computed in the loop."""
    k = analysed("""
      cf.br ^body(%c0 : index)
    ^body(%k: index):
      %next = arith.addi %k, %c4 : index
      %stop = arith.cmpi eq, %k, %m : index
      cf.cond_br %stop, ^ux, ^latch
    ^latch:
      %leave = arith.cmpi eq, %k, %lid : index
      cf.cond_br %leave, ^dx, ^body(%next : index)
    ^ux:
      %together = arith.addi %k, %c4 : index
      cf.br ^exit(%k : index)
    ^dx:
      %apart = arith.addi %k, %c4 : index
      cf.br ^exit(%k : index)
    ^exit(%j: index):
      %after = arith.addi %k, %c4 : index
    """)
    assert k.shape("together") == "uniform align 4"
    assert k.shape("apart") == "varying align 4"
    assert (k.shape("j"), k.shape("after")) == ("varying align 4", "varying align 4")


def test_a_uniform_branch_in_a_divergent_region():
    k = analysed("""
      cf.cond_br %v, ^a1, ^e
    ^a1:
      cf.cond_br %u, ^b, ^c
    ^b:
      %inner = arith.addi %n, %c4 : index
      cf.br ^d(%c0 : index)
    ^c:
      cf.br ^d(%c1 : index)
    ^d(%z: index):
      %here = arith.addi %z, %c4 : index
      cf.br ^f(%z : index)
    ^e:
      cf.br ^f(%c1 : index)
    ^f(%joined: index):
      %there = arith.addi %joined, %c4 : index
    """)
    assert (k.shape("z"), k.shape("joined")) == ("uniform", "varying")
    # Activation is transitive: b is inactive in some lanes though its branch is uniform.
    active = k.divergence.all_active
    assert not active(k.definition("inner"))
    assert not active(k.definition("here"))
    assert active(k.definition("there"))


def test_divergence_that_comes_around_a_loop():
    k = analysed("""
      cf.br ^h(%c0, %c0 : index, index)
    ^h(%k: index, %late: index):
      %p = arith.cmpi slt, %late, %n : index
      cf.cond_br %p, ^b, ^c
    ^b:
      cf.br ^d(%c4 : index)
    ^c:
      cf.br ^d(%c8 : index)
    ^d(%x1: index):
      %next = arith.addi %k, %c1 : index
      %stay = arith.cmpi slt, %next, %m : index
      cf.cond_br %stay, ^h(%next, %lid : index, index), ^x
    ^x:
    """)
    assert (k.shape("late"), k.shape("x1")) == ("varying", "varying align 4")
    assert k.shape("k") == "uniform"


def test_loops_in_loops_left_at_once():
    k = analysed("""
      cf.br ^outer(%c0 : index)
    ^outer(%i1: index):
      %u1 = arith.addi %i1, %c4 : index
      cf.br ^inner(%c0 : index)
    ^inner(%j1: index):
      %j2 = arith.addi %j1, %c4 : index
      %done = arith.cmpi eq, %j1, %lid : index
      cf.cond_br %done, ^out(%i1, %j1 : index, index), ^next
    ^next:
      %more = arith.cmpi slt, %j2, %m : index
      cf.cond_br %more, ^inner(%j2 : index), ^latch(%j1 : index)
    ^latch(%after: index):
      %again = arith.cmpi slt, %u1, %n : index
      cf.cond_br %again, ^outer(%u1 : index), ^out(%n, %n : index, index)
    ^out(%oi: index, %oj: index):
      %use = arith.addi %u1, %c4 : index
    """)
    # The lanes that stay leave the inner loop together.
    assert (k.shape("i1"), k.shape("j1"), k.shape("after")) == ("uniform align 4",) * 3
    assert (k.shape("oi"), k.shape("oj")) == ("varying", "varying")
    assert k.shape("use") == "varying align 4"


def test_execute_region_with_blocks():
    k = analysed("""
      %r, %s, %t = scf.execute_region -> (index, index, index) {
        cf.cond_br %v, ^b, ^c
      ^b:
        scf.yield %c4, %n, %c4 : index, index, index
      ^c:
        scf.yield %c8, %n, %lid : index, index, index
      }
      %q = scf.execute_region -> (index) {
        cf.cond_br %u, ^b, ^c
      ^b:
        scf.yield %c4 : index
      ^c:
        scf.yield %c8 : index
      }
      %after = arith.addi %n, %c1 : index
    """)
    assert (k.shape("r"), k.shape("s"), k.shape("t")) == (
        "varying align 4",
        "uniform",
        "varying",
    )
    assert k.shape("q") == "uniform align 4"
    assert k.divergence.all_active(k.definition("after"))


def test_structured_control_flow_inside_of_blocks():
    k = analysed("""
      cf.br ^h(%c0 : index)
    ^h(%k: index):
      %next = arith.addi %k, %c4 : index
      %stay = arith.cmpi slt, %next, %lid : index
      cf.cond_br %stay, ^h(%next : index), ^x
    ^x:
      %r = scf.if %u -> (index) {
        %inside = arith.addi %next, %c4 : index
        scf.yield %next : index
      } else {
        scf.yield %c4 : index
      }
    """)
    assert (k.shape("inside"), k.shape("r")) == ("varying align 4", "varying align 4")


def test_irreducible_control_flow():
    k = analysed(
        """
      cf.cond_br %u, ^b(%c0 : index), ^c(%c0 : index)
    ^b(%x1: index):
      cf.cond_br %v, ^c(%c4 : index), ^d
    ^c(%y1: index):
      %z = arith.addi %n, %c4 : index
      cf.cond_br %u2, ^b(%c8 : index), ^d
    ^d:
      %use = arith.addi %n, %c4 : index
    """.replace("%z2", "%n")
    )
    assert (k.shape("x1"), k.shape("y1")) == ("varying align 8", "varying align 4")
    assert not k.divergence.all_active(k.definition("use"))


def test_irreducible_but_uniform():
    k = analysed("""
      cf.cond_br %u, ^b(%c0 : index), ^c(%c0 : index)
    ^b(%x1: index):
      cf.cond_br %u2, ^c(%c4 : index), ^d
    ^c(%y1: index):
      cf.cond_br %u2, ^b(%c8 : index), ^d
    ^d:
      %use = arith.addi %n, %c4 : index
    """)
    assert (k.shape("x1"), k.shape("y1")) == ("uniform align 8", "uniform align 4")
    assert k.divergence.all_active(k.definition("use"))


def test_early_return():
    k = analysed("""
      cf.cond_br %v, ^work, ^done
    ^work:
      %a1 = arith.addi %n, %c1 : index
      memref.store %zero, %x[%gid] : memref<?xf32>
      cf.br ^done
    ^done:
      %b1 = arith.addi %n, %c1 : index
    """)
    assert not k.divergence.all_active(k.definition("a1"))
    assert k.divergence.all_active(k.definition("b1"))


def test_code_that_never_runs():
    k = analysed("""
      cf.br ^d(%c0 : index)
    ^dead(%q: index):
      %r = arith.addi %q, %c1 : index
      cf.br ^d(%r : index)
    ^d(%x1: index):
    """)
    assert k.shape("x1") == "uniform align 0"
    assert (k.shape("q"), k.shape("r")) == ("varying", "varying")


def test_collective_of_lanes_that_have_diverged():
    """Lanes are together again after the nearest common post-dominator, not before."""
    k = analysed("""
      %r0 = spmd.reduce max %n across work_group : index
      cf.cond_br %v, ^b, ^c
    ^b:
      cf.br ^d
    ^c:
      cf.cond_br %w, ^d, ^f
    ^d:
      %r1 = spmd.reduce max %n across sub_group : index
      cf.br ^f
    ^f:
      %r2 = spmd.reduce max %n across sub_group : index
    """)
    assert (k.shape("r0"), k.shape("r1"), k.shape("r2")) == (
        "uniform",
        "varying",
        "uniform",
    )


def test_a_counter_that_lanes_take_out_of_an_irreducible_loop():
    k = analysed("""
      cf.cond_br %u, ^b(%c0 : index), ^c(%c0 : index)
    ^b(%x1: index):
      cf.br ^c(%c4 : index)
    ^c(%y1: index):
      %z = arith.addi %n, %c4 : index
      cf.cond_br %v, ^b(%c8 : index), ^d(%z : index)
    ^d(%left: index):
      %use = arith.addi %left, %c4 : index
    """)
    assert k.shape("left").startswith("varying")
