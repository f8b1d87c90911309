"""The code of `docs/larger.md` runs, from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "larger.md"


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
