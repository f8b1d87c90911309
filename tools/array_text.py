"""
Arrays as text that is the same in every run, made for FileCheck.

```
%out: f32[4] = [0, 1, 2.5, nan]
%c: f32[2,3] =
  [1, 2, 3]
  [4, 5, 6]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def describe(head: str, array: Array, precision: int, limit: int) -> Iterator[str]:
    """
    The lines for `array`: `head` (its name and type), the shape, the elements by row.

    Floats have `precision` significant digits; after `limit` elements comes `...`.
    """
    head = f"{head}[{','.join(map(str, array.shape))}] ="
    if array.ndim <= 1 or not array.size:
        flat = array.reshape(-1)
        text = _row(flat[:limit], precision, more=flat.size > limit)
        yield f"{head} {text[1:-1] if array.ndim == 0 else text}"
        return
    yield head
    rows = array.reshape(-1, array.shape[-1])
    left = limit
    for row in rows:
        if left <= 0:
            yield "  ..."
            return
        yield f"  {_row(row[:left], precision, more=row.size > left)}"
        left -= row.size


def _row(row: Array, precision: int, *, more: bool) -> str:
    words = [_number(value, precision) for value in row.tolist()]
    return f"[{', '.join((*words, '...') if more else words)}]"


def _number(value: Any, precision: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.{precision}g}" if isinstance(value, float) else str(value)
