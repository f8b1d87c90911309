"""
The examples in the documentation: found, parsed, and run by the reference interpreter.

A block that starts with three backticks and `mlir` is IR: a module, or some ops of a
kernel. Its comments may say what it does when it is run:

    // run: global_size = 4, group_size = 2, a = 2.0, x = [1, 2, 3, 4]
    // gives: x = [2, 4, 6, 8]

The names are those of the arguments; local memory is given by its size. With a global
size a kernel runs, without one a function. If there are several, `name` says which.
`// rejected:` is followed by the start of what `check-barriers` says about the example.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.utils.hints import isa

from spmd.dialects.spmd import LOCAL, KernelOp
from spmd.reference import run_function, run_kernel
from spmd.runtime.parsing import make_context

FENCE = re.compile(r"^( *)```(\w*) *\n(.*?)^\1``` *$", re.MULTILINE | re.DOTALL)
TOP_LEVEL = re.compile(
    r"^(\"?(spmd\.kernel|func\.func|builtin\.module)\b)", re.MULTILINE
)

DTYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}


@dataclass(frozen=True)
class Run:
    """One `run:` line with its `gives:` line, as written."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]


@dataclass(frozen=True)
class Example:
    """A block of IR in a document or docstring."""

    place: str
    text: str

    def module(self) -> ModuleOp:
        """The verified module; ops without a kernel around them get one."""
        text = self.text
        if not TOP_LEVEL.search(text):
            text = f"spmd.kernel @example() {{\n{text}\nspmd.return\n}}"
        module = Parser(make_context(), text, self.place).parse_module()
        module.verify()
        return module

    def runs(self) -> Iterator[Run]:
        """What the comments of the example say that it does."""
        lines = [line.strip() for line in self.text.splitlines()]
        said = [line for line in lines if re.match(r"// (run|gives):", line)]
        assert len(said) % 2 == 0, f"expected pairs of run and gives in {self.place}"
        for run, gives in zip(said[::2], said[1::2], strict=True):
            assert run.startswith("// run:"), f"expected // run: in {self.place}"
            assert gives.startswith("// gives:"), f"expected // gives: in {self.place}"
            yield Run(_assignments(run), _assignments(gives))

    def rejections(self) -> list[str]:
        """How the errors start that the example says it has."""
        return re.findall(r"^// rejected: (.*)$", self.text, re.MULTILINE)


def _assignments(comment: str) -> dict[str, Any]:
    call = ast.parse(f"f({comment.partition(':')[2]})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}


PART_OF_RESULT = re.compile(
    r"^<!-- (fission|continuations)(, checked)? -->\n\n```mlir\n.*?^```\n",
    re.MULTILINE | re.DOTALL,
)
"""IR that stands for itself no more; the test of its page keeps it up to date."""


def blocks(text: str, place: str, language: str = "mlir") -> Iterator[Example]:
    """The blocks of one language in a text, in order."""
    for match in FENCE.finditer(text):
        if match[2] == language:
            line = text.count("\n", 0, match.start()) + 1
            yield Example(f"{place}:{line}", inspect.cleandoc("\n" + match[3]))


def examples_of_document(path: Path) -> list[Example]:
    """The examples of a Markdown file, without what is shown of a result."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    return list(blocks(PART_OF_RESULT.sub(blank, path.read_text()), path.name))


def documentation(op: type[Operation]) -> str:
    """The docstring of the file of an op, which may be about all its ops, and that of the op."""
    of_file = sys.modules[op.__module__].__doc__
    return "\n".join(inspect.cleandoc(text or "") for text in (of_file, op.__doc__))


def examples_of_op(op: type[Operation]) -> list[Example]:
    """The examples in the documentation of an op."""
    return list(blocks(documentation(op), op.name))


def _argument(type_: Attribute, value: object) -> object:
    if isa(type_, MemRefType[Attribute]) and type_.memory_space != LOCAL:
        return np.array(value, DTYPES[str(type_.element_type)])
    return value


def run(example: Example, what: Run) -> dict[str, Any]:
    """Run the example; gives the arrays after it, by name, as nested lists."""
    module = example.module()
    inputs = dict(what.inputs)
    name: str | None = inputs.pop("name", None)
    kind = KernelOp if "global_size" in inputs else FuncOp
    [entry] = [
        op
        for op in module.ops
        if isinstance(op, kind) and name in (None, op.sym_name.data)
    ]
    sizes = {
        key: inputs.pop(key)
        for key in ("global_size", "group_size", "sub_group_size")
        if key in inputs
    }
    arguments = {
        str(argument.name_hint): _argument(
            argument.type, inputs[str(argument.name_hint)]
        )
        for argument in entry.body.blocks[0].args
    }
    if isinstance(entry, KernelOp):
        run_kernel(module, entry.sym_name.data, [*arguments.values()], **sizes)
    else:
        run_function(module, entry.sym_name.data, [*arguments.values()])
    arrays: dict[str, NDArray[Any]] = {
        name: array
        for name, array in arguments.items()
        if isinstance(array, np.ndarray)
    }
    return {name: array.tolist() for name, array in arrays.items()}
