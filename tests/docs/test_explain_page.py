"""The chapter on explanations, and the table of contexts, say what is so today."""

import re
from dataclasses import fields
from typing import Any

import pytest

from spmd.runtime.explanation import facts
from tests.docs.pages.explain_page import (
    BARRIERS,
    EXAMPLE,
    PAGE,
    TABLE,
    filled,
    with_table,
)

TEXT = PAGE.read_text()


def test_the_explanations_are_those_of_today():
    assert filled(TEXT) == TEXT, "expected the explanations of today: run make docs"


def test_the_table_of_contexts_is_that_of_today():
    text = BARRIERS.read_text()
    assert TABLE.search(text), "expected the table of contexts on the page"
    assert with_table(text) == text, "expected the table of today: run make docs"


def test_filling_replaces_what_was_there():
    stale = EXAMPLE.sub(lambda match: match[0].removesuffix(match["output"]), TEXT)
    assert stale != TEXT
    assert filled(stale) == TEXT


def test_python_runs(capsys: pytest.CaptureFixture[str]):
    blocks = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), "explain.md", "exec"), {})
    assert "gather" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("kernel", facts.KernelFacts),
        ("function", facts.FunctionFacts),
        ("serial", facts.SerialLoop),
        ("dropped barrier", facts.DroppedBarrier),
        ("context, slot", facts.Kept),
        ("local array", facts.LocalArray),
        ("loop", facts.Loop),
        ("divergent", facts.Divergence),
        ("accesses", facts.Accesses),
        ("costly", facts.CostlyAccess),
        ("math", facts.MathCalls),
    ],
)
def test_all_fields_of_the_json_are_listed(name: str, cls: Any):
    found = re.search(rf"^\| {name} \| (.*) \|$", TEXT, re.MULTILINE)
    assert found, f"expected a row about {name}"
    # What stands in parentheses are values and remarks.
    listed = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", found[1]))
    assert listed == [field.name for field in fields(cls)]
