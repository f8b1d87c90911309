"""Lanes go over windows around themselves, near an edge or not, and where numbers wrap around."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.edges.version_edges import VersionEdgesPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    LINES,
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

CLAMPED = """
      %left = arith.subi %i, %c3 : index
      %low = arith.maxsi %left, %c0 : index
      %right = arith.addi %i, %c4 : index
      %high = arith.minsi %right, %n : index"""
WINDOWS = {
    "clamped": CLAMPED,
    "shifted": """
      %left = arith.subi %i, %c3 : index
      %below = arith.maxsi %left, %c0 : index
      %next = arith.addi %below, %c4 : index
      %low = arith.minsi %below, %n : index
      %high = arith.minsi %next, %n : index""",
    "what is shared is added": """
      %back = arith.subi %n, %c4 : index
      %some = arith.maxsi %back, %c0 : index
      %low = arith.minsi %i, %some : index
      %end = arith.minsi %c4, %n : index
      %high = arith.addi %low, %end : index""",
    "up to oneself": """
      %left = arith.subi %i, %c3 : index
      %low = arith.maxsi %left, %c0 : index
      %high = arith.addi %i, %c1 : index""",
    "32 bits": """
      %i32 = arith.index_cast %i : index to i32
      %n32 = arith.index_cast %n : index to i32
      %three = arith.constant 3 : i32
      %zero32 = arith.constant 0 : i32
      %left = arith.subi %i32, %three : i32
      %low32 = arith.maxsi %left, %zero32 : i32
      %right = arith.addi %i32, %three : i32
      %high32 = arith.minsi %right, %n32 : i32
      %low = arith.index_cast %low32 : i32 to index
      %high = arith.index_cast %high32 : i32 to index""",
    "chosen": """
      %left = arith.subi %i, %c3 : index
      %is_left = arith.cmpi sgt, %i, %c3 : index
      %low = arith.select %is_left, %left, %c0 : index
      %right = arith.addi %i, %c4 : index
      %is_right = arith.cmpi sle, %n, %right : index
      %high = arith.select %is_right, %n, %right : index""",
    "chosen with a jump": """
      %far = arith.cmpi sge, %i, %c4 : index
      %low = arith.select %far, %i, %c0 : index
      %to = arith.addi %i, %c1 : index
      %some = arith.select %far, %to, %c1 : index
      %high = arith.minsi %some, %n : index""",
    "empty in some": """
      %left = arith.subi %i, %c3 : index
      %low = arith.maxsi %left, %c4 : index
      %high = arith.minsi %i, %n : index""",
}
"""Numbers from `%low` to `%high` around the work-item `%i` of `%n`."""

TOGETHER = {
    "inside": """
      %before = arith.subi %c3, %i : index
      %low = arith.maxsi %before, %c0 : index
      %more = arith.addi %n, %c3 : index
      %after = arith.subi %more, %i : index
      %high = arith.minsi %after, %c4 : index""",
    "from one number": """
      %low = arith.addi %c1, %c2 : index
      %rest = arith.subi %n, %i : index
      %some = arith.minsi %rest, %c2 : index
      %high = arith.addi %some, %c3 : index""",
    "32 bits": """
      %i32 = arith.index_cast %i : index to i32
      %three = arith.constant 3 : i32
      %zero32 = arith.constant 0 : i32
      %before = arith.subi %three, %i32 : i32
      %low32 = arith.maxsi %before, %zero32 : i32
      %low = arith.index_cast %low32 : i32 to index
      %more = arith.addi %n, %c3 : index
      %after = arith.subi %more, %i : index
      %high = arith.minsi %after, %c4 : index""",
    "empty in some": """
      %low = arith.minsi %n, %c4 : index
      %rest = arith.subi %c8, %i : index
      %high = arith.maxsi %rest, %low : index""",
}
"""Numbers from `%low` to `%high`, which are 3 more than how far the element is from `%i`."""


def kernel_of(window: str, form: str = "all") -> str:
    """The sums over windows in either form."""
    if window in WINDOWS:
        return kernel(WINDOWS[window], *FORMS[form])
    text = kernel(TOGETHER[window], *FORMS[form]).replace("[%j, %k]", "[%j, %near]")
    return text.replace(
        "      %v =",
        """      %far = arith.addi %i, %k : index
      %at = arith.subi %far, %c3 : index
      %above = arith.maxsi %at, %c0 : index
      %least = arith.subi %n, %c1 : index
      %near = arith.minsi %above, %least : index
      %v =""",
    )


def kernel(window: str, where: str = "sge, %i, %c0", step: str = "%c1") -> str:
    """The sums over windows, of the work-items where a condition holds."""
    return f"""
