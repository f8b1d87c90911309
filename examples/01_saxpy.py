"""y = a * x + y with a bounds check."""

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def launch(n: int = 10_000_000) -> Launch:
    rng = np.random.default_rng(1)
    x, y = rng.random((2, n), np.float32)
    whole_groups = -(-n // 256) * 256
    return Launch((n, 0.5, x, y), outputs=(3,), global_size=whole_groups)


def with_numpy(n: int, a: float, x: Floats, y: Floats) -> None:
    t = np.empty(16384, np.float32)
    for at in blocks(n, t.size):
        part = t[: at.stop - at.start]
        np.multiply(x[at], np.float32(a), out=part)
        np.add(part, y[at], out=y[at])


EXAMPLE = Example(__file__, "saxpy", launch, with_numpy, [(1,), (256,), (1000,)])

if __name__ == "__main__":
    EXAMPLE.main()
