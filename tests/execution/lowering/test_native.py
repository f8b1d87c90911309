"""Compiling many kernels does not fill the memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMPILE = """
import gc, os
from spmd.lowering.machine import host_machine
from spmd.lowering.compiling import optimized

TEXT = "define i32 @f(i32 %x) { %y = mul i32 %x, 3  ret i32 %y }"

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def compile_some(count):
    for _ in range(count):
        optimized(TEXT, host_machine())
    gc.collect()

compile_some(10)
before = resident()
compile_some(200)
print((resident() - before) / 200)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_optimiser_gives_its_memory_back():
    """A pass manager that nobody frees takes some 60 KB, for the smallest function."""
    run = subprocess.run(
        [sys.executable, "-c", COMPILE], capture_output=True, text=True, check=True
    )
    assert float(run.stdout) < 8_000
