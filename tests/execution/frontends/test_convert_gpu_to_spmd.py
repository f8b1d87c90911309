"""What `convert-gpu-to-spmd` makes of memory, lanes and launches; also test_gpu_conformance.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from tests.execution.frontends.gpu_programs import expect, launch

MEMORY = """
gpu.module @a {
  gpu.func @reverse(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>)
      workgroup(%t: memref<16xf32, #gpu.address_space<workgroup>>)
      private(%p: memref<2xf32, 5>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g = gpu.global_id x
    %i = gpu.thread_id x
    %n = gpu.block_dim x
    %last = arith.subi %n, %c1 : index
    %v = memref.load %x[%g] : memref<?xf32, 1>
    memref.store %v, %t[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    memref.store %v, %p[%c1] : memref<2xf32, 5>
    gpu.barrier
    %j = arith.subi %last, %i : index
    %w = memref.load %t[%j] : memref<16xf32, #gpu.address_space<workgroup>>
    %u = memref.load %p[%c1] : memref<2xf32, 5>
    %s = arith.subf %w, %u : f32
    memref.store %s, %y[%g] : memref<?xf32, 1>
    gpu.return
  }
}
gpu.module @b {
  gpu.func @reverse(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %four = arith.constant 4 : index
    %g = gpu.global_id x
    %i = gpu.thread_id x
    %n = gpu.block_dim x
    %m = arith.muli %n, %four : index
    %last = arith.subi %n, %c1 : index
    %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %t = memref.view %d[%c0][%n] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
    %t2 = memref.view %d[%m][%n] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%g] : memref<?xf32>
    memref.store %v, %t[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    memref.store %v, %t2[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %j = arith.subi %last, %i : index
    %w = memref.load %t[%j] : memref<?xf32, #gpu.address_space<workgroup>>
    %u = memref.load %t2[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    %s = arith.subf %w, %u : f32
    memref.store %s, %y[%g] : memref<?xf32>
    gpu.return
  }
}
func.func @main(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %bytes = arith.constant 128 : i32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a, %t = gpu.alloc async (%n) : memref<?xf32, 1>
  %u = gpu.memcpy async [%t] %a, %x : memref<?xf32, 1>, memref<?xf32>
  gpu.wait [%u]
  gpu.launch_func @a::@reverse blocks in (%c4, %c1, %c1) threads in (%c16, %c1, %c1)
      args(%a : memref<?xf32, 1>, %y : memref<?xf32>)
  gpu.launch_func @b::@reverse blocks in (%c4, %c1, %c1) threads in (%c16, %c1, %c1)
      dynamic_shared_memory_size %bytes args(%x : memref<?xf32>, %z : memref<?xf32>)
  func.return
}
"""


def test_memory_of_groups_and_work_items():
    x = np.random.default_rng(1).random(64, np.float32)
    reversed_ = x.reshape(4, 16)[:, ::-1].ravel() - x
    expect(MEMORY, [x], [reversed_, reversed_])


def test_memory_of_a_launch():
    source = """
func.func @main(%x: memref<2x2x8xi32>, %y: memref<2x2x8xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %z = gpu.alloc () : memref<2x2x8xi32>
  gpu.memset %z, %one : memref<2x2x8xi32>, i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c2)
      threads(%tx, %ty, %tz) in (%ex = %c8, %ey = %c2, %ez = %c1)
      workgroup(%t: memref<2x8xi32, 3>) private(%p: memref<1xi32, 5>) {
    %a = memref.alloc() : memref<2x8xi32, #gpu.address_space<workgroup>>
    %last = arith.subi %ex, %c1 : index
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%bz, %ty, %tx] : memref<2x2x8xi32>
    memref.store %v, %t[%ty, %tx] : memref<2x8xi32, 3>
    %w = arith.addi %v, %one : i32
    memref.store %w, %a[%ty, %tx] : memref<2x8xi32, #gpu.address_space<workgroup>>
    memref.store %w, %p[%c0] : memref<1xi32, 5>
    gpu.barrier
    %j = arith.subi %last, %tx : index
    %b = memref.load %t[%ty, %j] : memref<2x8xi32, 3>
    %c = memref.load %a[%ty, %j] : memref<2x8xi32, #gpu.address_space<workgroup>>
    %d = memref.load %p[%c0] : memref<1xi32, 5>
    %e = memref.load %z[%bz, %ty, %tx] : memref<2x2x8xi32>
    %f = arith.muli %b, %c : i32
    %g = arith.addi %f, %d : i32
    %h = arith.muli %g, %e : i32
    memref.store %h, %y[%bz, %ty, %tx] : memref<2x2x8xi32>
    gpu.terminator
  }
  func.return
}
"""
    x = np.random.default_rng(2).integers(0, 99, (2, 2, 8), np.int32)
    back = x[..., ::-1]
    expect(source, [x], [back * (back + 1) + x + 1])


def test_all_reduce_by_any_region():
    source = launch(
        """
    %linear = arith.muli %ty, %block_x : index
    %i = arith.addi %linear, %tx : index
    %v = memref.load %x[%i] : memref<?xf32>
    %far = gpu.all_reduce %v {
    ^bb0(%a: f32, %b: f32):
      %p = math.absf %a : f32
      %q = math.absf %b : f32
      %more = arith.cmpf ogt, %q, %p : f32
      %c = arith.select %more, %b, %a : f32
      gpu.yield %c : f32
    } : (f32) -> f32
    memref.store %far, %y[%i] : memref<?xf32>""",
        "%x: memref<?xf32>, %y: memref<?xf32>",
        "%c13, %c2, %c1",
    )
    x = np.random.default_rng(3).standard_normal(26).astype(np.float32)
    expect(source, [x], [np.full(26, x[np.abs(x).argmax()])])


@pytest.mark.parametrize("scope", ["all_reduce", "subgroup_reduce"])
@pytest.mark.parametrize("of", ["some", "all", "none"])
def test_nan_is_no_number(scope: str, of: str):
    region = " {}" if scope == "all_reduce" else ""
    source = launch(
        f"""
    %v = memref.load %x[%tx] : memref<?xf32>
    %a = gpu.{scope} minnumf %v{region} : (f32) -> f32
    %b = gpu.{scope} maxnumf %v{region} : (f32) -> f32
    %c = gpu.{scope} minimumf %v{region} : (f32) -> f32
    memref.store %a, %least[%tx] : memref<?xf32>
    memref.store %b, %most[%tx] : memref<?xf32>
    memref.store %c, %nan[%tx] : memref<?xf32>""",
        "%x: memref<?xf32>, %least: memref<?xf32>, %most: memref<?xf32>, %nan: memref<?xf32>",
        "%c13, %c1, %c1",
    )
    x = np.arange(13, dtype=np.float32)
    x[{"some": slice(2, 5), "all": slice(None), "none": slice(0)}[of]] = np.nan
    least, most = (0, 12) if of != "all" else (np.nan, np.nan)
    wanted = [np.full(13, each, np.float32) for each in (least, most, x.min())]
    expect(source, [x], wanted)


def lanes(body: str, type_: str = "i32") -> str:
    """A `main` where 24 work-items put what `body` makes of `%v` into `%y`."""
    return f"""
func.func @main(%x: memref<24xi32>, %y: memref<24x{type_}>) {{
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%ex = %c24, %ey = %c1, %ez = %c1) {{
    %v = memref.load %x[%tx] : memref<24xi32>
{body}
    memref.store %r, %y[%tx] : memref<24x{type_}>
    gpu.terminator
  }}
  func.return
}}
"""


def test_rotate():
    source = lanes("""
    %minus = arith.constant -1 : i32
    %a, %valid = gpu.rotate %v, 3, 16 : i32
    %r = arith.select %valid, %a, %minus : i32""")
    x = np.arange(100, 124, dtype=np.int32)
    expect(source, [x], [np.append(np.roll(x[:16], -3), [-1] * 8).astype(np.int32)])


@pytest.mark.parametrize(
    ("kind", "what"), [("add", np.sum), ("maxsi", np.max), ("minui", np.min)]
)
def test_clusters(kind: str, what: Any):
    x = np.random.default_rng(5).integers(0, 99, 24, np.int32)
    source = lanes(f"    %r = gpu.subgroup_reduce {kind} %v : (i32) -> i32")
    expect(source, [x], [np.full(24, what(x), np.int32)])
    source = lanes(
        f"    %r = gpu.subgroup_reduce {kind} %v cluster(size = 4) : (i32) -> i32"
    )
    expect(source, [x], [what(x.reshape(6, 4), 1).repeat(4).astype(np.int32)])
    source = lanes(
        f"    %r = gpu.subgroup_reduce {kind} %v cluster(size = 2, stride = 4) : (i32) -> i32"
    )
    pairs = what(x.reshape(3, 2, 4), 1)[:, None].repeat(2, 1)
    expect(source, [x], [pairs.ravel().astype(np.int32)])


def test_broadcasts():
    source = lanes("""
    %c5 = arith.constant 5 : index
    %seven = arith.constant 7 : i32
    %late = arith.cmpi uge, %tx, %c5 : index
    %r = scf.if %late -> (i32) {
      %a = gpu.subgroup_broadcast %v, first_active_lane : i32
      scf.yield %a : i32
    } else {
      scf.yield %seven : i32
    }""")
    x = np.arange(100, 124, dtype=np.int32)
    expect(source, [x], [np.where(np.arange(24) < 5, 7, 105).astype(np.int32)])
    source = lanes("""
    %seven = arith.constant 7 : i32
    %s = gpu.subgroup_broadcast %v, specific_lane %seven : i32
    %r = gpu.subgroup_uniform %s : i32""")
    expect(source, [x], [np.full(24, 107, np.int32)])


@pytest.mark.parametrize("type_", ["i32", "i64"])
def test_ballot(type_: str):
    source = lanes(
        f"""
    %zero = arith.constant 0 : i32
    %odd = arith.trunci %v : i32 to i1
    %r = gpu.ballot %odd : {type_}""",
        type_,
    )
    x = np.random.default_rng(6).integers(0, 99, 24, np.int32)
    bits = sum(1 << lane for lane in range(24) if x[lane] % 2)
    expect(source, [x], [np.full(24, bits, type_.replace("i", "int"))])


def test_formats_of_c(capsys: pytest.CaptureFixture[str]):
    source = launch(
        r"""
    %i = arith.constant -7 : i32
    %f = arith.constant 2.5 : f32
    gpu.printf "%d|%5i|%-5d|%05d|%+lld|% d\n", %i, %i, %i, %i, %i, %i : i32, i32, i32, i32, i32, i32
    gpu.printf "%u|%x|%08X|%o\n", %i, %i, %i, %i : i32, i32, i32, i32
    gpu.printf "%f|%8.3f|%-8.1e|%g|100%%|{}\n", %f, %f, %f, %f : f32, f32, f32, f32""",
        "",
        "%c1, %c1, %c1",
    )
    spmd.compile(source)["main"]()
    i, f = -7, 2.5
    words = f"{i}|{i:5}|{i:<5}|{i:05}|{i:+}|{i: }\n"
    u = 2**32 - 7
    words += f"{u}|{u:x}|{u:08X}|{u:o}\n{f:f}|{f:8.3f}|{f:<8.1e}|{f:g}|100%|{{}}\n"
    assert capsys.readouterr().out == words


def test_a_launch_without_dynamic_memory_has_none_of_it():
    source = MEMORY.replace("      dynamic_shared_memory_size %bytes", "     ")
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    program = spmd.compile(source, checked=True)
    with pytest.raises(spmd.LaunchError, match="out of bounds"):
        program["main"](x, y, y.copy())


def test_modules_have_names_of_their_own():
    def module(name: str, number: int) -> str:
        return f"""
gpu.module @{name} {{
  memref.global "private" constant @table : memref<1xi32> = dense<{number}>
  func.func @more(%v: i32) -> i32 {{
    %c0 = arith.constant 0 : index
    %t = memref.get_global @table : memref<1xi32>
    %n = memref.load %t[%c0] : memref<1xi32>
    %w = arith.addi %v, %n : i32
    func.return %w : i32
  }}
  gpu.func @k(%x: memref<?xi32>) kernel {{
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<?xi32>
    %w = func.call @more(%v) : (i32) -> i32
    memref.store %w, %x[%i] : memref<?xi32>
    gpu.return
  }}
}}"""

    source = (
        module("a", 5)
        + module("b", 70)
        + """
func.func @main(%n: index, %x: memref<?xi32>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @a::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%x : memref<?xi32>)
  gpu.launch_func @b::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1) args(%x : memref<?xi32>)
  return
}"""
    )
    program = spmd.compile(source)
    assert list(program) == ["k", "b_k", "main"]
    x = np.zeros(8, np.int32)
    program["main"](8, x)
    assert x.tolist() == [75] * 8
