"""
Many processes that start at once on an empty cache, of which many are killed.

    python -m tests.runtime.cache.stampede 200

Those that live have right results, what is in the cache then is whole, and a process after
them finds it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from spmd.runtime.cache import files

PROGRAM = """
import sys
import numpy as np
import spmd
for number in range(3):
    program = spmd.compile(f'''
spmd.kernel @add(%x: memref<?xf32>) {{
  %n = arith.constant {number}.5 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.addf %v, %n : f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}}
''')
    for size in (64, 100):
        x = np.arange(size, dtype=np.float32)
        program["add"](x, global_size=size, group_size=32)
        assert (x == np.arange(size) + number + 0.5).all()
info = spmd.cache.info()
print(info.misses, info.off)
"""


def start(folder: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "SPMD_CACHE_DIR": folder},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(processes: int, seed: int) -> int:
    """How many processes lived; fails if anything is wrong."""
    choose = random.Random(seed)
    with tempfile.TemporaryDirectory() as base:
        folder = os.path.join(base, "cache")
        running = [start(folder) for _ in range(processes)]
        # The first results come when all have had a moment; they die from then on.
        condemned = choose.sample(running, processes // 2)
        while condemned and any(process.poll() is None for process in running):
            time.sleep(choose.uniform(0, 0.1))
            condemned.pop().send_signal(signal.SIGKILL)
        lived = 0
        for process in running:
            _, errors = process.communicate()
            assert process.returncode in (0, -signal.SIGKILL), errors
            lived += process.returncode == 0
        last = start(folder)
        last.communicate()
        after = start(folder)
        told, errors = after.communicate()
        assert not after.returncode, errors
        assert told in ("0 None\n", "0 the compiler was edited while the process ran\n")
        for name in os.listdir(folder):
            if not name.startswith("new-"):
                assert files.read(folder, name) is not None
        return lived


if __name__ == "__main__":
    count = int(sys.argv[1])
    print(f"{run(count, 1)} of {count} processes lived, and the cache is whole")
