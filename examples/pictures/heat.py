"""Heat that spreads in a plate with a hot edge, as a stencil of whole arrays."""

# pyright: basic

import numpy as np
from _png import save

import spmd


def spread(u, i, j):
    return u[i, j] + 0.24 * (
        u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
    )


def color(v):
    """From black through red and yellow to white."""
    return np.stack([3 * v, 3 * v - 1, 3 * v - 2], -1)


if __name__ == "__main__":
    size = 256
    plate = np.zeros((size, size), np.float32)
    plate[0, :] = 1
    plate[100:156, 100:156] = 1
    want, after = plate.copy(), np.empty_like(plate)
    for _ in range(2000):
        spmd.stencil(spread, plate, out=after)
        plate, after = after, plate
        inner = want[1:-1, 1:-1]
        sides = want[:-2, 1:-1] + want[2:, 1:-1] + want[1:-1, :-2] + want[1:-1, 2:]
        inner += np.float32(0.24) * (sides - 4 * inner)
    assert np.allclose(plate, want, atol=1e-4)
    save(__file__, color(plate), f"{plate.mean():.1%} of the heat of a hot plate")
