"""Object files in memory: put there by ourselves, and by LLVM."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p, cast

import pytest

from spmd.lowering.compiling import NativeError, compile_object, optimized
from spmd.lowering.loading import object_code
from spmd.lowering.loading.elf import (
    LoadedObject,
    MissingSymbols,
    UnknownObject,
    is_known,
)
from spmd.lowering.loading.linking import link
from spmd.lowering.loading.object_code import (
    LIBRARIES,
    NativeCode,
    ObjectCode,
    address_of,
    load,
)
from spmd.lowering.machine import host_machine
from spmd.lowering.native import compile_native

TEXT = """
@counter = internal global i64 5
@shared = global i64 7
@zeros = internal global [5000 x i64] zeroinitializer
@table = internal constant [3 x ptr] [ptr @one, ptr @two, ptr @counter]
declare double @cbrt(double)
declare i64 @given(i64)
define internal i64 @one() noinline { ret i64 1 }
define i64 @two() noinline { ret i64 2 }
define i64 @count(i64 %n) {
  %a = load volatile i64, ptr @counter
  %b = add i64 %a, %n
  store volatile i64 %b, ptr @counter
  %s = load volatile i64, ptr @shared
  %at = getelementptr i64, ptr @zeros, i64 %n
  %z = load volatile i64, ptr %at
  %both = add i64 %b, %s
  %sum = add i64 %both, %z
  ret i64 %sum
}
define i64 @chosen(i64 %n) {
  %at = getelementptr ptr, ptr @table, i64 %n
  %f = load ptr, ptr %at
  %r = call i64 %f()
  ret i64 %r
}
define double @root(double %x) {
  %r = call double @cbrt(double %x)
  ret double %r
}
define i64 @twice(i64 %x) {
  %y = call i64 @given(i64 %x)
  %z = call i64 @given(i64 %y)
  ret i64 %z
}
define i64 @switched(i64 %n) {
  switch i64 %n, label %else [i64 0, label %a i64 1, label %b i64 2, label %c
                              i64 3, label %d i64 4, label %e]
a:
  %va = call i64 @given(i64 10)
  ret i64 %va
b:
  %vb = call i64 @two()
  ret i64 %vb
c:
  %vc = call i64 @one()
  ret i64 %vc
d:
  %vd = call i64 @count(i64 %n)
  ret i64 %vd
e:
  ret i64 77
else:
  ret i64 -1
}
"""
INTEGERS = CFUNCTYPE(c_int64, c_int64)


def three_times(x: int) -> int:
    return 3 * x


def never(image: bytes) -> bool:
    return False


GIVEN = INTEGERS(three_times)
SYMBOLS = {"given": cast(GIVEN, c_void_p).value or 0}


@pytest.fixture(scope="module")
def code() -> ObjectCode:
    return compile_object(TEXT, host_machine()).code


@pytest.mark.parametrize("ours", [True, False], ids=["elf", "llvm"])
def test_code_and_data(
    code: ObjectCode, ours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ours and not is_known(code.image):
        pytest.skip("expected ELF for x86-64")
    if not ours:
        monkeypatch.setattr(object_code, "is_known", never)
    for _ in range(2):  # each has data of its own
        native = load(code, SYMBOLS)
        _expect_results(native)


def _expect_results(native: NativeCode) -> None:
    call = {
        name: INTEGERS(native.address(name)) for name in ("count", "chosen", "twice")
    }
    assert [call["count"](n) for n in (1, 2, 999)] == [13, 15, 1014]
    assert [call["chosen"](n) for n in (0, 1)] == [1, 2]
    assert call["twice"](5) == 45
    assert CFUNCTYPE(c_double, c_double)(native.address("root"))(0.0) == 0.0
    switched = INTEGERS(native.address("switched"))
    assert [switched(n) for n in (0, 1, 2, 4, 9)] == [30, 2, 1, 77, -1]
    assert "one" not in native
    with pytest.raises(KeyError, match="chosen, count, root"):
        native.address("one")


def test_the_fast_loader_is_used_where_it_can_be(
    code: ObjectCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_known(code.image):
        pytest.skip("expected ELF for x86-64")
    monkeypatch.setattr("spmd.lowering.loading.linking.link", None)
    _expect_results(load(code, SYMBOLS))


def test_missing_functions_are_named() -> None:
    text = """
    declare void @nowhere_to_be_found()
    declare void @nor_this()
    define void @f() {
      call void @nowhere_to_be_found()
      call void @nor_this()
      ret void
    }
    """
    with pytest.raises(
        NativeError, match=r"a body, .* for nowhere_to_be_found, nor_this"
    ):
        compile_native(text)


def test_what_is_not_known_is_left_to_llvm() -> None:
    text = """
    @mine = thread_local global i64 3
    define i64 @f(i64 %n) {
      %x = load i64, ptr @mine
      ret i64 %x
    }
    """
    module, target = optimized(text, host_machine())
    image = target.emit_object(module)
    if not is_known(image):
        pytest.skip("expected ELF for x86-64")
    with pytest.raises(UnknownObject):
        LoadedObject(image, address_of)


def test_addresses_of_functions() -> None:
    assert address_of("malloc")
    assert address_of("free")
    assert address_of("no such function") is None
    with pytest.raises(MissingSymbols, match=r"for given$"):
        load(compile_object(TEXT, host_machine()).code)


@pytest.mark.skipif(not host_machine().is_x86, reason="libmvec is on x86-64 only")
def test_llvm_links_with_given_functions_and_libraries() -> None:
    text = """
    declare <2 x double> @_ZGVbN2v_exp(<2 x double>)
    declare i64 @given(i64)
    define i64 @f(i64 %n) {
      %r = call i64 @given(i64 %n)
      ret i64 %r
    }
    define <2 x double> @g(<2 x double> %x) {
      %r = call <2 x double> @_ZGVbN2v_exp(<2 x double> %x)
      ret <2 x double> %r
    }
    """
    code = compile_object(text, host_machine()).code
    addresses, _keep = link(*code, SYMBOLS, LIBRARIES)
    assert CFUNCTYPE(c_int64, c_int64)(addresses["f"])(4) == 12
