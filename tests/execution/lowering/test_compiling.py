"""LLVM in a process of its own, which it may end."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.lowering import compiling
from spmd.lowering.compiling import NativeError, compile_object
from spmd.lowering.loading.object_code import SAFE_COMPILE
from spmd.lowering.machine import Machine, host_machine
from spmd.runtime.errors import InternalError

SOURCE = """
spmd.kernel @twice(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
"""

REFUSED = """
declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <64 x i8>, <64 x i8>)

define void @f(ptr %p) {
  %a = load <16 x i32>, ptr %p
  %b = load <64 x i8>, ptr %p
  %c = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %a, <64 x i8> %b,
      <64 x i8> %b)
  store <16 x i32> %c, ptr %p
  ret void
}
"""
"""An instruction that a plain x86-64 does not have: LLVM ends the process."""


@pytest.fixture
def safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SAFE_COMPILE, "1")


def launch() -> None:
    x = np.arange(100, dtype=np.float32)
    spmd.compile(SOURCE)["twice"](x, global_size=100)
    np.testing.assert_array_equal(x, 2 * np.arange(100))


@pytest.mark.usefixtures("safe")
def test_code_of_a_child_is_right():
    launch()
    assert "ret" in spmd.compile(SOURCE).kernels["twice"].assembly()


@pytest.mark.usefixtures("safe")
def test_an_error_that_ends_the_process_is_one_of_the_user():
    if not host_machine().is_x86:
        pytest.skip("expected x86-64")
    machine = Machine(host_machine().triple, "x86-64")
    with pytest.raises(
        NativeError, match=r"LLVM ended the process .* said: .*LLVM ERROR: "
    ):
        compile_object(REFUSED, machine, 3)


@pytest.mark.usefixtures("safe")
def test_what_llvm_refuses_in_words():
    with pytest.raises(NativeError, match=r"^LLVM does not accept its input: "):
        compile_object("define void @f() { nonsense }", host_machine(), 3)


@pytest.mark.usefixtures("safe")
def test_an_abort_names_the_kernel(monkeypatch: pytest.MonkeyPatch):
    say = "import os\nos.write(2, b'stack dump\\nLLVM ERROR: no way\\n')\nos.abort()"
    monkeypatch.setattr(compiling, "CHILD", say)
    with pytest.raises(spmd.CompileError) as error:
        launch()
    assert not isinstance(error.value, InternalError)
    assert (error.value.line, error.value.column) == (2, 1)
    assert error.value.message == (
        "@twice cannot be compiled to native code: LLVM ended the process that compiled "
        "it (SIGABRT), and said: LLVM ERROR: no way; another width= may help"
    )


def test_the_variable_has_two_values(monkeypatch: pytest.MonkeyPatch):
    launch()  # what is in the cache is not compiled, and told the same
    monkeypatch.setenv(SAFE_COMPILE, "yes")
    with pytest.raises(
        spmd.CompileError, match="expected SPMD_SAFE_COMPILE as 0 or 1, got 'yes'"
    ):
        launch()


@pytest.mark.usefixtures("safe")
@pytest.mark.parametrize(
    ("said", "error"),
    [("LLVM ERROR: no way", NativeError), ("no such module", RuntimeError)],
)
def test_a_child_that_gives_up(
    said: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
):
    """Only what LLVM says is about the kernel."""
    monkeypatch.setattr(compiling, "CHILD", f"raise SystemExit({said!r})")
    with pytest.raises(error, match=said):
        compile_object("", host_machine(), 3)


def sums(store: str) -> str:
    """Code that adds four floats to four others, one by one, and stores vectors of them."""
    lines = list[str]()
    vector = "poison"
    for n in range(4):
        lines += [
            f"  %a{n} = getelementptr float, ptr %p, i64 {n}",
            f"  %b{n} = getelementptr float, ptr %q, i64 {n}",
            f"  %x{n} = load float, ptr %a{n}, align 4",
            f"  %y{n} = load float, ptr %b{n}, align 4",
            f"  %s{n} = fadd float %x{n}, %y{n}",
            f"  %v{n} = insertelement <4 x float> {vector}, float %s{n}, i64 {n}",
        ]
        vector = f"%v{n}"
    body = "\n".join(lines)
    return f"""
define void @f(ptr noalias %p, ptr noalias %q) {{
{body}
  store <4 x float> {vector}, ptr %p, align 4
  {store}
  ret void
}}
"""


@pytest.mark.parametrize("store", ["", "store float %s0, ptr %q, align 4"])
def test_scalars_become_vectors_where_some_are_stored(store: str):
    """What stores vectors only is in lanes as it should be."""
    text = compile_object(sums(store), host_machine()).llvm_ir()
    assert ("fadd <4 x float>" in text) == bool(store)
