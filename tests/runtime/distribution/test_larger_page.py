"""The code of `docs/larger.md` runs, from top to bottom; its table is that of today."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages.larger_page import PAGE, filled


@pytest.mark.filterwarnings("ignore")
def test_the_code_runs(tmp_path: Path):
    pytest.importorskip("dask.array", reason="the page needs xdsl-spmd[dask]")
    code = "\n".join(
        re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    )
    file = tmp_path / "page.py"  # kernels in Python are read from their file
    file.write_text(code)
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(code, str(file), "exec"), names)
    assert "found" in names


@pytest.mark.slow
def test_the_table_is_that_of_today():
    text = PAGE.read_text()
    assert filled(text) == text, "expected the page of today: run make docs"


def test_the_picture_is_that_of_today():
    pytest.importorskip("dask.array", reason="the picture needs xdsl-spmd[dask]")
    from tests.docs.pages.larger_pictures import PICTURE, picture

    assert PICTURE.read_text() == picture(), "run make docs"
