"""A product of matrices, tiled in local memory and, six rows at a time, in registers."""

import numpy as np
from harness import Example, Launch
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ROWS_PER_ITEM = 6


def launch(rows: int = 1024, columns: int = 1024, depth: int = 1024) -> Launch:
    rng = np.random.default_rng(5)
    a = rng.standard_normal((rows, depth), np.float32)
    b = rng.standard_normal((depth, columns), np.float32)
    c = np.zeros((rows, columns), np.float32)
    size = columns, -(-rows // ROWS_PER_ITEM)
    return Launch((a, b, c), outputs=(2,), global_size=size)


def with_numpy(a: Floats, b: Floats, c: Floats) -> None:
    np.matmul(a, b, out=c)


EXAMPLE = Example(
    __file__,
    "gemm",
    launch,
    with_numpy,
    [(1, 1, 1), (192, 64, 256), (77, 130, 260)],
    rtol=1e-3,
    atol=1e-3,
    one_group=(64, 32),
)

if __name__ == "__main__":
    EXAMPLE.main()
