"""The C program in `docs/lowering.md` compiles, links and prints what the page says."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "lowering.md"


def blocks(language: str) -> list[str]:
    """The blocks of code of a language on the page."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the commands are for Linux on x86-64",
)
def test_a_kernel_is_linked_into_a_c_program(tmp_path: Path):
    (kernel,) = blocks("mlir")
    (tmp_path / "scale.mlir").write_text(kernel)
    (tmp_path / "main.c").write_text(blocks("c")[-1])
    commands = blocks("sh")[-1].replace(
        "xdsl-opt", f"{Path(sys.executable).parent}/xdsl-opt"
    )
    run = subprocess.run(
        ["sh", "-ec", commands],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert [run.stdout] == blocks("text")
