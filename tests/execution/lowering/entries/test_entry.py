"""The native entry of a kernel: arguments, groups in order, versions, scratch, threads."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import MemRefType, f16, f32, f64, i1, i8

from spmd.dialects.diagnostics import KernelError
from spmd.dialects.element_types import is_memref
from spmd.lowering.emit import emit_llvm
from spmd.lowering.entries.arguments import argument_struct
from spmd.runtime.launching.record import LaunchRecord
from tests.execution.lowering.native_functions import (
    DTYPES,
    Array,
    NativeFunctions,
    parse_module,
)

SIZES = ", ".join(f"%{n}{axis}: index" for n in "gen" for axis in "xyz")

ENTRY = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
)
WORKER = ctypes.CFUNCTYPE(
    None, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2, ctypes.c_void_p
)


def pack(
    functions: NativeFunctions,
    name: str,
    values: list[Any],
    local: tuple[int, int, int],
    whole: tuple[int, int, int],
    failed: LaunchRecord | None = None,
) -> bytes:
    """The struct of arguments, as the docstring of `entry.py` lays it out."""
    types = functions.types[name].inputs.data[: len(values)]
    struct = argument_struct(types, reports=failed is not None)
    data = bytearray(struct.bytes)

    def put(field: Any, value: bytes) -> None:
        assert len(value) == -(-field.bits // 8)
        data[field.offset : field.offset + len(value)] = value

    for type_, fields, value in zip(types, struct.arguments, values, strict=True):
        if is_memref(type_):
            array: Array = value
            strides = [stride // array.itemsize for stride in array.strides]
            numbers = [array.ctypes.data, 0, *array.shape, *strides]
            for field, number in zip(fields, numbers, strict=True):
                put(field, int(number).to_bytes(8, "little", signed=True))
        else:
            (field,) = fields
            put(field, np.array(value, DTYPES[str(type_)]).tobytes())
    for field, size in zip(struct.sizes, (*local, *whole), strict=True):
        put(field, size.to_bytes(8, "little"))
    if struct.failed is not None and failed is not None:
        put(struct.failed, ctypes.addressof(failed).to_bytes(8, "little"))
    return bytes(data)


def run(
    functions: NativeFunctions,
    values: list[Any],
    local: tuple[int, int, int],
    whole: tuple[int, int, int],
    groups: tuple[int, int],
    scratch: Array | None = None,
    name: str = "k",
    failed: LaunchRecord | None = None,
) -> None:
    args = pack(functions, name, values, local, whole, failed)
    address = None if scratch is None else scratch.ctypes.data
    ENTRY(functions.native.address(name))(args, *groups, address)


# Writes the ids of each group, in the order in which they run.
RECORD = f"""
  func.func @k(%log: memref<?x9xindex>, %count: memref<1xindex>, {SIZES})
      attributes {{spmd.work_group_function}} {{
    %c0 = arith.constant 0 : index
    %at = memref.load %count[%c0] : memref<1xindex>
    %one = arith.constant 1 : index
    %next = arith.addi %at, %one : index
    memref.store %next, %count[%c0] : memref<1xindex>
    {
    "".join(
        f'''
    %c{k}_ = arith.constant {k} : index
    memref.store %{name}, %log[%at, %c{k}_] : memref<?x9xindex>
    '''
        for k, name in enumerate(n + axis for n in "gen" for axis in "xyz")
    )
}
    func.return
  }}
