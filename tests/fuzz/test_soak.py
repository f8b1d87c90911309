"""A short soak; `make soak SECONDS=600` is a long one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("soak.py")


@pytest.mark.slow
def test_soak():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--seconds", "6"],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert all(word in last for word in ("endless", "forked", "sum"))
