"""
What happens when `cf.assert` fails, and at `spmd.fail` and `spmd.print`.

*abort* prints the message and ends the process, as MLIR does.

*report* lets the caller go on. A function that may fail takes one more argument, the
address of a record (`lowering/writing/record.py`).

Where an assertion fails, the message is set and the function returns; whoever called it
looks at the message and returns too. What the function gives back is undefined then. For a
kernel the address stands after the sizes in the struct of arguments. Polls: `polls.py`.

What is printed is given to a function of the runtime, `PRINT`, which answers whether to
stop; with *abort* it is given to `printf`.

Of several threads that come to `spmd.fail`, the first writes the record: the
numbers are those of the message.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Literal

from xdsl.dialects.builtin import (
    AnyFloat,
    Float16Type,
    Float32Type,
    Float64Type,
    ModuleOp,
)
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from spmd.dialects.diagnostics import source_location
from spmd.dialects.interfaces.meaning import Emission
from spmd.dialects.messages import Place, escaped, pieces_of
from spmd.dialects.spmd import FailOp, PrintOp
from spmd.lowering.ops.conversions import round_float
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.record import ATTENTION, PRINT, WITH_PLACES
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import is_float, llvm_type, scalar_bits

Assertions = Literal["abort", "report"]

FAILED = "failed"
"""The name of the argument that points to the record."""


def functions_that_may_fail(
    module: ModuleOp, fallible: Container[Operation]
) -> frozenset[str]:
    """
    The functions that reach what may fail, in their own body or in one they call.

    Also one of the operations `fallible`.
    """
    failing: set[str] = set()
    callers: dict[str, set[str]] = {}
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        name = function.sym_name.data
        for op in function.walk():
            if _may_fail(op) or op in fallible:
                failing.add(name)
            elif isinstance(op, CallOp):
                callers.setdefault(op.callee.string_value(), set()).add(name)
    rest = list(failing)
    while rest:
        new = callers.get(rest.pop(), set()) - failing
        failing |= new
        rest += new
    return frozenset(failing)


def _may_fail(op: Operation) -> bool:
    emission = Emission.of(op)
    return emission is not None and emission.may_fail


@emits(AssertOp, may_fail=True)
def write_assert(writer: FunctionWriter, op: AssertOp) -> None:
    """Writes the check and what follows if it fails."""
    failed, passed = writer.fresh("assert.failed"), writer.fresh("assert.passed")
    weights = writer.module.likely()
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
        _abort(writer)
    else:
        name = writer.module.string(message.encode() + b"\0")
        writer.emit(f"store atomic ptr {name}, ptr {writer.failed} monotonic, align 8")
        write_attention(writer)
        writer.leave()
    writer.start(passed)


@emits(FailOp, may_fail=True)
def write_fail(writer: FunctionWriter, op: FailOp) -> None:
    """Writes the report, and a block that nothing leads to for what comes after."""
    values = [
        _wide(writer, value, place)
        for value, place in zip(op.values, op.places(), strict=True)
    ]
    write_failure(writer, op, op.message.data, values)
    writer.start(writer.fresh("fail.after"))


def write_failure(
    writer: FunctionWriter, op: Operation, message: str, values: Sequence[str]
) -> None:
    """Ends the block, and the function, with a report about `op`; of `values` the type is in front."""
    if (location := source_location(op)) is not None:
        message = f"{escaped(str(location))}: {message}"
    if writer.failed is None:
        arguments = ["i32 2", *_in_c(writer, message + "\n", values)]
        writer.module.declare("dprintf", "i32", ["i32", "ptr", "..."], "nounwind")
        writer.emit(f"call i32 (i32, ptr, ...) @dprintf({', '.join(arguments)})")
        _abort(writer)
    else:
        _report(writer, writer.failed, message, values)
        writer.leave()


def _abort(writer: FunctionWriter) -> None:
    writer.emit(writer.call("abort", "void", [], attributes="noreturn nounwind"))
    writer.emit("unreachable")


@emits(PrintOp, may_fail=True)
def write_print(writer: FunctionWriter, op: PrintOp) -> None:
    """Writes what prints, and what leaves the function if it is answered so."""
    message, places = op.message.data, zip(op.values, op.places(), strict=True)
    if writer.failed is None:
        in_c = [_wide(writer, value, place, Float64Type()) for value, place in places]
        arguments = _in_c(writer, message, in_c)
        writer.module.declare("printf", "i32", ["ptr", "..."], "nounwind")
        writer.emit(f"call i32 (ptr, ...) @printf({', '.join(arguments)})")
        return
    values = [_wide(writer, value, place) for value, place in places]
    text = _code(values).encode() + b"\0" + message.encode() + b"\0"
    slots = [f"ptr {writer.module.string(text)}", *values]
    record = "%" + writer.fresh("printed")
    writer.entry.append(f"  {record} = alloca [{len(slots)} x i64], align 8")
    for number, value in enumerate(slots):
        at = writer.temp(f"getelementptr inbounds i64, ptr {record}, i64 {number}")
        writer.emit(f"store {value}, ptr {at}, align 8")
    passed = [("ptr", writer.failed), ("ptr", record)]
    ended = writer.temp(writer.call(PRINT, "zeroext i1", passed, attributes="nounwind"))
    stop, resume = writer.fresh("stop"), writer.fresh("resume")
    writer.emit(f"br i1 {ended}, label %{stop}, label %{resume}")
    writer.start(stop)
    writer.leave()
    writer.start(resume)


def _code(values: Sequence[str]) -> str:
    """How numbers with their types stand in slots of 8 bytes, each as a code of `struct`."""
    codes = {"half": "e", "float": "f", "double": "d", "i64": "q"}
    return "".join(codes[value.partition(" ")[0]] for value in values)


def _wide(
    writer: FunctionWriter,
    value: SSAValue,
    place: Place,
    least: AnyFloat = Float16Type(),
) -> str:
    """A number with its type: a whole one in 64 bits, another one in a type from `least`."""
    type_, operand = writer.type_of(value), writer.get(value)
    if is_float(value.type):
        is_half = scalar_bits(value.type) == 16
        to = Float32Type() if is_half and value.type != Float16Type() else value.type
        to = max(to, least, key=scalar_bits)
        operand = round_float(writer, operand, value.type, to, None)
        return f"{llvm_type(to)} {operand}"
    if type_ != "i64":
        extend = "zext" if type_ == "i1" or place.unsigned else "sext"
        operand = writer.temp(f"{extend} {type_} {operand} to i64")
    return f"i64 {operand}"


def _report(
    writer: FunctionWriter, record: str, message: str, values: Sequence[str]
) -> None:
    first, stop = writer.fresh("fail.first"), writer.fresh("fail.stop")
    text = writer.module.string(WITH_PLACES + message.encode() + b"\0")
    claim = writer.temp(
        f"cmpxchg ptr {record}, ptr null, ptr {text} monotonic monotonic, align 8"
    )
    claimed = writer.temp(f"extractvalue {{ ptr, i1 }} {claim}, 1")
    writer.emit(f"br i1 {claimed}, label %{first}, label %{stop}")
    writer.start(first)
    for number, value in enumerate(values):
        at = f"getelementptr inbounds i8, ptr {record}, i64 {8 * (number + 1)}"
        writer.emit(f"store {value}, ptr {writer.temp(at)}, align 8")
    write_attention(writer)
    writer.jump(stop)
    writer.start(stop)


def write_attention(writer: FunctionWriter) -> None:
    """Lets the polls of all threads of the launch find the message."""
    at = attention_address(writer)
    writer.emit(f"store atomic i64 1, ptr {at} release, align 8")


def attention_address(writer: FunctionWriter) -> str:
    """Where polls look."""
    return writer.temp(
        f"getelementptr inbounds i8, ptr {writer.failed}, i64 {ATTENTION}"
    )


def _in_c(writer: FunctionWriter, message: str, values: Sequence[str]) -> list[str]:
    """The arguments of `printf` for a message."""
    text = ""
    arguments: list[str] = []
    rest = iter(values)
    for piece in pieces_of(message):
        if isinstance(piece, str):
            text += piece.replace("%", "%%")
            continue
        value = next(rest)
        if piece.words:
            text += "%s"
            arguments.append(f"ptr {_chosen_word(writer, value, piece.words)}")
        else:
            text += _format_of_c(piece, value.startswith("double"))
            arguments.append(value)
    form = writer.module.string(text.encode() + b"\0")
    return [f"ptr {form}", *arguments]


def _chosen_word(writer: FunctionWriter, value: str, known: Sequence[str]) -> str:
    words = [writer.module.string(word.encode() + b"\0") for word in known]
    chosen = words[-1]
    for number, word in enumerate(words[:-1]):
        here = writer.temp(f"icmp eq {value}, {number}")
        chosen = writer.temp(f"select i1 {here}, ptr {word}, ptr {chosen}")
    return chosen


def _format_of_c(place: Place, is_float: bool) -> str:
    how = place.format.replace("<", "-").replace(">", "")
    kind = how[-1:] if how[-1:].isalpha() else ""
    how = how.removesuffix(kind)
    if is_float:
        return f"%{how}{kind or 'g'}"
    if kind in ("", "d"):
        kind = "u" if place.unsigned else "d"
    return f"%{how}{'' if kind == 'c' else 'll'}{kind}"


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
