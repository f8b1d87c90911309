"""
Kernels with one fault put into their IR, in generic form: most of them are illegal.

A fault drops, doubles or retypes what an operation has. The text of a module with a fault
is either refused with a `CompileError` about it, or it is legal and compiles; an internal
error, a crash, a hang or LLVM's own words mean that a check is missing.
"""

from __future__ import annotations

import re
import signal
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    VectorType,
    bf16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.printer import Printer

import spmd
from spmd import CompileError
from spmd.passes.targets import TARGETS
from spmd.reference.errors import ArgumentError, UndefinedBehavior
from spmd.runtime.errors import InternalError
from tests.execution.harness import Launch, check_native, parsed
from tests.fuzz.hosts import write_host_functions
from tests.fuzz.properties import WIDTHS, watch
from tests.fuzz.writing.programs import Kernel, write_kernel
from tests.fuzz.writing.writer import Choose

ROOT = Path(__file__).resolve().parents[1]

TYPES: tuple[Attribute, ...] = (
    i1,
    i8,
    i32,
    i64,
    IndexType(),
    bf16,
    f32,
    f64,
    VectorType(f32, [4]),
    VectorType(i32, [8]),
    VectorType(i1, [4]),
    MemRefType(f32, [-1]),
    MemRefType(f32, [8]),
    MemRefType(i32, [4, -1]),
    MemRefType(i8, [-1]),
)


_TRIES = 20
_SECONDS = 10


@cache
def _sources() -> list[str]:
    """The kernels of the tests."""
    folders = (ROOT / "kernels", ROOT / "filecheck" / "lowering")
    files = sorted(path for each in folders for path in each.rglob("*.mlir"))
    texts = [
        text
        for path in files
        if "illegal" not in path.parts
        for text in path.read_text().split("// -----")
    ]
    return [text for text in texts if _is_legal(text)]


def _is_legal(text: str) -> bool:
    try:
        spmd.compile(text)
    except CompileError:
        return False
    return True


def _visible(op: Operation) -> list[SSAValue]:
    """Values that `op` could use."""
    found: list[SSAValue] = []
    at: Operation | None = op
    while at is not None and not isinstance(at, ModuleOp):
        block = at.parent
        assert block is not None
        found += block.args
        for other in block.ops:
            if other is at:
                break
            found += other.results
        at = at.parent_op()
        if at is not None and at.name in ("spmd.kernel", "func.func"):
            break
    return found


def _resize(op: Operation, at: int, by: int) -> None:
    """Tell the segment that operand `at` is in, so that the count alone is no fault."""
    sizes = cast(Any, op.properties.get("operandSegmentSizes"))
    if sizes is None:
        return
    counts = list(sizes.get_values())
    end = 0
    for i, count in enumerate(counts):
        end += count
        if at < end:
            counts[i] += by
            break
    else:
        return
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, counts)


def _drop_operand(op: Operation, choose: Choose) -> bool:
    if not op.operands:
        return False
    at = choose(len(op.operands))
    _resize(op, at, -1)
    op.operands = [value for i, value in enumerate(op.operands) if i != at]
    return True


def _double_operand(op: Operation, choose: Choose) -> bool:
    if not op.operands:
        return False
    at = choose(len(op.operands))
    _resize(op, at, 1)
    op.operands = [*op.operands[: at + 1], *op.operands[at:]]
    return True


def _add_operand(op: Operation, choose: Choose) -> bool:
    values = _visible(op)
    if not values:
        return False
    op.operands = [*op.operands, values[choose(len(values))]]
    return True


def _other_operand(op: Operation, choose: Choose) -> bool:
    values = _visible(op)
    if not values or not op.operands:
        return False
    op.operands[choose(len(op.operands))] = values[choose(len(values))]
    return True


def _retype(values: list[SSAValue], choose: Choose) -> bool:
    if not values:
        return False
    value = values[choose(len(values))]
    value._type = TYPES[choose(len(TYPES))]  # pyright: ignore[reportPrivateUsage]
    return True


def _retype_result(op: Operation, choose: Choose) -> bool:
    return _retype(list(op.results), choose)


def _retype_argument(op: Operation, choose: Choose) -> bool:
    return _retype([arg for block in _blocks(op) for arg in block.args], choose)


def _blocks(op: Operation) -> list[Block]:
    return [block for region in op.regions for block in region.blocks]


def _drop_argument(op: Operation, choose: Choose) -> bool:
    arguments = [
        arg for block in _blocks(op) for arg in block.args if arg.first_use is None
    ]
    if not arguments:
        return False
    argument = arguments[choose(len(arguments))]
    argument.block.erase_arg(argument)
    return True


def _add_argument(op: Operation, choose: Choose) -> bool:
    blocks = _blocks(op)
    if not blocks:
        return False
    block = blocks[choose(len(blocks))]
    block.insert_arg(TYPES[choose(len(TYPES))], choose(len(block.args) + 1))
    return True


def _drop_region(op: Operation, choose: Choose) -> bool:
    if not op.regions:
        return False
    at = choose(len(op.regions))
    kept = list(op.regions)
    region = kept[at]
    region.parent = None
    if choose(2):
        kept[at] = Region() if choose(2) else Region(Block())
    else:
        del kept[at]
    for each in kept:
        each.parent = None
    op.regions = tuple(kept)
    for each in kept:
        each.parent = op
    return True