spmd.kernel @sums(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %j = spmd.global_id y
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %odd = arith.andi %i, %c1 : index
  %where = arith.cmpi {where} : index
  %r = scf.if %where -> (f32) {{{window}
    %sum = scf.for %k = %low to %high step {step} iter_args(%s = %zero) -> (f32) {{
      %v = memref.load %x[%j, %k] : memref<?x?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }}
    scf.yield %sum : f32
  }} else {{
    scf.yield %zero : f32
  }}
  memref.store %r, %y[%j, %i] : memref<?x?xf32>
  spmd.return
}}
"""


FORMS = {
    "all": ("sge, %i, %c0", "%c1"),
    "odd": ("eq, %odd, %c1", "%c1"),
    "in twos": ("sge, %i, %c0", "%c2"),
}


def arguments(make: Maker) -> list[Any]:
    shape = (1, *make.size)[-2:]
    return [make.random("f32", *shape), make.zeros("f32", *shape)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("window", [*WINDOWS, *TOGETHER])
def test_the_pass_keeps_the_meaning(window: str, form: str):
    check_passes(
        kernel_of(window, form),
        arguments,
        LINES[2:],
        SpmdToLoopsPass(),
        FormSubGroupsPass(8),
        VersionEdgesPass(),
        MaskDivergencePass(),
    )


@pytest.mark.parametrize("shape", [(), (4, 2), (8,)], ids=str)
@pytest.mark.parametrize("window", [*WINDOWS, *TOGETHER])
def test_native_code(window: str, shape: tuple[int, ...]):
    for number, launch in enumerate((*LINES[1:4], *PLANES, Launch((300, 2), (64, 1)))):
        form = list(FORMS)[number % 3]
        if len(launch.global_size) > 1 or len(shape) < 2:
            check_native(kernel_of(window, form), arguments, launch, shape=shape)


def vectorized(text: str) -> str:
    module = parsed(text).clone()
    for step in (SpmdToLoopsPass(), VectorizePass(width=8)):
        step.apply(make_context(), module)
    return str(module)


@pytest.mark.parametrize("window", WINDOWS)
def test_away_from_edges_one_counter_loads_vectors(window: str):
    text = vectorized(kernel(WINDOWS[window]))
    near = text.partition("scf.if %inside")[2].partition("} else {")[0]
    assert "scf.for %k" in near
    assert "vector.load %x" in near


@pytest.mark.parametrize("window", TOGETHER)
def test_away_from_edges_lanes_share_a_counter(window: str):
    text = vectorized(kernel_of(window))
    near = text.partition("scf.if %inside")[2].partition("scf.while")[0]
    assert "scf.for %k" in near
    assert "vector.load %x" in near


# Beside the largest and the smallest number

LARGEST = (1 << 63) - 1
SMALLEST = -LARGEST - 1

AT_THE_END = """
spmd.kernel @sums(%begin64: i64, %most64: i64, %least64: i64, %x: memref<?xf32>, %y: memref<?xf32>) {{
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %middle = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %begin = arith.index_cast %begin64 : i64 to index
  %most = arith.index_cast %most64 : i64 to index
  %least = arith.index_cast %least64 : i64 to index
  %i = spmd.global_id x
  %at = arith.addi %begin, %i : index
  %bent = arith.minsi %at, %most : index
  %low = arith.maxsi %bent, %least : index
  %end = arith.addi %at, %c4 : index
  %less = arith.cmpi sgt, %end, %least : index
  %over = arith.addi %low, %c4 : index
  %high = {end}
  %sum = scf.for %k = %low to %high step %c1 iter_args(%s = %zero) -> (f32) {{
    %distance = arith.subi %k, %begin : index
    %near = arith.addi %distance, %middle : index
    %v = memref.load %x[%near] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }}
  memref.store %sum, %y[%i] : memref<?xf32>
  spmd.return
}}
"""


@pytest.mark.parametrize(
    "end",
    [
        "arith.addi %low, %c4 : index",
        "arith.maxsi %end, %least : index",
        "arith.minsi %over, %most : index",
        "arith.select %less, %end, %least : index",
    ],
)
@pytest.mark.parametrize(
    ("begin", "most", "least"),
    [
        (LARGEST - 20, LARGEST, LARGEST - 30),
        (LARGEST - 20, LARGEST - 10, LARGEST - 19),
        (LARGEST - 5, LARGEST - 3, LARGEST - 4),
        (LARGEST - 3, LARGEST, -LARGEST - 1),
        (LARGEST - 12, LARGEST, -LARGEST - 1),
        (-LARGEST - 1, LARGEST, -LARGEST + 6),
        (-LARGEST - 1, -LARGEST + 9, -LARGEST - 1),
        (-20, -7, -12),
    ],
)
def test_numbers_that_wrap_around(begin: int, most: int, least: int, end: str):
    def arguments(make: Maker) -> list[Any]:
        arrays = [make.random("f32", 1024), make.zeros("f32", make.n)]
        return [begin, most, least, *arrays]

    text = AT_THE_END.format(end=end)
    assert "scf.if %inside" in vectorized(text)
    for launch in LINES[1:4]:
        check_native(text, arguments, launch, width=8)


@pytest.mark.parametrize(
    "end", ["arith.addi %low, %c4 : index", "arith.minsi %over, %most : index"]
)
@pytest.mark.parametrize(
    ("begin", "most", "least"),
    [
        (SMALLEST + 20, LARGEST, SMALLEST),
        (SMALLEST + 5, LARGEST, SMALLEST),
        (SMALLEST + 5, LARGEST, SMALLEST + 2),
        # The first lanes and the last ones begin at the same number, and others before.
        (SMALLEST + 3, SMALLEST + 3, SMALLEST),
        (SMALLEST + 9, SMALLEST + 7, SMALLEST + 3),
        (30, 20, 10),
        (LARGEST, LARGEST - 9, LARGEST - 20),
    ],
)
def test_numbers_that_fall_and_wrap_around(begin: int, most: int, least: int, end: str):
    def arguments(make: Maker) -> list[Any]:
        arrays = [make.random("f32", 1024), make.zeros("f32", make.n)]
        return [begin, most, least, *arrays]

    text = AT_THE_END.format(end=end).replace("addi %begin, %i", "subi %begin, %i")
    assert "%together" in vectorized(text)
    for launch in LINES[1:4]:
        check_native(text, arguments, launch, width=8)


@pytest.mark.parametrize("begin", [LARGEST - 1, LARGEST - 3, LARGEST - 40])
def test_elements_whose_numbers_wrap_around(begin: int):
    """Lanes 0 and 1 load the same, and the others what they would load without an edge."""
    text = CHOICE.replace(
        "arith.select %less, %distance, %middle", "arith.addi %bent, %back"
    )
    text = text.replace(
        "  %less =",
        """  %bent = arith.minsi %at, %most : index
  %back = arith.subi %middle, %begin : index
  %less =""",
    )

    def arguments(make: Maker) -> list[Any]:
        return [begin, LARGEST - 1, make.random("f32", 1024), make.zeros("f32", make.n)]

    assert "%rises" in vectorized(text)
    for launch in LINES[1:4]:
        check_native(text, arguments, launch, width=8)


CHOICE = """
spmd.kernel @choice(%begin64: i64, %most64: i64, %x: memref<?xf32>, %y: memref<?xf32>) {
  %middle = arith.constant 512 : index
  %begin = arith.index_cast %begin64 : i64 to index
  %most = arith.index_cast %most64 : i64 to index
  %i = spmd.global_id x
  %at = arith.addi %begin, %i : index
  %less = arith.cmpi slt, %at, %most : index
  %distance = arith.subi %at, %begin : index
  %place = arith.select %less, %distance, %middle : index
  %v = memref.load %x[%place] : memref<?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.mark.parametrize(
    ("begin", "most"), [(LARGEST - 3, LARGEST), (LARGEST - 12, LARGEST), (0, 5)]
)
def test_conditions_on_numbers_that_wrap_around(begin: int, most: int):
    """Of the first lanes and the last ones the condition holds, and not in between."""

    def arguments(make: Maker) -> list[Any]:
        return [begin, most, make.random("f32", 1024), make.zeros("f32", make.n)]

    assert "%agreed" in vectorized(CHOICE)
    for launch in LINES[1:4]:
        check_native(CHOICE, arguments, launch, width=8)
