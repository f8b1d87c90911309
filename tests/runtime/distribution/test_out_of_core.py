"""An array goes from Zarr to Zarr in an eighth of the memory that it takes itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "out_of_core.py"
ROWS, MEGABYTES = 8192, 16
"""Of 16 kB each: 128 MB."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no getrusage")
def test_memory_is_bounded(tmp_path: Path):
    pytest.importorskip(
        "dask.array", reason="launches over chunks need xdsl-spmd[dask]"
    )
    pytest.importorskip("zarr")
    arguments = [str(tmp_path), str(ROWS), str(MEGABYTES)]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