def _drop_op(op: Operation, _choose: Choose) -> bool:
    if any(result.first_use is not None for result in op.results):
        return False
    op.detach()
    op.erase(safe_erase=False)
    return True


def _changed(attribute: Any, choose: Choose) -> Attribute:
    if isinstance(attribute, IntegerAttr):
        numbers = (-1, 0, 1, 2, 3, 7, 16, 99, 300, 2**31, -(2**40), 2**63)
        number = numbers[choose(len(numbers))]
        type_ = cast(Any, attribute).type
        half = 2 ** (63 if isinstance(type_, IndexType) else type_.width.data - 1)
        return IntegerAttr((number + half) % (2 * half) - half, type_)
    if isinstance(attribute, DenseArrayBase):
        elements = cast(Any, attribute)
        values = list(elements.get_values())
        at = choose(len(values) + 1)
        values[at : at + choose(2)] = [(-1, 0, 1, 2, 3, 5, 100)[choose(7)]][: choose(2)]
        return DenseArrayBase.from_list(elements.elt_type, values)
    if isinstance(attribute, ArrayAttr):
        parts = list(cast(Any, attribute).data)
        at = choose(len(parts) + 1)
        parts[at : at + 1] = [_changed(p, choose) for p in parts[at : at + choose(2)]]
        return ArrayAttr(parts)
    if isinstance(attribute, TypeAttribute):
        return TYPES[choose(len(TYPES))]
    return UnitAttr()


def _change_attribute(op: Operation, choose: Choose) -> bool:
    if not op.properties:
        return False
    names = sorted(op.properties)
    name = names[choose(len(names))]
    if choose(4):
        op.properties[name] = _changed(op.properties[name], choose)
    else:
        del op.properties[name]
    return True


FAULTS = (
    _drop_operand,
    _double_operand,
    _add_operand,
    _other_operand,
    _retype_result,
    _retype_argument,
    _drop_argument,
    _add_argument,
    _drop_region,
    _drop_op,
    _change_attribute,
)


def _with_fault(module: ModuleOp, choose: Choose) -> str | None:
    """The text of `module` with a fault, or `None` where its kind cannot be."""
    ops = [op for op in module.walk() if op is not module]
    op = ops[choose(len(ops))]
    if not FAULTS[choose(len(FAULTS))](op, choose):
        return None
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def write_faulty_kernel(choose: Choose) -> Kernel:
    """One of the tests with a fault, a kernel that can be launched as well, or a host function."""
    kind = choose(5)
    if kind < 2:
        kernel = write_kernel(choose)
    else:
        sources = _sources()
        text = sources[choose(len(sources))]
        if kind == 2:
            text = write_host_functions(choose).source
        kernel = Kernel(text, (), Launch((64,), (64,)))
    for _ in range(_TRIES):
        if (text := _with_fault(parsed(kernel.source).clone(), choose)) is not None:
            return replace(kernel, source=text)
    return kernel


_TOKEN = re.compile(r"\s+|[\w.%@^#!]+|.")
_STRANGE = (
    *("", "\0", "\u00e9", "\t", "\r\n", '"', "{", "}", "(", ")", "-", "!", "#", "//"),
    *(
        "9" * 30,
        "0x",
        "inf",
        "index",
        "i0",
        "i128",
        "f80",
        "i9999999",
        "none",
        "tuple<>",
    ),
    *("%0", "@", "^bb9", "memref<", "vector<0xf32>", "loc(unknown)"),
)
"""What is put into texts."""


def write_mangled_kernel(choose: Choose) -> Kernel:
    """The text of a kernel of the tests with a few tokens changed, moved or left out."""
    sources = _sources()
    tokens = _TOKEN.findall(sources[choose(len(sources))])
    for _ in range(1 + choose(3)):
        at, other = choose(len(tokens)), tokens[choose(len(tokens))]
        match choose(6):
            case 0:
                tokens[at] = ""
            case 1:
                tokens.insert(at, other)
            case 2:
                tokens[at] = other
            case 3:
                tokens[at] = _STRANGE[choose(len(_STRANGE))]
            case 4:
                tokens[at + 1 :] = []
            case _:
                cut = choose(len(tokens[at]) + 1)
                tokens[at] = tokens[at][:cut] + chr(32 + choose(95)) + tokens[at][cut:]
    return Kernel("".join(tokens), (), Launch((64,), (64,)))


def check_refused_or_right(kernel: Kernel, number: int) -> None:
    """A kernel with a fault is refused in our words, or means what the interpreter says."""
    width, vectorize = WIDTHS[number % len(WIDTHS)], number % 5 > 0
    target = list(TARGETS)[number // 5 % len(TARGETS)]
    try:
        program = spmd.compile(
            kernel.source, width=width, vectorize=vectorize, target=target
        )
        for name in program:
            program[name].ir("spmd-llvm")
    except InternalError:
        raise
    except CompileError as error:
        if "LLVM does not accept" in str(error):
            raise
        return
    if kernel.parameters and _is_clean(kernel):
        check_native(
            kernel.source,
            kernel.arguments,
            kernel.launch,
            width=width,
            vectorize=vectorize,
        )


def _is_clean(kernel: Kernel) -> bool:
    """Whether the checker lets the kernel run to its end, without a race or a wrong access."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    left = signal.alarm(_SECONDS)
    try:
        return bool(watch(kernel.source, kernel)[0])
    except (TimeoutError, UndefinedBehavior, ArgumentError):
        return False
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.alarm(left)
