"""
Functions for native code to call that need the interpreter.

They are native code themselves. A function of Python would not do, although `ctypes` can
call one from native code: when Ctrl-C has come, what the signal handler raises is raised
before the first line of the function, where it cannot be caught, and is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_void_p, cast, pythonapi
from functools import cache

from spmd.lowering.native import NativeModule, compile_native
from spmd.lowering.ops.assertions import ATTENTION
from spmd.runtime.launching.record import LaunchRecord
from spmd.runtime.native_kernel import compiling

_THREAD = LaunchRecord.thread.offset
_RAISED = LaunchRecord.raised.offset


def _python(name: str) -> str:
    """A function of Python's C API, as an operand in LLVM IR."""
    return f"inttoptr (i64 {cast(getattr(pythonapi, name), c_void_p).value} to ptr)"


@cache
def _attend() -> NativeModule:
    with compiling:
        return compile_native(f"""
@interrupted = constant [12 x i8] c"interrupted\\00"

define zeroext i1 @attend(ptr %record) nounwind {{
  %at = getelementptr i8, ptr %record, i64 {ATTENTION}
  %wanted.at = getelementptr i8, ptr %record, i64 {_THREAD}
  %wanted = load atomic i64, ptr %wanted.at acquire, align 8
  %thread = call i64 {_python("PyThread_get_thread_ident")}()
  %mine = icmp eq i64 %thread, %wanted
  br i1 %mine, label %look, label %resume
look:
  %before = atomicrmw xchg ptr %at, i64 0 seq_cst
  %message = load atomic ptr, ptr %record seq_cst, align 8
  %quiet = icmp eq ptr %message, null
  br i1 %quiet, label %check, label %stop
check:
  %state = call i32 {_python("PyGILState_Ensure")}()
  %result = call i32 {_python("PyErr_CheckSignals")}()
  %fine = icmp eq i32 %result, 0
  br i1 %fine, label %release, label %raised
raised:
  %type = getelementptr i8, ptr %record, i64 {_RAISED}
  %value = getelementptr i8, ptr %record, i64 {_RAISED + 8}
  %traceback = getelementptr i8, ptr %record, i64 {_RAISED + 16}
  call void {_python("PyErr_Fetch")}(ptr %type, ptr %value, ptr %traceback)
  store atomic ptr @interrupted, ptr %record seq_cst, align 8
  store atomic i64 1, ptr %at seq_cst, align 8
  br label %release
release:
  call void {_python("PyGILState_Release")}(i32 %state)
  %end = icmp ne i32 %result, 0
  ret i1 %end
stop:
  store atomic i64 1, ptr %at seq_cst, align 8
  ret i1 true
resume:
  ret i1 false
}}
""")


def attend_address() -> int:
    """
    The function that polls call (`ask` of a record): it runs Python's signal handlers.

    In the thread that the record names, and in no other. If a handler raises, the launch
    ends, and the record keeps what was raised.
    """
    return _attend().address("attend")


_kept: list[object] = []
"""What native code has the addresses of, and the code itself."""


def caller_address(
    function: Callable[[int, int], None], failures: list[BaseException]
) -> int:
    """
    The address of `void call(int64_t, int64_t)`, which calls a function of Python.

    What it raises, also before its first line, is appended to `failures`.
    """
    with compiling:
        native = compile_native(f"""
@format = private constant [3 x i8] c"LL\\00"

define void @call(i64 %first, i64 %second) nounwind {{
  %type = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  %state = call i32 {_python("PyGILState_Ensure")}()
  %result = call ptr (ptr, ptr, ...) {_python("PyObject_CallFunction")}(
      ptr inttoptr (i64 {id(function)} to ptr), ptr @format, i64 %first, i64 %second)
  %failed = icmp eq ptr %result, null
  br i1 %failed, label %keep, label %drop
keep:
  call void {_python("PyErr_Fetch")}(ptr %type, ptr %value, ptr %traceback)
  call void {_python("PyErr_NormalizeException")}(ptr %type, ptr %value, ptr %traceback)
  %error = load ptr, ptr %value
  call i32 {_python("PyList_Append")}(
      ptr inttoptr (i64 {id(failures)} to ptr), ptr %error)
  br label %release
drop:
  call void {_python("Py_DecRef")}(ptr %result)
  br label %release
release:
  call void {_python("PyGILState_Release")}(i32 %state)
  ret void
}}
""")
    _kept.extend((function, failures, native))
    return native.address("call")
