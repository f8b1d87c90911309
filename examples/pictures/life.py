"""Conway's Game of Life: a board that is a torus, and the trail of all that ever lived."""

# pyright: basic

import numpy as np
from _png import save

import spmd
from spmd.language import global_id


@spmd.kernel
def step(now, after, trail):
    x, y = global_id(0), global_id(1)
    height, width = now.shape
    alive = 0
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            alive += now[(y + dy) % height, (x + dx) % width]
    lives = alive == 3 or (alive == 4 and now[y, x] == 1)
    after[y, x] = lives
    trail[y, x] = max(trail[y, x] * 0.97, np.float32(lives))


def with_numpy(now):
    alive = sum(
        np.roll(now, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
    )
    return (alive == 3) | ((alive == 4) & (now == 1))


if __name__ == "__main__":
    board = np.zeros((360, 480), np.uint8)
    for y, x in ((0, 1), (1, 3), (2, 0), (2, 1), (2, 4), (2, 5), (2, 6)):  # the acorn
        board[180 + y, 240 + x] = 1
    want, after = board.copy(), np.empty_like(board)
    trail = np.zeros(board.shape, np.float32)
    for _ in range(1000):
        step(board, after, trail, global_size=board.shape[::-1])
        board, after = after, board
        want = with_numpy(want).astype(np.uint8)
    assert (board == want).all()
    save(__file__, trail**0.5, f"{board.sum()} alive after 1000 generations")