"""


def test_groups_are_numbered_with_x_fastest():
    functions = NativeFunctions(RECORD)
    local, whole = (2, 3, 4), (7, 6, 5)
    every = [(x, y, z) for z in range(2) for y in range(2) for x in range(4)]
    for first, last in ((0, 16), (0, 1), (3, 4), (5, 16), (7, 11), (4, 4), (9, 2)):
        log, count = np.zeros((20, 9), np.int64), np.zeros(1, np.int64)
        run(functions, [log, count], local, whole, (first, last))
        assert count[0] == max(0, last - first)
        expected = [(*group, *local, *whole) for group in every[first:last]]
        assert [tuple(row) for row in log[: count[0]].tolist()] == expected


def test_full_groups_run_the_version_for_them():
    text = RECORD.replace("@k(", "@k.full(").replace(
        "memref.store %nz", "memref.store %at"
    )
    both = "attributes {spmd.work_group_size = array<i64: 4, 2, 1>, "
    functions = NativeFunctions(
        "builtin.module {" + (RECORD + text).replace("attributes {", both) + "}"
    )
    log, count = np.zeros((20, 9), np.int64), np.zeros(1, np.int64)
    run(functions, [log, count], (4, 2, 1), (10, 5, 1), (0, 9))
    full = [row[0] < 2 and row[1] < 2 for row in log[:9].tolist()]
    # The version for full groups writes its number in place of the size in z.
    assert log[:9, 8].tolist() == [n if f else 1 for n, f in enumerate(full)]


ALL = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64")


def test_arguments_of_every_type():
    scalars = ", ".join(f"%v{k}: {t}" for k, t in enumerate(ALL))
    arrays = ", ".join(f"%a{k}: memref<1x{t}>" for k, t in enumerate(ALL))
    body = "".join(
        f"memref.store %v{k}, %a{k}[%c0] : memref<1x{t}>\n" for k, t in enumerate(ALL)
    )
    functions = NativeFunctions(f"""
      func.func @k({scalars}, {arrays}, {SIZES}) attributes {{spmd.work_group_function}} {{
        %c0 = arith.constant 0 : index
        {body}
        func.return
      }}""")
    values = [True, -3, -300, 70000, 2**40, -(2**40), 1.5, 2.25, 0.1, 0.1]
    outs = [np.zeros(1, DTYPES[t]) for t in ALL]
    run(functions, [*values, *outs], (1, 1, 1), (1, 1, 1), (0, 1))
    for t, value, out in zip(ALL, values, outs, strict=True):
        assert out[0] == np.array(value, DTYPES[t])


def test_the_struct_has_the_alignment_of_c():
    array = MemRefType(f32, [-1, -1])
    struct = argument_struct([i1, i8, f16, i1, f64, i8, array, i1])
    offsets = [fields[0].offset for fields in struct.arguments]
    assert offsets == [0, 1, 2, 4, 8, 16, 24, 72]
    assert [field.offset for field in struct.sizes] == [80, 88, 96, 104, 112, 120]
    assert struct.bytes == 128


def test_strided_arrays_and_noalias():
    type_ = "memref<?x?xf32, strided<[?, ?], offset: ?>>"
    functions = NativeFunctions(f"""
      func.func @k(%x: {type_} {{spmd.noalias}}, %y: {type_} {{spmd.noalias}}, {SIZES})
          attributes {{spmd.work_group_function}} {{
        %v = memref.load %x[%gx, %gy] : {type_}
        memref.store %v, %y[%gx, %gy] : {type_}
        func.return
      }}""")
    assert functions.llvm_ir.count("ptr noalias %") == 2
    x = np.arange(60, dtype=np.float32).reshape(6, 10)
    y = np.zeros((10, 6), np.float32).T
    run(functions, [x[::-2, ::3], y[:3, :4]], (1, 1, 1), (3, 4, 1), (0, 12))
    assert (y[:3, :4] == x[::-2, ::3]).all()


def test_scratch_memory_and_its_size():
    functions = NativeFunctions(f"""builtin.module {{
      func.func @k(%out: memref<?xf32>, {SIZES}, %scratch: memref<?xi8>)
          attributes {{spmd.work_group_function}} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %shift = arith.constant 128 : index
        %tile = memref.view %scratch[%shift][%ex] : memref<?xi8> to memref<?xf32>
        %i = arith.index_cast %gx : index to i32
        %v = arith.sitofp %i : i32 to f32
        scf.for %l = %c0 to %ex step %c1 {{
          memref.store %v, %tile[%l] : memref<?xf32>
        }}
        %last = arith.subi %ex, %c1 : index
        %w = memref.load %tile[%last] : memref<?xf32>
        memref.store %w, %out[%gx] : memref<?xf32>
        func.return
      }}
      func.func @k.scratch_bytes(%ex: index, %ey: index, %ez: index) -> index {{
        %c4 = arith.constant 4 : index
        %c128 = arith.constant 128 : index
        %n = arith.muli %ex, %c4 : index
        %r = arith.addi %n, %c128 : index
        func.return %r : index
      }} }}""")
    assert functions("k.scratch_bytes", 16, 1, 1) == 192
    memory = np.zeros(256 + 64, np.int8)
    start = -memory.ctypes.data % 64
    out = np.zeros(5, np.float32)
    run(functions, [out], (16, 1, 1), (80, 1, 1), (0, 5), memory[start : start + 192])
    assert out.tolist() == [0, 1, 2, 3, 4]
    assert not memory[start : start + 128].any()
    assert not memory[start + 192 :].any()


def test_workers_share_the_groups():
    functions = NativeFunctions(f"""
      func.func @k(%x: memref<?xi32>, {SIZES}) attributes {{spmd.work_group_function}} {{
        %v = memref.load %x[%gx] : memref<?xi32>
        %one = arith.constant 1 : i32
        %w = arith.addi %v, %one : i32
        memref.store %w, %x[%gx] : memref<?xi32>
        func.return
      }}""")
    groups = 100_003
    x = np.zeros(groups, np.int32)
    args = pack(functions, "k", [x], (1, 1, 1), (groups, 1, 1))
    following = ctypes.c_int64(0)
    worker = WORKER(functions.native.address("k.worker"))
    threads = [
        threading.Thread(
            target=worker, args=(args, ctypes.addressof(following), groups, 17, None)
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (x == 1).all()


def test_group_memory_is_aligned():
    functions = NativeFunctions(f"""
      func.func @k(%out: memref<2xindex>, {SIZES}) attributes {{spmd.work_group_function}} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %a = memref.alloca() {{alignment = 64 : i64, spmd.group_memory}} : memref<3xi8, 3>
        %b = memref.alloca() {{alignment = 64 : i64, spmd.group_memory}} : memref<5xf32, 3>
        %p = "memref.extract_aligned_pointer_as_index"(%a) : (memref<3xi8, 3>) -> index
        %q = "memref.extract_aligned_pointer_as_index"(%b) : (memref<5xf32, 3>) -> index
        memref.store %p, %out[%c0] : memref<2xindex>
        memref.store %q, %out[%c1] : memref<2xindex>
        func.return
      }}""")
    out = np.zeros(2, np.int64)
    run(functions, [out], (1, 1, 1), (1, 1, 1), (0, 1))
    assert (out % 64 == 0).all()
    assert out[0] != out[1]


def test_arguments_may_have_any_name():
    names = [
        "first",
        "last",
        "start",
        "done",
        "group",
        "full",
        "partial",
        "next",
        "number",
        "entry",
        "failed",
    ]
    arguments = ", ".join(f"%{name}: i32" for name in names)
    add = "".join(
        f"%s{k + 1} = arith.addi %s{k}, %{name} : i32\n" for k, name in enumerate(names)
    )
    functions = NativeFunctions(f"""
      func.func @k({arguments}, %args: memref<1xi32>, {SIZES})
          attributes {{spmd.work_group_function}} {{
        %c0 = arith.constant 0 : index
        %s0 = arith.constant 0 : i32
        {add}
        memref.store %s{len(names)}, %args[%c0] : memref<1xi32>
        func.return
      }}""")
    out = np.zeros(1, np.int32)
    values = list(range(len(names)))
    run(functions, [*values, out], (1, 1, 1), (1, 1, 1), (0, 1))
    assert out[0] == sum(values)


def test_kernels_may_have_names_of_the_c_library():
    functions = NativeFunctions(f"""
      func.func @exp(%x: memref<?xf64>, {SIZES}) attributes {{spmd.work_group_function}} {{
        %v = memref.load %x[%gx] : memref<?xf64>
        %w = math.exp %v : f64
        memref.store %w, %x[%gx] : memref<?xf64>
        func.return
      }}""")
    x = np.array([0.0, 1.0])
    run(functions, [x], (1, 1, 1), (2, 1, 1), (0, 2), name="exp")
    assert np.allclose(x, np.exp([0, 1]))


def test_a_kernel_without_the_sizes_is_an_error():
    module = parse_module(
        "func.func @k(%x: index) attributes {spmd.work_group_function} { func.return }"
    )
    with pytest.raises(KernelError, match=r"expected .* 9 arguments .* got 1"):
        emit_llvm(module)


def kernel(name: str, value: int) -> str:
    return f"""
      func.func @{name}(%x: memref<1xi32>, {SIZES}) attributes {{spmd.work_group_function}} {{
        %c0 = arith.constant 0 : index
        %v = arith.constant {value} : i32
        memref.store %v, %x[%c0] : memref<1xi32>
        func.return
      }}"""


def test_names_that_need_quotes_and_names_that_look_like_ours():
    names = [
        '"two words"',
        '"gr\\C3\\B6\\C3\\9Fe"',
        "k.group",
        "k",
        "k.full",
        '"llvm.k"',
    ]
    texts = [
        kernel(name, number) for number, name in enumerate(names) if name != "k.full"
    ]
    functions = NativeFunctions(f"builtin.module {{ {''.join(texts)} }}")
    for number, name in enumerate(["two words", "größe", "k.group", "k"]):
        x = np.zeros(1, np.int32)
        run(functions, [x], (1, 1, 1), (1, 1, 1), (0, 1), name=name)
        assert x[0] == number
    x = np.zeros(1, np.int32)
    run(functions, [x], (1, 1, 1), (1, 1, 1), (0, 1), name="llvm.k")
    assert x[0] == 5


def test_a_function_in_the_place_of_a_worker_is_an_error():
    module = parse_module(
        f"builtin.module {{ {kernel('k', 1)} func.func @k.worker() {{ func.return }} }}"
    )
    with pytest.raises(KernelError, match=r"@k\.worker: that is the worker of @k"):
        emit_llvm(module)
