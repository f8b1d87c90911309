"""Launching kernels: results, sizes, specialisation, options, and what is an error."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.runtime.compiling.native_code import compile_kernel

SCALE = """
spmd.kernel @scale(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.mulf %a, %v : f32
  memref.store %w, %y[%i] : memref<?xf32>
  spmd.return
}
"""

IDS = """
spmd.kernel @ids(%out: memref<?x?x?xindex>) {
  %x = spmd.global_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %g = spmd.group_id x
  %l = spmd.local_size x
  %e = spmd.enqueued_local_size x
  %c = arith.constant 100 : index
  %gc = arith.muli %g, %c : index
  %lc = arith.addi %gc, %l : index
  %lcc = arith.muli %lc, %c : index
  %v = arith.addi %lcc, %e : index
  memref.store %v, %out[%z, %y, %x] : memref<?x?x?xindex>
  spmd.return
}
"""

FIXED = """
spmd.kernel @fixed(%out: memref<?xindex>) attributes {work_group_size = array<i64: 8>} {
  %i = spmd.global_id x
  %l = spmd.local_size x
  memref.store %l, %out[%i] : memref<?xindex>
  spmd.return
}
"""

LOCAL = """
spmd.kernel @rotate(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>,
                    %two: memref<2x?xi16, #spmd.memory<local>>) {
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l] : memref<?xi32, #spmd.memory<local>>
  %s = arith.constant 7 : i16
  memref.store %s, %two[%c1, %l] : memref<2x?xi16, #spmd.memory<local>>
  spmd.barrier
  %j = arith.addi %l, %c1 : index
  %k = arith.remui %j, %n : index
  %w = memref.load %tile[%k] : memref<?xi32, #spmd.memory<local>>
  %t = memref.load %two[%c1, %k] : memref<2x?xi16, #spmd.memory<local>>
  %u = arith.extsi %t : i16 to i32
  %r = arith.addi %w, %u : i32
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
"""


def kernel(text: str) -> spmd.Kernel:
    (found,) = spmd.compile(text, vectorize=False).kernels.values()
    return found


def test_first_launch_of_the_readme():
    x = np.arange(1000, dtype=np.float32)
    y = np.zeros_like(x)
    spmd.compile(SCALE)["scale"](2, x, y, global_size=x.size)
    assert_array_equal(y, 2 * x)


@pytest.mark.parametrize("group_size", [1, 3, 64, 256, 1000, 16384])
@pytest.mark.parametrize("size", [1, 5, 256, 1000])
def test_any_size_and_group_size(size: int, group_size: int):
    x = np.arange(size, dtype=np.float32)
    y = np.zeros_like(x)
    kernel(SCALE)(0.5, x, y, global_size=size, group_size=group_size)
    assert_array_equal(y, x / 2)


@pytest.mark.parametrize("group", [(4,), (4, 2), (2, 3, 2), None])
def test_three_dimensions(group: tuple[int, ...] | None):
    shape = (3, 5, 7)
    out = np.full(shape, -1)
    kernel(IDS)(out, global_size=shape[::-1], group_size=group)
    e = 8 if group is None else group[0]
    x = np.arange(7)
    local = np.minimum(e, 7 - x // e * e)
    assert_array_equal(out, np.broadcast_to(x // e * 10000 + local * 100 + e, shape))


def test_global_size_zero_does_nothing():
    x = np.ones(4, np.float32)
    y = x.copy()
    k = kernel(SCALE)
    for size in (0, (4, 0), (0, 4, 4)):
        k(2, x, y, global_size=size)
        k.bind(2, x, y, global_size=size)()
    assert_array_equal(y, 1)


def test_arguments_are_checked_even_if_nothing_is_done():
    with pytest.raises(spmd.LaunchError, match="got 2"):
        kernel(SCALE)(2, np.ones(4, np.float32), global_size=0)


def test_fixed_group_size():
    out = np.zeros(20, np.int64)
    k = kernel(FIXED)
    k(out, global_size=20)
    assert_array_equal(out, [8] * 16 + [4] * 4)
    k(out[:16], global_size=16, group_size=(8, 1))
    with pytest.raises(spmd.LaunchError, match=r"group_size 8 that.*fixes, got 16"):
        k(out, global_size=20, group_size=16)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", [64, 100])
def test_local_memory_of_the_launch(size: int, threads: int):
    x = np.arange(size, dtype=np.int32)
    expected = x.copy()
    for start in range(0, size, 16):
        expected[start : start + 16] = np.roll(x[start : start + 16], -1) + 7
    kernel(LOCAL)(
        x,
        spmd.local(16),
        spmd.local((2, 16)),
        global_size=size,
        group_size=16,
        threads=threads,
    )
    assert_array_equal(x, expected)


def test_bound_launch_runs_again_on_the_same_arrays():
    x = np.arange(8, dtype=np.float32)
    launch = kernel(SCALE).bind(2, x, x, global_size=8, group_size=4)
    for _ in range(3):
        launch()
    assert_array_equal(x, 8 * np.arange(8))


def test_bound_launch_keeps_its_arrays_alive():
    def bind() -> tuple[spmd.Launch, Any]:
        x = np.ones(1 << 16, np.float32)
        return kernel(SCALE).bind(2, x, x, global_size=x.size), x[:1].base

    launch, x = bind()
    launch()
    assert_array_equal(x, 2)


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [
        ("i8", np.int8),
        ("i8", np.uint8),
        ("i16", np.uint16),
        ("i32", np.int32),
        ("i64", np.uint64),
        ("index", np.int64),
        ("i1", np.bool_),
        ("f16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("bf16", np.uint16),
        ("f32", np.float32),
        ("f64", np.float64),
    ],
)
def test_every_type_arrives(type_: str, dtype: Any):
    k = kernel(
        f"spmd.kernel @fill(%p: i1, %v: {type_}, %q: i8, %out: memref<?x{type_}>) {{\n"
        "  %i = spmd.global_id x\n"
        f"  memref.store %v, %out[%i] : memref<?x{type_}>\n  spmd.return\n}}"
    )
    out = np.zeros(5, dtype)
    k(True, 1, 3, out, global_size=4)
    one = 0x3F80 if type_ == "bf16" and dtype is np.uint16 else 1
    assert_array_equal(out.astype(np.float64), [one] * 4 + [0])


@pytest.mark.parametrize("vectorize", [False, True])
def test_strided_array_is_written_in_place(vectorize: bool):
    program = spmd.compile(
        "spmd.kernel @fill(%out: memref<?x?xf32, strided<[?, ?], offset: ?>>) {\n"
        "  %i = spmd.global_id x\n  %j = spmd.global_id y\n"
        "  %c = arith.constant 1.0 : f32\n"
        "  memref.store %c, %out[%j, %i] : "
        "memref<?x?xf32, strided<[?, ?], offset: ?>>\n  spmd.return\n}",
        vectorize=vectorize,
    )
    array = np.zeros((6, 9), np.float32)
    program["fill"](array[1::2, ::-3], global_size=(3, 3))
    expected = np.zeros_like(array)
    expected[1::2, ::-3] = 1
    assert_array_equal(array, expected)


def test_static_strided_array_with_offset():
    type_ = "memref<2x4xi32, strided<[8, 2], offset: 3>>"
    k = kernel(
        f"spmd.kernel @copy(%a: {type_}, %out: memref<2x4xi32>) {{\n"
        "  %i = spmd.global_id x\n  %j = spmd.global_id y\n"
        f"  %v = memref.load %a[%j, %i] : {type_}\n"
        "  memref.store %v, %out[%j, %i] : memref<2x4xi32>\n  spmd.return\n}"
    )
    a = np.arange(16, dtype=np.int32).reshape(2, 8)[:, ::2]
    out = np.zeros((2, 4), np.int32)
    k(a, out, global_size=(4, 2))
    assert_array_equal(out, a)


def test_read_only_array_is_fine_where_it_is_not_written():
    x = np.arange(4, dtype=np.float32)
    x.flags.writeable = False
    y = np.zeros(4, np.float32)
    k = kernel(SCALE)
    k(3, x, y, global_size=4)
    assert_array_equal(y, 3 * x)
    with pytest.raises(
        spmd.LaunchError,
        match=r"^scale: argument 2 \(%y\): expected an array that can be written",
    ):
        k(3, y, x, global_size=4)


NOALIAS = SCALE.replace("%y: memref<?xf32>", "%y: memref<?xf32> {spmd.noalias}")


def test_overlap_with_a_noalias_argument_is_an_error():
    x = np.arange(8, dtype=np.float32)
    k = kernel(NOALIAS)
    with pytest.raises(
        spmd.LaunchError, match=r"argument 2 \(%y\) is marked spmd.noal"
    ):
        k(2, x[:5], x[4:], global_size=4)
    assert_array_equal(x, np.arange(8))
    k(2, x[:4], x[4:], global_size=4)
    kernel(SCALE)(2, x, x, global_size=4)


AGAIN = """
spmd.kernel @again(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %i = spmd.global_id x
  %two = arith.constant 2.0 : f32
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.mulf %v, %two : f32
  memref.store %w, %y[%i] : memref<?xf32>
  %again = memref.load %x[%i] : memref<?xf32>
  memref.store %again, %z[%i] : memref<?xf32>
  spmd.return
}
"""


@pytest.mark.optimized
@pytest.mark.parametrize("vectorize", [True, False])
def test_code_for_arrays_that_overlap_loads_again(vectorize: bool):
    """Each launch has code for the arrays that it has, in whatever order they come."""
    k = spmd.compile(AGAIN, vectorize=vectorize)["again"]
    for shift in (64, 0, 64, 0):
        memory, z = np.ones(128, np.float32), np.zeros(64, np.float32)
        k(memory[:64], memory[shift:][:64], z, global_size=64)
        assert_array_equal(z, np.full(64, 1 if shift else 2))


def test_code_for_arrays_that_overlap_is_made_where_there_are_some(
    monkeypatch: pytest.MonkeyPatch,
):
    compiled: list[bool] = []

    def counted(unit: Any, op: Any, groups: Any, constants: Any) -> Any:
        compiled.append(groups.apart)
        return compile_kernel(unit, op, groups, constants)

    monkeypatch.setattr("spmd.runtime.compiling.native_code.compile_kernel", counted)
    x, y = np.ones((2, 256), np.float32)
    k = kernel(SCALE)
    k(1, x, y, global_size=256)
    assert compiled == [True]
    k(1, x, x, global_size=256)
    # Code for arrays that may overlap runs others too.
    assert compiled == [True, False]
    k = kernel(SCALE)
    k(1, x, x, global_size=256)
    k(1, x, y, global_size=256)
    assert compiled == [True, False, False]


@pytest.mark.parametrize(
    ("args", "sizes", "message"),
    [
        ((), {}, r"expected 3 arguments \(%a: f32, %x: memref<\?xf32>.*\), got 0"),
        ((1, 2, 3), {}, r"argument 1 \(%x\): expected an array of float32, got int"),
        (("a", None, None), {}, r"argument 0 \(%a\): expected a number, got str 'a'"),
        (None, {"global_size": -1}, "expected global_size with one to three"),
        (None, {"global_size": None}, "expected global_size, the number of work-items"),
        (None, {"global_size": True}, "expected global_size as a whole number"),
        (None, {"threads": True}, "expected threads as a whole number from 1 to 1024"),
        (None, {"global_size": 1.5}, "expected global_size as a whole number"),
        (None, {"group_size": 0}, "expected group_size with one to three"),
        (None, {"group_size": 16385}, "expected a group_size of at most 16384"),
        (None, {"threads": 0}, "expected threads as a whole number from 1 to 1024"),
        (None, {"threads": 1025}, "expected threads as .* 1 to 1024, got 1025"),
        (None, {"threads": 1.0}, "expected threads as a whole number from 1 to 1024"),
    ],
)
def test_wrong_launch(args: Any, sizes: dict[str, Any], message: str):
    x = np.ones(4, np.float32)
    options: dict[str, Any] = {"global_size": 4, **sizes}
    with pytest.raises(spmd.LaunchError, match="^scale: " + message):
        kernel(SCALE)(*((2, x, x) if args is None else args), **options)
    assert_array_equal(x, 1)


def test_local_memory_has_a_limit():
    x = np.zeros(1, np.int32)
    with pytest.raises(spmd.LaunchError, match="at most 1048576 bytes of local memory"):
        kernel(LOCAL)(x, spmd.local(1 << 18), spmd.local((2, 1)), global_size=1)


def test_other_types_of_sizes_are_not_taken_for_the_same_ints():
    k = kernel(SCALE)
    x = np.ones(4, np.float32)
    k(1, x, x, global_size=4, group_size=4)
    k(1, x, x, global_size=1)
    k(1, x, x, global_size=(4, 1))
    wrong: list[dict[str, Any]] = [
        {"global_size": 4.0},
        {"global_size": 4, "group_size": 4.0},
        {"global_size": True},
        {"global_size": (4, True)},
    ]
    for sizes in wrong:
        with pytest.raises(spmd.LaunchError, match="as a whole number"):
            k(1, x, x, **sizes)


def test_one_native_kernel_for_each_group_size(monkeypatch: pytest.MonkeyPatch):
    compiled: list[tuple[Any, bool]] = []
    original = compile_kernel

    def counted(unit: Any, op: Any, groups: Any, constants: Any) -> Any:
        compiled.append((groups.size, groups.full))
        return original(unit, op, groups, constants)

    monkeypatch.setattr("spmd.runtime.compiling.native_code.compile_kernel", counted)
    k = kernel(SCALE)
    x = np.ones(1000, np.float32)
    k.bind(1, x, x, global_size=0)
    assert not compiled
    for size in (512, 256, 1024 - 256):
        k(1, x, x, global_size=size)
    assert compiled == [((256, 1, 1), True)]
    k(1, x, x, global_size=1000)
    k(1, x, x, global_size=999)
    assert compiled == [((256, 1, 1), True), ((256, 1, 1), False)]
    k(1, x, x, global_size=1000, group_size=10)
    assert compiled[2:] == [((10, 1, 1), True)]
    # Code for groups of which some are smaller runs full ones too.
    k(1, x, x, global_size=999, group_size=20)
    k(1, x, x, global_size=1000, group_size=20)
    assert compiled[3:] == [((20, 1, 1), False)]
