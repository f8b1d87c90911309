"""The predicates of `arith.cmpi`, which the op holds as positions in xDSL's list of names."""

from __future__ import annotations

from xdsl.dialects.arith import CMPI_COMPARISON_OPERATIONS

PREDICATES = tuple(CMPI_COMPARISON_OPERATIONS)
"""eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge."""

SWAPPED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
"""The predicate for exchanged operands: `sgt` for `slt`, and so on."""

NEGATED = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""The predicate that holds where another does not: `sge` for `slt`, and so on."""
