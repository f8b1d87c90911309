"""A loop that each work-item leaves when it likes."""

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray

Floats = NDArray[np.float32]

LEFT, TOP, SIZE = -2.0, -1.25, 2.5


def launch(width: int = 2048, height: int = 2048, limit: int = 256) -> Launch:
    steps = np.zeros((height, width), np.int32)
    dx, dy = np.float32(SIZE / width), np.float32(SIZE / height)
    arguments = np.float32(LEFT), np.float32(TOP), dx, dy, limit, steps
    return Launch(arguments, outputs=(5,), global_size=(width, height))


def with_numpy(
    left: np.float32,
    top: np.float32,
    dx: np.float32,
    dy: np.float32,
    limit: int,
    steps: NDArray[np.int32],
) -> None:
    height, width = steps.shape
    columns = left + np.arange(width, dtype=np.float32) * dx
    rows = top + np.arange(height, dtype=np.float32) * dy
    for at in blocks(height, 16):
        cr = np.tile(columns, at.stop - at.start)
        ci = np.repeat(rows[at], width)
        result = steps[at].reshape(-1)
        count_steps(cr, ci, limit, result)


def count_steps(cr: Floats, ci: Floats, limit: int, result: NDArray[np.int32]) -> None:
    """Advance all points at once; every few steps, forget those that have left."""
    index = np.arange(cr.size)
    r, i = cr.copy(), ci.copy()
    rr, ii, t = np.empty((3, cr.size), np.float32)
    count = np.zeros(cr.size, np.int32)
    inside = np.empty(cr.size, np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(limit):
            n = index.size
            np.multiply(r[:n], r[:n], out=rr[:n])
            np.multiply(i[:n], i[:n], out=ii[:n])
            np.add(rr[:n], ii[:n], out=t[:n])
            np.less_equal(t[:n], 4, out=inside[:n])
            # A point that has left never comes back: its sum of squares only grows.
            np.add(count[:n], inside[:n], out=count[:n])
            if k % 8 == 7:
                keep = np.flatnonzero(inside[:n])
                if keep.size < n * 7 // 8:
                    gone = ~inside[:n]
                    result[index[gone]] = count[:n][gone]
                    index = index[keep]
                    n = index.size
                    for state in (r, i, rr, ii, cr, ci, count):
                        state[:n] = state[keep]
                    if n == 0:
                        return
            np.multiply(r[:n], i[:n], out=t[:n])
            np.add(t[:n], t[:n], out=t[:n])
            np.add(t[:n], ci[:n], out=i[:n])
            np.subtract(rr[:n], ii[:n], out=t[:n])
            np.add(t[:n], cr[:n], out=r[:n])
    result[index] = count[: index.size]


EXAMPLE = Example(
    __file__,
    "mandelbrot",
    launch,
    with_numpy,
    [(1, 1, 64), (64, 16, 64), (100, 7, 100)],
    one_group=(64, 4),
)

if __name__ == "__main__":
    EXAMPLE.main()
