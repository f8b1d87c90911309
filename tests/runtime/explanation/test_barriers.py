"""What an explanation says of barriers, contexts, slots and memory."""

from __future__ import annotations

from typing import Any

import spmd
from spmd.runtime.explanation.facts import KernelFacts, Place

FILE = "<string>"


def explain(source: str, **options: Any) -> KernelFacts:
    sizes = {
        name: options.pop(name)
        for name in ("group_size", "global_size")
        if name in options
    }
    options.setdefault("width", 16)
    program = spmd.compile(source, **options)
    (kernel,) = program.kernels.values()
    (facts,) = kernel.explain(**sizes).kernels
    return facts


def text_of(facts: KernelFacts) -> str:
    return str(spmd.Explanation((facts,)))


MIRROR = """spmd.kernel @mirror(%x: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xf32>
  memref.store %v, %tile[%lid] : memref<64xf32, #spmd.memory<local>>
  spmd.barrier
  %last = arith.subi %size, %c1 : index
  %other = arith.subi %last, %lid : index
  %w = memref.load %tile[%other] : memref<64xf32, #spmd.memory<local>>
  %s = arith.addf %v, %w : f32
  memref.store %s, %x[%gid] : memref<?xf32>
  spmd.return
}
"""


def test_a_context():
    facts = explain(MIRROR)
    assert (facts.barriers, facts.strategy, facts.why_not_fission) == (
        1,
        "fission",
        None,
    )
    (context,) = facts.contexts
    assert (context.name, context.type, context.bytes) == ("v", "f32", 4)
    assert context.place == Place(FILE, 7, 8)
    assert context.reason == "memref.load is not rematerialized after a barrier"
    assert context.values == ()
    assert facts.context_bytes == 4
    assert "kept           4 bytes per work-item across barriers:" in text_of(facts)
    assert "4  f32  %v  7:8  memref.load is not rematerialized" in text_of(facts)


def test_sizes_do_not_change_what_a_work_item_keeps():
    for size in (3, 64, (8, 4), (2, 3, 4)):
        facts = explain(MIRROR, group_size=size)
        assert facts.context_bytes == 4, size
        assert facts.contexts[0].type == "f32"


def test_group_memory():
    facts = explain(MIRROR, group_size=64)
    (tile,) = facts.local_arrays
    assert (tile.name, tile.type, tile.bytes) == ("tile", "memref<64xf32>", 256)
    assert tile.place == Place(FILE, 3, 11)
    assert facts.local_bytes == 256
    assert (facts.stack_bytes, facts.scratch_bytes) == (512, 0)
    assert "256 bytes per work-group: %tile memref<64xf32>" in text_of(facts)
    assert "group memory" not in text_of(facts)
    facts = explain(MIRROR)
    assert (facts.stack_bytes, facts.scratch_bytes) == (256, None)
    assert (
        "256 bytes on the stack, a scratch buffer whose size depends on the launch"
        in text_of(facts)
    )


def test_large_contexts_lie_in_scratch():
    source = MIRROR.replace("64xf32", "2048xf32")
    facts = explain(source, group_size=2048)
    assert (facts.stack_bytes, facts.scratch_bytes) == (16384, 0)
    facts = explain(source.replace("2048xf32", "4096xf32"), group_size=2048)
    assert (facts.stack_bytes, facts.scratch_bytes) == (8192, 16384)
    assert "8192 bytes on the stack, 16384 bytes in a scratch buffer" in text_of(facts)


def test_local_memory_of_the_launch():
    source = """spmd.kernel @k(%t: memref<?xf32, #spmd.memory<local>>, %x: memref<?xf32>) {
  %lid = spmd.local_id x
  %v = memref.load %x[%lid] : memref<?xf32>
  memref.store %v, %t[%lid] : memref<?xf32, #spmd.memory<local>>
  spmd.return
}"""
    facts = explain(source)
    assert [array.bytes for array in facts.local_arrays] == [None]
    assert facts.local_bytes is None
    assert "as many bytes as the launch asks for per work-group: %t memref<?xf32>" in (
        text_of(facts)
    )


