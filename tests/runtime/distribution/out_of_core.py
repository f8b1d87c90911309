"""
A step of the heat equation from Zarr to Zarr, with as much memory as is allowed.

    python out_of_core.py FOLDER ROWS MEGABYTES

On `ROWS` rows of 16 kB; the process may have so many megabytes more than for a few of them.
Chunks are bands of rows: of squares, those of two whole rows of squares would be kept.
"""

# pyright: basic

import resource
import sys

import dask
import dask.array as da
import numpy as np
import zarr

import spmd.dask
from spmd.language import global_id

BAND, WIDTH = 64, 4096
MEGABYTE = 1 << 20


@spmd.kernel
def heat(u, new):
    x, y = global_id(0), global_id(1)
    if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
        around = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
        new[y, x] = u[y, x] + (around - u[y, x] * 4) * 0.125


def used() -> int:
    """Bytes of memory that this process had at most."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def step(path: str, rows: int) -> str:
    """A step on so many rows, each the square of its number modulo 8; where the result is."""
    source = zarr.create_array(
        path, shape=(rows, WIDTH), chunks=(BAND, WIDTH), dtype="f4"
    )
    band = np.tile((np.arange(BAND, dtype="f4") % 8)[:, None] ** 2, (1, WIDTH))
    for row in range(0, rows, BAND):
        source[row : row + BAND] = band
    u = da.from_zarr(path, inline_array=True)
    # The border stays what it is.
    launched = spmd.dask.launch(
        heat, u, u, global_size=u.shape[::-1], group_size=(64, 4)
    )["new"]
    da.to_zarr(launched, f"{path}-new")
    return f"{path}-new"


def main(folder: str, rows: int, megabytes: int) -> None:
    with dask.config.set(num_workers=2):  # pyright: ignore
        step(f"{folder}/small", 8 * BAND)
        before = used()
        found = zarr.open_array(step(f"{folder}/large", rows), mode="r")
        taken = (used() - before) / MEGABYTE
    for row in range(3, rows, BAND):
        np.testing.assert_array_equal(found[row, 1:-1], 9.25)
    print(f"{taken:.1f} MB")
    assert taken <= megabytes, f"expected at most {megabytes} MB, took {taken:.1f}"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
