"""The page about the checker shows what the checker says."""

import re
from pathlib import Path
from typing import get_args

import pytest

from spmd.reference.checking.findings import Kind

PAGE = (Path(__file__).parents[2] / "docs" / "checking.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_example_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]):
    names: dict[str, object] = {}
    for text in blocks("python"):
        exec(compile(text, "checking.md", "exec"), names)
    assert [capsys.readouterr().out] == blocks("text")


def test_every_kind_of_finding_has_a_row():
    table = PAGE[PAGE.index("## What is found") :]
    rows = re.findall(r"^\| `([a-z ]+)` \|", table, re.MULTILINE)
    assert rows == list(get_args(Kind))