PRIVATE = """spmd.kernel @k(%n: index, %x: memref<?xf32>) {
  %lid = spmd.local_id x
  %a = memref.alloca() : memref<4xf32>
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%lid] : memref<?xf32>
  memref.store %v, %a[%n] : memref<4xf32>
  spmd.barrier
  %w = memref.load %a[%c1] : memref<4xf32>
  memref.store %w, %x[%n] : memref<?xf32>
  spmd.return
}
"""


def test_a_private_array():
    for size in (None, 64, (4, 4)):
        (array,) = explain(PRIVATE, group_size=size).contexts
        assert (array.name, array.type, array.bytes) == ("a", "memref<4xf32>", 16)
        assert array.reason.startswith("a private array")


def test_a_private_array_that_is_needed_as_a_value():
    source = PRIVATE.replace(
        "  %w = memref.load %a[%c1] : memref<4xf32>",
        """  %part = memref.subview %a[1] [2] [1]
      : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  memref.copy %part, %part
    : memref<2xf32, strided<[1], offset: 1>> to memref<2xf32, strided<[1], offset: 1>>
  %w = memref.load %part[%c1] : memref<2xf32, strided<[1], offset: 1>>""",
    )
    for size in (None, 64):
        (array,) = explain(source, group_size=size).contexts
        assert (array.bytes, array.type) == (16, "memref<16xi8>")
        assert array.reason.endswith("memref.subview needs it as a value")


def test_private_arrays_of_dynamic_size():
    plain = PRIVATE.replace("alloca()", "alloca(%n)").replace("<4xf32>", "<?xf32>")
    as_value = plain.replace(
        "  %w = memref.load %a[%c1] : memref<?xf32>",
        """  %part = memref.subview %a[1] [2] [1]
      : memref<?xf32> to memref<2xf32, strided<[1], offset: 1>>
  memref.copy %part, %part
    : memref<2xf32, strided<[1], offset: 1>> to memref<2xf32, strided<[1], offset: 1>>
  %w = memref.load %part[%c1] : memref<2xf32, strided<[1], offset: 1>>""",
    )
    for source, type_ in ((plain, "memref<?xf32>"), (as_value, "memref<?xi8>")):
        for size in (None, 64):
            facts = explain(source, group_size=size)
            (array,) = facts.contexts
            assert (array.bytes, array.type) == (None, type_)
            assert facts.context_bytes is None
            assert "0 bytes and arrays of dynamic size per work-item" in text_of(facts)


def test_a_barrier_that_orders_nothing():
    facts = explain(MIRROR.replace("  spmd.return", "  spmd.barrier\n  spmd.return"))
    (dropped,) = facts.dropped_barriers
    assert dropped.place == Place(FILE, 15, 3)
    assert dropped.proof == "nothing that work-items share is accessed after it"
    assert facts.barriers == 1
    assert f"dropped the one at 15:3: {dropped.proof}" in text_of(facts)


UNEVEN = """spmd.kernel @uneven(%x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lid = spmd.local_id x
  %trips = arith.addi %lid, %c2 : index
  scf.for %i = %c0 to %trips step %c1 {
    %early = arith.cmpi ult, %i, %c2 : index
    scf.if %early {
      spmd.barrier
    }
    memref.store %lid, %x[%i] : memref<?xindex>
  }
  spmd.return
}
"""


def test_why_fission_is_not_right():
    facts = explain(UNEVEN)
    assert facts.strategy == "continuations"
    assert facts.why_not_fission is not None
    assert "not proved uniform" in facts.why_not_fission
    text = text_of(facts)
    assert "1, split by continuations" in text
    assert "not by fission: expected scf." in text
    assert max(map(len, text.splitlines())) < 120
    slots = {slot.name: slot for slot in facts.slots}
    assert slots["next_sync"].bytes == 8
    assert slots["next_sync"].reason == (
        "tells which barrier the work-group comes to next"
    )


