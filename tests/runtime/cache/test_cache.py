"""`spmd.cache`: compiled once for all processes."""

from __future__ import annotations

import copy
import errno
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.runtime.cache import disk, files, stored
from spmd.runtime.cache.disk import Cache

SOURCE = """
spmd.kernel @scale(%n: index, %a: f32, %x: memref<?xf32> {spmd.noalias}, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %inside = arith.cmpi ult, %i, %n : index
  cf.assert %inside, "too many work-items"
  %v = memref.load %x[%i] : memref<?xf32>
  %e = math.exp %v : f32
  %w = arith.mulf %a, %e : f32
  memref.store %w, %y[%i] : memref<?xf32>
  spmd.return
}
spmd.kernel @reverse(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %one = arith.constant 1 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %last = arith.subi %n, %one : index
  %other = arith.subi %last, %l : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%other] : memref<?xi32, #spmd.memory<local>>
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.return
}
func.func @both(%x: memref<?xi32>, %n: index) -> index {
  %c4 = arith.constant 4 : index
  spmd.launch @reverse global(%n) of(%c4) (%x, local(%c4)) : memref<?xi32>, memref<?xi32, #spmd.memory<local>>
  return %n : index
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("SPMD_CACHE_DIR", str(path))
    return path


def of_version(version: str) -> Callable[[object], tuple[str, str]]:
    def fingerprint(remembered: object) -> tuple[str, str]:
        return "state", version

    return fingerprint


@pytest.fixture
def restart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Cache]:
    """Makes a cache as a new process has it; files may be edited while tests run."""

    def make() -> Cache:
        fresh = Cache()
        monkeypatch.setattr(stored, "cache", fresh)
        return fresh

    monkeypatch.setattr(disk, "state", lambda: "state")
    monkeypatch.setattr(disk, "fingerprint", of_version("version 1"))
    make()
    return make


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def forbid() -> None:
        def never(*_: Any, **__: Any) -> Any:
            raise AssertionError("expected it from the cache")

        monkeypatch.setattr("spmd.runtime.compiling.facts.facts_of", never)
        monkeypatch.setattr("spmd.runtime.compiling.native_code.compile_kernel", never)
        monkeypatch.setattr("spmd.runtime.compiling.native_code.compile_host", never)

    return forbid


def run_all(program: spmd.Program) -> None:
    """All kinds of members and sizes."""
    x, y = np.linspace(-1, 1, 1000, dtype=np.float32), np.zeros(1000, np.float32)
    for size in (1000, 512):
        program["scale"](1000, 2.0, x, y, global_size=size)
    np.testing.assert_allclose(y, 2 * np.exp(x), rtol=1e-5)
    numbers = np.arange(8, dtype=np.int32)
    program["reverse"](numbers, spmd.local(8), global_size=8, group_size=8)
    assert numbers.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert program["both"](numbers, 8) == 8
    assert numbers.tolist() == [4, 5, 6, 7, 0, 1, 2, 3]


def test_a_second_process_compiles_nothing(
    restart: Callable[[], Cache], without_compiler: Callable[[], None]
):
    run_all(spmd.compile(SOURCE))
    cache = restart()
    without_compiler()
    program = spmd.compile(SOURCE)
    run_all(program)
    info = cache.info()
    assert info.hits >= 5
    assert info.misses == 0
    assert repr(program) == "<spmd program with scale, reverse, both>"
    assert repr(program["scale"]) == (
        "<spmd kernel scale(%n: index, %a: f32, %x: memref<?xf32>, %y: memref<?xf32>)>"
    )


def test_errors_are_the_same(restart: Callable[[], Cache]):
    x = np.ones(8, np.float32)
    told: list[list[str]] = []
    for _ in range(2):
        restart()
        scale = spmd.compile(SOURCE)["scale"]
        wrong: list[Callable[[], Any]] = [
            lambda: scale(4, 1, x, x.copy(), global_size=8),
            lambda: scale(8, 1, x, x, global_size=8),
            lambda: scale(8, 1, x.astype("f8"), x, global_size=8),
            lambda: scale(8, 1, x[::2], x, global_size=8),
            lambda: scale(8, 1e300, x, x, global_size=8),
            lambda: scale(8, 1, x, global_size=8),
        ]
        messages: list[str] = []
        for each in wrong:
            with pytest.raises(spmd.LaunchError) as caught:
                each()
            messages.append(str(caught.value))
        told.append(messages)
    assert told[0] == told[1]
    assert "<string>:5:3: too many work-items" in told[0][0]


def test_the_compiler_is_there_when_it_is_asked_for(restart: Callable[[], Cache]):
    run_all(spmd.compile(SOURCE))
    restart()
    program = spmd.compile(SOURCE)
    scale = program["scale"]
    assert "scale:" in scale.assembly()
    assert "both.call:" in program["both"].assembly()
    assert "spmd.kernel" not in scale.ir("spmd-to-loops")
    assert "scale" in str(scale.explain())
    x = np.ones(8, np.float32)
    assert scale.check(8, 1, x, x.copy(), global_size=8)
    assert not scale.check(4, 1, x, x.copy(), global_size=8)
    for again in (pickle.loads(pickle.dumps(program)), copy.deepcopy(program)):
        run_all(again)


def test_what_decides_about_code_is_in_the_key(restart: Callable[[], Cache]):
    x, y = np.ones(64, np.float32), np.ones(64, np.float32)
    sources: list[tuple[Any, dict[str, Any]]] = [
        (SOURCE, {}),
        (SOURCE + "\n", {}),
        (SOURCE, {"width": 4}),
        (SOURCE, {"vectorize": False}),
        (SOURCE, {"checked": True}),
        (SOURCE, {"without": ("clip-work-item-loops",)}),
    ]
    for source, options in sources:
        cache = restart()
        spmd.compile(source, **options)["scale"](64, 1, x, y, global_size=64)
        assert cache.hits == 0
    for source, options in sources:
        cache = restart()
        spmd.compile(source, **options)["scale"](64, 1, x, y, global_size=64)
        assert cache.hits >= 2
        assert not cache.misses
    spmd.compile(SOURCE)["scale"](64, 1, x, y, global_size=64, group_size=32)
    assert restart().misses == 0


def test_the_name_of_a_file_is_in_the_key(restart: Callable[[], Cache], tmp_path: Path):
    x = np.ones(8, np.float32)
    for name in ("one.mlir", "two.mlir"):
        restart()
        path = tmp_path / name
        path.write_text(SOURCE)
        with pytest.raises(spmd.LaunchError, match=rf"{name}:5:3: too many"):
            spmd.compile(path)["scale"](4, 1, x, x.copy(), global_size=8)


def test_two_versions_side_by_side(
    restart: Callable[[], Cache], monkeypatch: pytest.MonkeyPatch
):
    def of(version: str) -> Cache:
        monkeypatch.setattr(disk, "fingerprint", of_version(version))
        cache = restart()
        run_all(spmd.compile(SOURCE))
        return cache

    assert of("version 1").hits == 0
    assert of("version 2").hits == 0
    assert of("version 1").misses == 0
    assert of("version 2").misses == 0


def test_nothing_is_stored_once_the_compiler_was_edited(
    restart: Callable[[], Cache], monkeypatch: pytest.MonkeyPatch, folder: Path
):
    spmd.compile(SOURCE)
    monkeypatch.setattr(disk, "state", lambda: "another state")
    run_all(spmd.compile(SOURCE))
    assert files.usage(str(folder)).entries == 1


def test_modules_and_kernels_in_python_by_their_ir(
    restart: Callable[[], Cache], without_compiler: Callable[[], None]
):
    from spmd.runtime.errors import SourceText
    from spmd.runtime.parsing import parse

    module = parse(SourceText("k.mlir", SOURCE))
    run_all(spmd.compile(module))
    other = parse(SourceText("other.mlir", SOURCE))
    cache = restart()
    run_all(spmd.compile(other))
    assert cache.hits == 0, "messages name another file"
    cache = restart()
    run_all(spmd.compile(module))
    assert cache.misses == 0


@pytest.mark.parametrize("share", range(5))
def test_flipped_bytes_cost_only_time(
    restart: Callable[[], Cache], folder: Path, share: int
):
    run_all(spmd.compile(SOURCE))
    for path in folder.iterdir():
        content = bytearray(path.read_bytes())
        content[len(content) * share // 5 + 3] ^= 0x40
        path.write_bytes(content)
    cache = restart()
    run_all(spmd.compile(SOURCE))
    assert cache.hits == 0
    cache = restart()
    run_all(spmd.compile(SOURCE))
    assert cache.misses == 0


@pytest.mark.parametrize("error", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_a_disk_that_takes_nothing_costs_only_time(
    restart: Callable[[], Cache], error: int, monkeypatch: pytest.MonkeyPatch
):
    original = os.open

    def refused(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & os.O_WRONLY:
            raise OSError(error, os.strerror(error))
        return original(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", refused)
    cache = restart()
    run_all(spmd.compile(SOURCE))
    assert cache.info().entries == 0


@pytest.mark.parametrize("place", ["/proc/nowhere/spmd", "/dev/null/spmd"])
def test_a_folder_that_cannot_be_costs_only_time(
    restart: Callable[[], Cache], place: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SPMD_CACHE_DIR", place)
    cache = restart()
    run_all(spmd.compile(SOURCE))
    cache.info()
    cache.clear()


def test_a_folder_of_others_is_told(restart: Callable[[], Cache], folder: Path):
    folder.mkdir()
    folder.chmod(0o777)
    cache = restart()
    run_all(spmd.compile(SOURCE))
    assert "got mode 777" in str(cache.info().off)
    assert not list(folder.iterdir())


def test_info_and_clear(restart: Callable[[], Cache], folder: Path):
    cache = restart()
    assert cache.path == folder
    assert cache.info() == (str(folder), 0, 0, disk.DEFAULT_MIB << 20, 0, 0, None)
    run_all(spmd.compile(SOURCE))
    info = cache.info()
    assert 5 <= info.entries == len(list(folder.iterdir()))
    assert info.bytes == sum(path.stat().st_size for path in folder.iterdir())
    program = spmd.compile(SOURCE)
    cache.clear()
    assert cache.info().entries == 0
    run_all(program)
    assert isinstance(spmd.cache, Cache)


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    cache = Cache()
    monkeypatch.setenv("SPMD_CACHE_DIR", "")
    assert cache.path is None
    assert cache.info().off == "SPMD_CACHE_DIR is empty"
    cache.clear()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPMD_CACHE_DIR", "here")
    assert cache.path == tmp_path / "here"
    monkeypatch.delenv("SPMD_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.path == tmp_path / "spmd"
    monkeypatch.setenv("XDG_CACHE_HOME", "not absolute")
    monkeypatch.setenv("HOME", "/somewhere")
    assert cache.path == Path("/somewhere/.cache/spmd")
    monkeypatch.setenv("SPMD_CACHE_MIB", "3")
    assert cache.info().limit == 3 << 20
    monkeypatch.setenv("SPMD_CACHE_MIB", "3.5")
    with pytest.raises(spmd.CompileError, match="SPMD_CACHE_MIB as a whole number"):
        cache.info()


FRESH = """
import sys
import numpy as np
import spmd
program = spmd.compile(sys.argv[1])
x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
program["scale"](64, 1.0, x, y, global_size=64)
np.testing.assert_allclose(y, np.exp(x), rtol=1e-5)
{}
"""


def fresh(folder: Path, source: Path, after: str = "", before: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", before + FRESH.format(after), str(source)],
        env={**os.environ, "SPMD_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.parametrize("room", [0, 100, 3000])
def test_a_disk_that_is_full_within_a_file(folder: Path, tmp_path: Path, room: int):
    source = tmp_path / "k.mlir"
    source.write_text(SOURCE)
    limit = f"import resource as r\nr.setrlimit(r.RLIMIT_FSIZE, ({room}, {room}))\n"
    fresh(folder, source, before=limit)
    for path in folder.iterdir():
        assert files.read(str(folder), path.name) is not None
    misses = "print(spmd.cache.info().misses)"
    assert fresh(folder, source, misses) != "0\n"
    assert fresh(folder, source, misses) == "0\n"


def test_a_hit_imports_neither_compiler_nor_llvm(folder: Path, tmp_path: Path):
    source = tmp_path / "k.mlir"
    source.write_text(SOURCE)
    tell = (
        "print(spmd.cache.info().hits, spmd.cache.info().off, *sys.modules, sep='\\n')"
    )
    fresh(folder, source)
    hits, off, *imported = fresh(folder, source, tell).splitlines()
    if off != "None":
        pytest.skip(off)
    assert int(hits) >= 2
    heavy = {"xdsl", "llvmlite", "numpy.ma", "hashlib", "html", "spmd.dialects.spmd"}
    assert not heavy & set(imported)
    assert not any(name.startswith("spmd.passes") for name in imported)


def test_a_described_op_switches_the_cache_off(folder: Path, tmp_path: Path):
    source = tmp_path / "k.mlir"
    source.write_text(SOURCE)
    script = """
from spmd.interfaces import Elementwise, describe
describe("my.op", Elementwise())
print(spmd.cache.info().off)
spmd.compile(open(sys.argv[1]).read())
print(spmd.cache.info().entries)
"""
    told = fresh(
        folder, source, "before = spmd.cache.info().entries" + script + "print(before)"
    )
    why, after, before = told.splitlines()
    assert why == "describe() has changed what the compiler knows of ops"
    assert after == before
