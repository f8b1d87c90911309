"""Stars that attract each other: two galaxies fall through one another."""

# pyright: basic

import numpy as np
from _png import save

import spmd
from spmd.language import barrier, global_id, local, local_id

GROUP = 128
STEP, SOFT = 0.01, 0.05


@spmd.kernel(group_size=GROUP)
def move(place, speed, mass, after):
    i, lid = global_id(), local_id()
    near = local((3, GROUP), np.float32)
    x, y = place[0, i], place[1, i]
    ax = ay = np.float32(0)
    for first in range(0, len(mass), GROUP):
        near[0, lid], near[1, lid] = place[0, first + lid], place[1, first + lid]
        near[2, lid] = mass[first + lid]
        barrier()
        for j in range(GROUP):
            dx, dy = near[0, j] - x, near[1, j] - y
            squared = dx * dx + dy * dy + SOFT
            pull = near[2, j] / (squared * np.sqrt(squared))
            ax, ay = ax + pull * dx, ay + pull * dy
        barrier()
    speed[0, i] += STEP * ax
    speed[1, i] += STEP * ay
    after[0, i], after[1, i] = x + STEP * speed[0, i], y + STEP * speed[1, i]


def galaxy(stars, center, drift, random):
    """Places and speeds of stars that turn around a center."""
    angle, radius = random.uniform(0, 2 * np.pi, stars), random.uniform(0.1, 1, stars)
    around = np.array([np.cos(angle), np.sin(angle)]) * radius
    turn = np.array([-around[1], around[0]]) / radius * np.sqrt(0.5 * radius)
    return around + np.array([center]).T, turn + np.array([drift]).T


if __name__ == "__main__":
    random = np.random.default_rng(6)
    one = galaxy(1024, (-1.2, -0.4), (0.3, 0.1), random)
    two = galaxy(1024, (1.2, 0.4), (-0.3, -0.1), random)
    place, speed = (
        np.concatenate(pair, 1).astype(np.float32)
        for pair in zip(one, two, strict=True)
    )
    mass = np.full(2048, 0.5 / 1024, np.float32)
    after, before = np.empty_like(place), mass @ speed.T
    image = np.zeros((480, 720))
    for step in range(300):
        move(place, speed, mass, after, global_size=2048)
        place, after = after, place
        if step % 3 == 0:
            x = (place[0] * 150 + 360).astype(int)
            y = (240 - place[1] * 150).astype(int)
            seen = (x >= 0) & (x < 720) & (y >= 0) & (y < 480)
            np.add.at(image, (y[seen], x[seen]), 1)
    # Nobody outside pulls: all of them together go on as they went.
    assert np.allclose(mass @ speed.T, before, atol=1e-3)
    save(__file__, np.log1p(image) / 2.5, "2048 stars, 300 steps, one exposure")
