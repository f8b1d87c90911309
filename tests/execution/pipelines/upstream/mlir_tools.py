"""MLIR's own tools, where they are installed: they read what the passes write."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

NEWEST, OLDEST = 29, 19

TO_LLVM = (
    "--arith-expand",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-vector-to-scf",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-vector-to-llvm",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
)
"""From `vector`, `scf` and `memref` to the dialect `llvm`, by upstream's passes alone."""


@cache
def tool(name: str) -> str:
    """The path of the newest `name`; skips the test where there is none."""
    for version in range(NEWEST, OLDEST - 1, -1):
        for path in (f"/usr/lib/llvm-{version}/bin/{name}", f"{name}-{version}"):
            if found := shutil.which(path):
                return found
    found = shutil.which(name)
    if found is None or _version(found) < OLDEST:
        pytest.skip(f"needs {name} {OLDEST} or newer (`mlir-{OLDEST}-tools` of Debian)")
    return found


def _version(path: str) -> int:
    text = subprocess.run([path, "--version"], capture_output=True, text=True)
    number = re.search(r"LLVM version (\d+)", text.stdout)
    return int(number[1]) if number else 0


def run(name: str, text: str, *options: str) -> str:
    """What the tool makes of `text`; its errors are the test's."""
    done = subprocess.run(
        [tool(name), *options], input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{Path(tool(name)).name}: {done.stderr}\n{text}"
    return done.stdout


def to_llvm_ir(text: str) -> str:
    """LLVM IR of a module in upstream's dialects, written by upstream."""
    return run("mlir-translate", run("mlir-opt", text, *TO_LLVM), "--mlir-to-llvmir")
