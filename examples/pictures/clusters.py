"""k-means: points find the nearest of some centers, which move to the middle of theirs."""

# pyright: basic

import numpy as np
from _png import save

import spmd
from spmd.language import atomic_add, global_id


@spmd.kernel
def assign(points, centers, nearest):
    i = global_id()
    best, best_distance = 0, np.inf
    for k in range(len(centers)):
        dx, dy = points[i, 0] - centers[k, 0], points[i, 1] - centers[k, 1]
        distance = dx * dx + dy * dy
        if distance < best_distance:
            best, best_distance = k, distance
    nearest[i] = best


@spmd.kernel
def gather(points, nearest, sums, counts):
    i = global_id()
    k = nearest[i]
    atomic_add(sums, (k, 0), points[i, 0])
    atomic_add(sums, (k, 1), points[i, 1])
    atomic_add(counts, k, 1)


if __name__ == "__main__":
    random = np.random.default_rng(8)
    middles = random.uniform(0.12, 0.88, (7, 2))
    points = np.concatenate([m + random.normal(0, 0.035, (4000, 2)) for m in middles])
    centers = points[random.choice(len(points), 7, replace=False)].copy()
    nearest = np.zeros(len(points), np.int32)
    for _ in range(30):
        assign(points, centers, nearest, global_size=len(points))
        sums, counts = np.zeros((7, 2)), np.zeros(7, np.int64)
        gather(points, nearest, sums, counts, global_size=len(points))
        centers = sums / np.maximum(counts, 1)[:, None]
    distances = ((points[:, None] - centers) ** 2).sum(2)
    assert (distances.argmin(1) == nearest).mean() > 0.99
    colors = np.array(
        [
            [0.9, 0.3, 0.2],
            [0.2, 0.6, 0.9],
            [0.9, 0.8, 0.2],
            [0.3, 0.8, 0.4],
            [0.7, 0.4, 0.9],
            [1, 0.6, 0.3],
            [0.6, 0.8, 0.9],
        ]
    )
    image = np.zeros((480, 480, 3))
    x, y = ((points[:, d] * 480).astype(int).clip(0, 479) for d in (0, 1))
    image[y, x] = colors[nearest]
    for cx, cy in (centers * 480).astype(int):
        image[cy - 3 : cy + 4, cx - 3 : cx + 4] = 1
    save(__file__, image, f"{len(points)} points, {len(centers)} centers")
