"""The chapter on performance runs, names what there is, and has a place for tables."""

import re
from pathlib import Path

import pytest

from benchmarks.probes.probe import probes
from benchmarks.reporting.table import on_page

PAGE = (Path(__file__).parents[2] / "docs" / "performance.md").read_text()


def test_python_runs(capsys: pytest.CaptureFixture[str]):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("\n".join(blocks), "performance.md", "exec"), {})
    assert "GB/s" in capsys.readouterr().out


def test_the_guide_names_probes():
    guide = PAGE.partition("## A guide")[2].partition("[explain.md]")[0]
    named = re.findall(r"`(\w+)`(?=[,)])", guide)
    assert len(named) >= 10
    assert set(named) <= set(probes())


def test_there_is_a_place_for_tables():
    assert "\n\ntables\n\n<!--" in on_page(PAGE, "tables")
