"""Writes arrays as pictures, with nothing but the standard library."""

import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

OUT = Path(__file__).resolve().parents[2] / "out" / "pictures"


def save(script: str, image: NDArray[Any], what: str) -> None:
    """
    Writes an image next to others in `out/pictures`, as PNG, and says so.

    `image` has numbers from 0 to 1, in two dimensions, or in three with red, green, blue.
    """
    pixels = (np.clip(image, 0, 1) * 255).astype(np.uint8)
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)  # 0: the row as it is
    rows[:, 1:] = pixels.reshape(height, -1)
    kind = 0 if pixels.ndim == 2 else 2
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{Path(script).stem}.png"
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
            (b"IDAT", zlib.compress(rows.tobytes())),
            (b"IEND", b""),
        ):
            file.write(struct.pack(">I", len(data)) + name + data)
            file.write(struct.pack(">I", zlib.crc32(name + data)))
    print(f"{path.stem:<18} {what:<48} out/pictures/{path.name}")
    sys.stdout.flush()