def test_continuations_that_were_asked_for():
    facts = explain(MIRROR, strategy="continuations")
    assert (facts.strategy, facts.why_not_fission) == ("continuations", None)


def test_no_barrier_needs_no_strategy():
    source = MIRROR.replace("  spmd.barrier\n", "")
    for strategy in ("auto", "continuations"):
        facts = explain(source, strategy=strategy)
        assert (facts.barriers, facts.strategy) == (0, None)
        assert "barriers" not in text_of(facts)


def test_values_that_share_a_context():
    source = """spmd.kernel @k(%x: memref<?xf32>, %y: memref<?xf32>) {
  %lid = spmd.local_id x
  %a = memref.load %x[%lid] : memref<?xf32>
  spmd.barrier
  memref.store %a, %y[%lid] : memref<?xf32>
  %b = memref.load %x[%lid] : memref<?xf32>
  spmd.barrier
  memref.store %b, %y[%lid] : memref<?xf32>
  spmd.return
}
"""
    facts = explain(source)
    (context,) = facts.contexts
    assert context.values == ("a", "b")
    assert facts.context_bytes == 4
    assert "(also %b)" in text_of(facts)


FIXED = MIRROR.replace(
    "%x: memref<?xf32>)",
    "%x: memref<?xf32>) attributes {work_group_size = array<i64: 64>}",
)


def test_the_version_for_full_groups_is_explained():
    facts = explain(FIXED)
    assert facts.full_groups
    assert facts.group_size == (64, 1, 1)
    assert facts.differences == ()
    assert "64 work-items; what follows is about full groups" in text_of(facts)


IN_LOOP = """
spmd.kernel @steps(%x: memref<?xf32>) attributes {work_group_size = array<i64: 6>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %tile = spmd.local_alloc : memref<6xf32, #spmd.memory<local>>
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  memref.store %v, %tile[%lid] : memref<6xf32, #spmd.memory<local>>
  scf.for %k = %c0 to %c4 step %c1 {
    spmd.barrier
    %t = memref.load %tile[%c0] : memref<6xf32, #spmd.memory<local>>
    spmd.barrier
    memref.store %t, %tile[%lid] : memref<6xf32, #spmd.memory<local>>
  }
  spmd.return
}
"""


def test_how_partial_groups_differ():
    facts = explain(IN_LOOP)
    found = [text for text in facts.differences if "scalar: LLVM does as well" in text]
    assert found, facts.differences
    assert f"partial groups {found[0][:20]}" in text_of(facts)


def test_a_launch_of_full_groups_has_one_version():
    assert explain(IN_LOOP, global_size=12, group_size=6).differences == ()
    assert explain(IN_LOOP, global_size=13, group_size=6).differences != ()


def test_partial_groups_need_no_more_lanes_than_full_ones():
    source = FIXED.replace("i64: 64>}", "i64: 6>}")
    facts = explain(source)
    assert [loop.lanes for loop in facts.loops] == [8, 8]
    assert facts.differences == ()


def test_private_arrays_of_one_region_are_no_group_memory():
    facts = explain(PRIVATE.replace("  spmd.barrier\n", ""), vectorize=False)
    assert facts.contexts == ()
    assert facts.stack_bytes == 0


def test_a_launch_of_full_groups_and_another():
    assert explain(MIRROR, global_size=512).full_groups
    assert explain(MIRROR, global_size=512).group_size == (256, 1, 1)
    partial = explain(MIRROR, global_size=500)
    assert partial.group_size == (256, 1, 1)
    assert partial.full_groups, "the version that most groups run"


def test_one_code_for_all_sizes():
    facts = explain(MIRROR, global_size=512, specialize=False)
    assert facts.group_size is None


def test_checked_barriers_keep_what_is_compared():
    facts = explain(UNEVEN, check_barriers=True)
    assert facts.barriers == 1
    assert any("compare" in context.reason for context in facts.contexts)
