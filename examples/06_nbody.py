"""All bodies pull on each body: a loop over tiles in local memory."""

import numpy as np
from harness import Example, Launch, blocks
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def launch(bodies: int = 16384) -> Launch:
    rng = np.random.default_rng(6)
    x, y, z = rng.standard_normal((3, bodies), np.float32)
    mass = rng.random(bodies, np.float32) / bodies
    ax, ay, az = np.zeros((3, bodies), np.float32)
    arguments = x, y, z, mass, 1e-2, ax, ay, az
    return Launch(arguments, outputs=(5, 6, 7), global_size=bodies)


def with_numpy(
    x: Floats,
    y: Floats,
    z: Floats,
    mass: Floats,
    softening: float,
    ax: Floats,
    ay: Floats,
    az: Floats,
) -> None:
    # pull[i, j] * (p[j] - p[i]), summed over j, is pull @ p - p * sum of pull: the sums
    # are products of matrices.
    p = np.stack((x, y, z, np.ones_like(x)), axis=1)
    i_size, j_size = 32, 1024
    temporaries = np.empty((3, i_size, j_size), np.float32)
    for i in blocks(x.size, i_size):
        sums = np.zeros((i.stop - i.start, 4), np.float32)
        for j in blocks(x.size, j_size):
            d, r, t = temporaries[:, : i.stop - i.start, : j.stop - j.start]
            np.subtract(x[j], x[i, None], out=d)
            np.multiply(d, d, out=r)
            for other in (y, z):
                np.subtract(other[j], other[i, None], out=d)
                np.multiply(d, d, out=d)
                np.add(r, d, out=r)
            np.add(r, softening, out=r)
            np.sqrt(r, out=t)
            np.multiply(r, t, out=r)
            np.divide(mass[j], r, out=r)
            sums += r @ p[j]
        for k, (position, a) in enumerate(((x, ax), (y, ay), (z, az))):
            a[i] = sums[:, k] - position[i] * sums[:, 3]


EXAMPLE = Example(
    __file__,
    "nbody",
    launch,
    with_numpy,
    [(1,), (512,), (300,)],
    rtol=1e-3,
    atol=1e-5,
)

if __name__ == "__main__":
    EXAMPLE.main()
