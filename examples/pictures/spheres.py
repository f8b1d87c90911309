"""A ray tracer: three mirrors on a chessboard, a work-item for each pixel."""

# pyright: basic

import math

import numpy as np
from _png import save

import spmd
from spmd.language import global_id

# Of each sphere the center, the radius, and how much it mirrors.
SPHERES = (
    (-1.1, 0.7, 4.0, 0.7, 0.6),
    (0.4, 0.5, 3.2, 0.5, 0.3),
    (1.3, 1.0, 5.0, 1.0, 0.8),
)
SUN = (-0.57, 0.74, -0.36)
FAR = 1e9


@spmd.function
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@spmd.function
def along(origin, way, length):
    """The point at a distance."""
    return (
        origin[0] + length * way[0],
        origin[1] + length * way[1],
        origin[2] + length * way[2],
    )


@spmd.function
def distance(origin, way, sphere):
    """How far it is to a sphere, or `FAR` if the ray misses it."""
    to = along(sphere, origin, -1.0)
    middle = dot(to, way)
    inside = middle * middle - dot(to, to) + sphere[3] * sphere[3]
    if inside < 0:
        return FAR
    near = middle - math.sqrt(inside)
    return near if near > 1e-3 else FAR


@spmd.kernel
def trace(image):
    x, y = global_id(0), global_id(1)
    height, width = image.shape[0], image.shape[1]
    way = ((x - width / 2) / height, (height / 2 - y) / height, 1.0)
    way = along((0.0, 0.0, 0.0), way, 1 / math.sqrt(dot(way, way)))
    origin = (0.0, 0.8, 0.0)
    red = green = blue = 0.0
    weight = 1.0
    for _ in range(5):
        nearest, mirrors = FAR, 0.0
        center = origin
        for sphere in SPHERES:
            here = distance(origin, way, sphere)
            if here < nearest:
                nearest, mirrors = here, sphere[4]
                center = (sphere[0], sphere[1], sphere[2])
        floor = -origin[1] / way[1] if way[1] < 0 else FAR
        if min(nearest, floor) == FAR:  # the sky
            red += weight * (0.55 - 0.35 * way[1])
            green += weight * (0.70 - 0.30 * way[1])
            blue += weight * (0.95 - 0.15 * way[1])
            break
        point = along(origin, way, min(nearest, floor))
        if nearest < floor:
            out = along(point, center, -1.0)
            out = along((0.0, 0.0, 0.0), out, 1 / math.sqrt(dot(out, out)))
            tone = 0.9
        else:
            out = (0.0, 1.0, 0.0)
            tone = 0.2 + 0.6 * ((math.floor(point[0]) + math.floor(point[2])) % 2)
            mirrors = 0.15
        light = max(dot(out, SUN), 0.0)
        for sphere in SPHERES:
            if distance(point, SUN, sphere) < FAR:
                light = 0.0
        shade = weight * (1 - mirrors) * tone * (0.25 + 0.75 * light)
        red, green, blue = red + shade, green + shade, blue + 0.9 * shade
        weight *= mirrors
        origin, way = point, along(way, out, -2 * dot(way, out))
    image[y, x, 0], image[y, x, 1], image[y, x, 2] = red, green, blue


if __name__ == "__main__":
    image = np.zeros((480, 720, 3))
    trace(image, global_size=(720, 480))
    # A few rows as Python computes them.
    some = np.zeros((12, 18, 3))
    want = some.copy()
    trace(some, global_size=(18, 12))
    trace.interpret(want, global_size=(18, 12))
    assert np.allclose(some, want)
    save(__file__, image, f"{image[..., 0].size} rays and what they meet")
