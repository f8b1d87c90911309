"""C functions, compiled when a benchmark runs, if there is a C compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory


def compile_c(source: str) -> ctypes.CDLL | None:
    """A library of `source` for this machine, or `None` without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with TemporaryDirectory() as folder:
        code, library = Path(folder) / "code.c", Path(folder) / "code.so"
        code.write_text(source)
        options = ("-O3", "-march=native", "-shared", "-fPIC")
        subprocess.run([compiler, *options, "-o", library, code], check=True)
        return ctypes.CDLL(str(library))
