"""Which values lie in one context, and which may not."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import test
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from spmd.analysis.contexts.slots import Segment, Slot, assign_slots
from spmd.dialects.spmd import ScanOp


def slots_of(values: tuple[SSAValue, ...]) -> tuple[Slot, ...]:
    return tuple(Slot(f32, None, test.TestOp(), "a test", (value,)) for value in values)


def values(count: int) -> tuple[SSAValue, ...]:
    return tuple(test.TestOp(result_types=[f32] * count).results)


def are_apart(slots: tuple[Slot, ...], segments: Mapping[int, Segment]) -> bool:
    """Whether each has a context of its own, where segments run one after the other."""
    found = assign_slots(
        slots, segments, lambda n: [n + 1] if n + 1 in segments else [], ()
    )
    return len(found.slots) == len(slots)


def test_values_one_after_the_other_share():
    a, b = values(2)
    segments = {0: Segment(defines=[a]), 1: Segment([a], [b]), 2: Segment([b])}
    assert not are_apart(slots_of((a, b)), segments)


def test_what_is_read_later_stays_through_what_does_not_touch_it():
    a, b = values(2)
    segments = {
        0: Segment(defines=[a]),
        1: Segment(defines=[b]),
        2: Segment(),
        3: Segment([a, b]),
    }
    assert are_apart(slots_of((a, b)), segments)


def test_results_of_a_scan_spare_what_is_read_later():
    (a,) = values(1)
    scan = ScanOp("inclusive", "add", a, "work_group")
    segments = {0: Segment(defines=[a], end=scan), 1: Segment([a, scan.result])}
    assert are_apart(slots_of((a, scan.result)), segments)


def test_copies_spare_what_is_read_later():
    a, b, elsewhere = values(3)
    slots = slots_of((a, b))
    segments = {
        0: Segment(defines=[a]),
        1: Segment(copies=[(elsewhere, slots[1])]),
        2: Segment([a, b]),
    }
    assert are_apart(slots, segments)


def test_a_copy_shares_with_what_it_is_a_copy_of():
    a, b = values(2)
    slots = slots_of((a, b))
    segments = {
        0: Segment(defines=[a]),
        1: Segment([a], copies=[(a, slots[1])]),
        2: Segment([b]),
    }
    assert not are_apart(slots, segments)
