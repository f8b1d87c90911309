"""Better forms in C, with the instructions of this machine."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from benchmarks.probes.probe import HERE
from benchmarks.systems.c import c_compiler
from benchmarks.systems.system import Missing


def in_c(
    path: str, arguments: Callable[..., tuple[Any, ...]] = lambda *given: given
) -> Callable[..., Callable[[], object]]:
    """
    The function of the file `path`.c that has its name; where it is made it raises `Missing`.

    `arguments` makes what it gets, arrays and whole numbers, of those of the probe.
    """
    name = Path(path).name

    def bind(*given: Any) -> Callable[[], object]:
        library = Path(mkdtemp()) / f"{name}.so"
        options = ("-O3", "-march=native", "-shared", "-fPIC", "-o", library)
        try:
            subprocess.run(
                [c_compiler(), *options, HERE / f"{path}.c"],
                check=True,
                capture_output=True,
            )
        except subprocess.CalledProcessError as error:
            raise Missing("a processor with AVX2") from error
        function = ctypes.CDLL(str(library))[name]
        words = [
            ctypes.c_void_p(each.ctypes.data)
            if isinstance(each, np.ndarray)
            else ctypes.c_long(each)
            for each in arguments(*given)
        ]
        return lambda: function(*words)

    bind.__name__ = f"{name} in C"
    return bind
