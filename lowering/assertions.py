"""
What happens when `cf.assert` fails.

*abort* prints the message and ends the process, as MLIR does.

*report* lets the caller go on. A function that may fail takes one more argument, the
address of a pointer. Where an assertion fails, the pointer is set to the message and the
function returns; whoever called it looks at the pointer and returns too. What the function
gives back is undefined then. For a kernel the address stands behind the sizes in the
struct of arguments.
"""

from __future__ import annotations

from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.func import CallOp, FuncOp

from spmd.dialects.diagnostics import source_location
from spmd.lowering.function_writer import FunctionWriter

Assertions = Literal["abort", "report"]

FAILED = "failed"
"""The name of the argument that points to the pointer."""


def functions_that_may_fail(module: ModuleOp) -> frozenset[str]:
    """The functions that reach an assertion, in their own body or in one they call."""
    failing: set[str] = set()
    callers: dict[str, set[str]] = {}
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        name = function.sym_name.data
        for op in function.walk():
            if isinstance(op, AssertOp):
                failing.add(name)
            elif isinstance(op, CallOp):
                callers.setdefault(op.callee.string_value(), set()).add(name)
    rest = list(failing)
    while rest:
        new = callers.get(rest.pop(), set()) - failing
        failing |= new
        rest += new
    return frozenset(failing)


def write_assert(writer: FunctionWriter, op: AssertOp) -> None:
    """Writes the check and what follows if it fails."""
    failed, passed = writer.fresh("assert.failed"), writer.fresh("assert.passed")
    weights = writer.module.metadata('!"branch_weights", i32 1048576, i32 1')
    writer.emit(
        f"br i1 {writer.get(op.arg)}, label %{passed}, label %{failed}, !prof {weights}"
    )
    writer.start(failed)
    location = source_location(op)
    message = op.msg.data if location is None else f"{location}: {op.msg.data}"
    if writer.failed is None:
        text = message.encode() + b"\n"
        name = writer.module.string(text)
        arguments = [("i32", "2"), ("ptr", name), ("i64", str(len(text)))]
        writer.emit(writer.call("write", "i64", arguments, attributes="nounwind"))
        writer.emit(writer.call("abort", "void", [], attributes="noreturn nounwind"))
        writer.emit("unreachable")
    else:
        name = writer.module.string(message.encode() + b"\0")
        writer.emit(f"store atomic ptr {name}, ptr {writer.failed} monotonic, align 8")
        writer.leave()
    writer.start(passed)


def write_return_if_failed(writer: FunctionWriter) -> None:
    """Returns at once after a call in which an assertion failed."""
    stop, resume = writer.fresh("stop"), writer.fresh("resume")
    writer.emit(f"br i1 {has_failed(writer)}, label %{stop}, label %{resume}")
    writer.start(stop)
    writer.leave()
    writer.start(resume)


def has_failed(writer: FunctionWriter) -> str:
    """Whether an assertion has failed, in this thread or in another one of the launch."""
    message = writer.temp(f"load atomic ptr, ptr {writer.failed} monotonic, align 8")
    return writer.temp(f"icmp ne ptr {message}, null")
