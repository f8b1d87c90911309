"""
Functions for native code to call that need the interpreter.

They are native code themselves. A function of Python would not do, although `ctypes` can
call one from native code: when Ctrl-C has come, what the signal handler raises is raised
before the first line of the function, where it cannot be caught, and is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import c_void_p, cast, pythonapi, string_at
from dataclasses import replace
from functools import cache

import numpy as np

from spmd.dialects.messages import formatted
from spmd.lowering.loading.object_code import NativeCode, ObjectCode, load
from spmd.lowering.writing.record import ATTENTION, KEEPS_REGISTERS, POLL, PRINT
from spmd.runtime.cache.stored import compiling, stored
from spmd.runtime.launching.record import LaunchRecord

_ASK = LaunchRecord.ask.offset
_THREAD = LaunchRecord.thread.offset
_RAISED = LaunchRecord.raised.offset


_DECLARATIONS = {
    "PyThread_get_thread_ident": "i64 @PyThread_get_thread_ident()",
    "PyGILState_Ensure": "i32 @PyGILState_Ensure()",
    "PyGILState_Release": "void @PyGILState_Release(i32)",
    "PyErr_CheckSignals": "i32 @PyErr_CheckSignals()",
    "PyErr_Fetch": "void @PyErr_Fetch(ptr, ptr, ptr)",
    "PyErr_NormalizeException": "void @PyErr_NormalizeException(ptr, ptr, ptr)",
    "PyObject_CallFunction": "ptr @PyObject_CallFunction(ptr, ptr, ...)",
    "PyList_Append": "i32 @PyList_Append(ptr, ptr)",
    "Py_DecRef": "void @Py_DecRef(ptr)",
}
"""Functions of Python's C API, in LLVM IR."""


def _native(definitions: str, symbols: Mapping[str, int]) -> NativeCode:
    """Code that calls functions of Python; `symbols` are addresses of what else it uses."""
    declared = "".join(f"declare {text}\n" for text in _DECLARATIONS.values())
    python = {
        name: cast(getattr(pythonapi, name), c_void_p).value or 0
        for name in _DECLARATIONS
    }

    def make() -> ObjectCode:
        from spmd.lowering.compiling import compile_object
        from spmd.lowering.machine import host_machine

        machine = host_machine()
        if machine.is_x86:
            # `vzeroupper` would stand at the end, after LLVM has restored what `POLL` keeps.
            machine = replace(machine, features=f"{machine.features},-vzeroupper")
        return compile_object(declared + definitions, machine).code

    key = ("python calls", declared, definitions)
    with compiling:
        return stored(key, make, lambda code: load(code, {**python, **symbols}))


_KEEP = f"""
@interrupted = private constant [12 x i8] c"interrupted\\00"

; Ends the launch by what a function of Python has raised.
define private void @keep_raised(ptr %record) nounwind {{
  %at = getelementptr i8, ptr %record, i64 {ATTENTION}
  %type = getelementptr i8, ptr %record, i64 {_RAISED}
  %value = getelementptr i8, ptr %record, i64 {_RAISED + 8}
  %traceback = getelementptr i8, ptr %record, i64 {_RAISED + 16}
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback)
  store atomic ptr @interrupted, ptr %record seq_cst, align 8
  store atomic i64 1, ptr %at seq_cst, align 8
  ret void
}}
"""


@cache
def _attend() -> NativeCode:
    text = f"""
define zeroext i1 @attend(ptr %record) nounwind {{
  %at = getelementptr i8, ptr %record, i64 {ATTENTION}
  %wanted.at = getelementptr i8, ptr %record, i64 {_THREAD}
  %wanted = load atomic i64, ptr %wanted.at acquire, align 8
  %thread = call i64 @PyThread_get_thread_ident()
  %mine = icmp eq i64 %thread, %wanted
  br i1 %mine, label %look, label %resume
look:
  %before = atomicrmw xchg ptr %at, i64 0 seq_cst
  %message = load atomic ptr, ptr %record seq_cst, align 8
  %quiet = icmp eq ptr %message, null
  br i1 %quiet, label %check, label %stop
check:
  %state = call i32 @PyGILState_Ensure()
  %result = call i32 @PyErr_CheckSignals()
  %fine = icmp eq i32 %result, 0
  br i1 %fine, label %release, label %raised
raised:
  call void @keep_raised(ptr %record)
  br label %release
release:
  call void @PyGILState_Release(i32 %state)
  %end = icmp ne i32 %result, 0
  ret i1 %end
stop:
  store atomic i64 1, ptr %at seq_cst, align 8
  ret i1 true
resume:
  ret i1 false
}}
"""
    return _native(_KEEP + text, {})


