"""The examples of the documentation are right: they parse, verify, and do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.irdl import IRDLOperation

from spmd.dialects.diagnostics import KernelError
from spmd.dialects.limits import (
    MAX_EXTENT,
    MAX_GROUP_SIZE,
    MAX_LOCAL_BYTES,
    MAX_SUB_GROUP_SIZE,
)
from spmd.dialects.spmd import SPMD
from spmd.passes.kernels.check_barriers import CheckBarriersPass
from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from spmd.runtime.arguments.limits import MAX_PRIVATE_BYTES
from tests.docs.examples import (
    Example,
    documentation,
    examples_of_document,
    examples_of_op,
    run,
)
from tests.docs.pages import op_reference

DOCS = Path(__file__).resolve().parents[2] / "docs"

IN_DOCUMENTS = [
    e for path in sorted(DOCS.glob("*.md")) for e in examples_of_document(path)
]
IN_OPS = [example for op in SPMD.operations for example in examples_of_op(op)]
EXAMPLES = IN_DOCUMENTS + IN_OPS


def place(example: Example) -> str:
    return example.place


@pytest.mark.parametrize("example", EXAMPLES, ids=place)
def test_example_is_ir(example: Example):
    example.module()


@pytest.mark.parametrize(
    "example", [e for e in EXAMPLES if "// run:" in e.text], ids=place
)
def test_example_does_what_it_says(example: Example):
    for said in example.runs():
        after = run(example, said)
        for name, expected in said.outputs.items():
            assert after[name] == pytest.approx(expected), name


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.rejections()], ids=place)
def test_example_is_rejected_as_it_says(example: Example):
    module = example.module()
    SpmdInlineCallsPass().apply(Context(), module)
    with pytest.raises(KernelError) as error:
        CheckBarriersPass().apply(Context(), module)
    [said] = example.rejections()
    without_places = re.sub(
        rf" \({re.escape(example.place)}:[\d:]+\)", "", error.value.message
    )
    assert without_places.startswith(said)


def test_limits_are_the_ones_of_the_runtime():
    limits = (MAX_GROUP_SIZE, MAX_SUB_GROUP_SIZE, MAX_LOCAL_BYTES, MAX_PRIVATE_BYTES)
    text = (DOCS / "language.md").read_text()
    chapter = text.partition("## Limits")[2].partition("##")[0]
    assert re.findall(r"\| (\d+) \|", chapter) == [str(limit) for limit in limits]
    assert MAX_EXTENT == 2**48
    assert "2^48" in chapter


def test_every_op_has_an_example_that_runs():
    silent = {
        op.name
        for op in SPMD.operations
        if not any("// run:" in example.text for example in examples_of_op(op))
    }
    assert silent == set()


def test_every_op_has_a_table():
    for op in SPMD.operations:
        assert issubclass(op, IRDLOperation)
        definition = op.get_irdl_definition()
        text = documentation(op)
        for name in (
            *(name for name, _ in definition.operands),
            *(name for name, _ in definition.results),
            *(name for name in definition.properties if name != "operandSegmentSizes"),
        ):
            assert f"| `{name}`" in text, f"expected {name} in the table of {op.name}"


def test_reference_of_the_ops_is_what_their_docstrings_say():
    text = op_reference.DOCUMENT.read_text()
    assert text == op_reference.updated(text), (
        "expected docs/language.md to hold the docstrings of the ops, got others: run "
        "python -m tests.docs.pages.op_reference"
    )
