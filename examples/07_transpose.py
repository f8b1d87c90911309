"""A transposition through a padded tile in local memory."""

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ROWS_PER_ITEM = 8


def launch(rows: int = 4096, columns: int = 4096) -> Launch:
    a = np.random.default_rng(7).random((rows, columns), np.float32)
    out = np.zeros((columns, rows), np.float32)
    size = columns, -(-rows // ROWS_PER_ITEM)
    return Launch((a, out), outputs=(1,), global_size=size)


def with_numpy(a: Floats, out: Floats) -> None:
    rows, columns = a.shape
    for r in blocks(rows, 128):
        for c in blocks(columns, 128):
            out[c, r] = a[r, c].T


EXAMPLE = Example(
    __file__,
    "transpose",
    launch,
    with_numpy,
    [(1, 1), (256, 64), (300, 70)],
    one_group=(32, 32),
)

if __name__ == "__main__":
    EXAMPLE.main()