def attend_address() -> int:
    """
    The function that `POLL` calls (`ask` of a record): it runs Python's signal handlers.

    In the thread that the record names, and in no other. If a handler raises, the launch
    ends, and the record keeps what was raised.
    """
    return _attend().address("attend")


@cache
def _poll() -> NativeCode:
    # LLVM has to optimise it: else it restores the register of the answer too.
    text = f"""
define zeroext i1 @{POLL}(ptr %record) nounwind {KEEPS_REGISTERS} {{
  %message = load atomic ptr, ptr %record acquire, align 8
  %failed = icmp ne ptr %message, null
  br i1 %failed, label %stop, label %look
look:
  %at = getelementptr inbounds i8, ptr %record, i64 {_ASK}
  %function = load atomic ptr, ptr %at acquire, align 8
  %nobody = icmp eq ptr %function, null
  br i1 %nobody, label %resume, label %ask
ask:
  %answer = call zeroext i1 %function(ptr %record)
  ret i1 %answer
resume:
  ret i1 false
stop:
  ret i1 true
}}
"""
    return _native(text, {})


def poll_address() -> int:
    """The function that a poll calls which finds something: it asks whom the record names."""
    return _poll().address(POLL)


@cache
def print_address() -> int:
    """The function that `spmd.print` calls (`PRINT`): it prints to `sys.stdout`."""
    text = """
@format = private constant [2 x i8] c"L\\00"
@function = external global i8

define zeroext i1 @print(ptr %record, ptr %slots) nounwind {
entry:
  %state = call i32 @PyGILState_Ensure()
  %message = load atomic ptr, ptr %record seq_cst, align 8
  %quiet = icmp eq ptr %message, null
  br i1 %quiet, label %tell, label %release
tell:
  %result = call ptr (ptr, ptr, ...) @PyObject_CallFunction(
      ptr @function, ptr @format, ptr %slots)
  %failed = icmp eq ptr %result, null
  br i1 %failed, label %raised, label %drop
raised:
  call void @keep_raised(ptr %record)
  br label %release
drop:
  call void @Py_DecRef(ptr %result)
  br label %release
release:
  %end = phi i1 [ true, %entry ], [ true, %raised ], [ false, %drop ]
  call void @PyGILState_Release(i32 %state)
  ret i1 %end
}
"""
    native = _native(_KEEP + text, {"function": id(_show)})
    _kept.append(native)
    return native.address("print")


def _show(slots: int) -> None:
    """Prints a message: see `lowering/writing/record.py`."""
    text = c_void_p.from_address(slots).value or 0
    codes = string_at(text).decode()
    message = string_at(text + len(codes) + 1).decode()
    numbers = [_number(code, slots + 8 * n) for n, code in enumerate(codes, 1)]
    print(formatted(message, numbers), end="")


def _number(code: str, address: int) -> object:
    kind = {"q": np.int64, "e": np.float16, "f": np.float32, "d": np.float64}[code]
    number = np.frombuffer(string_at(address, 8), kind, 1)[0]
    return int(number) if code == "q" else number


def runtime_functions(code: ObjectCode) -> dict[str, int]:
    """The functions of the runtime that native code calls by name."""
    functions = {POLL: poll_address, PRINT: print_address}
    return {
        name: address()
        for name, address in functions.items()
        if name.encode() in code.image
    }


_kept: list[object] = []
"""What native code has the addresses of, and the code itself."""


def caller_address(
    function: Callable[[int, int], None], failures: list[BaseException]
) -> int:
    """
    The address of `void call(int64_t, int64_t)`, which calls a function of Python.

    What it raises, also before its first line, is appended to `failures`.
    """
    text = """
@format = private constant [3 x i8] c"LL\\00"
@function = external global i8
@failures = external global i8

define void @call(i64 %first, i64 %second) nounwind {
  %type = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  %state = call i32 @PyGILState_Ensure()
  %result = call ptr (ptr, ptr, ...) @PyObject_CallFunction(
      ptr @function, ptr @format, i64 %first, i64 %second)
  %failed = icmp eq ptr %result, null
  br i1 %failed, label %keep, label %drop
keep:
  call void @PyErr_Fetch(ptr %type, ptr %value, ptr %traceback)
  call void @PyErr_NormalizeException(ptr %type, ptr %value, ptr %traceback)
  %error = load ptr, ptr %value
  call i32 @PyList_Append(
      ptr @failures, ptr %error)
  br label %release
drop:
  call void @Py_DecRef(ptr %result)
  br label %release
release:
  call void @PyGILState_Release(i32 %state)
  ret void
}
"""
    native = _native(text, {"function": id(function), "failures": id(failures)})
    _kept.extend((function, failures, native))
    return native.address("call")
