"""
Launches over arrays of Dask: larger than memory, or on several machines.

```python
import dask.array as da
import spmd.dask

y = spmd.dask.launch(kernel, x, da.empty_like(x), global_size=x.size)["y"]
y.compute()
```

See `docs/larger.md`. Needs the extra `xdsl-spmd[dask]`.
"""

from spmd.distribution.iterate import iterate as iterate
from spmd.distribution.launch import launch as launch
from spmd.distribution.partitions import halo as halo

__all__ = ["halo", "iterate", "launch"]
