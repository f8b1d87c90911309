"""Which values are the same in all lanes, and which control flow diverges."""

from spmd.analysis.divergence.analyze import (
    Divergence,
    analyze_kernel,
    analyze_work_items,
)

__all__ = ["Divergence", "analyze_kernel", "analyze_work_items"]
