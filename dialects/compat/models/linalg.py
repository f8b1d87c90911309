"""What the ops of `linalg` are that xDSL 0.74 does not have as structured operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, ShapedType
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import BroadcastOp, GenericOp, ReduceOp
from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter

from spmd.dialects.interfaces.expansion import Expansion


def _to_generic(
    op: BroadcastOp | ReduceOp,
    rewriter: PatternRewriter,
    region: Region,
    iterators: Sequence[IteratorTypeAttr],
    maps: Sequence[AffineMap],
) -> None:
    generic = GenericOp(
        [op.input],
        [op.init],
        rewriter.move_region_contents_to_new_regions(region),
        list(map(AffineMapAttr, maps)),
        iterators,
        op.result.types,
    )
    rewriter.replace(op, generic)


def _rank(value: SSAValue) -> int:
    type_ = value.type
    assert isinstance(type_, ShapedType), "the verifier says so"
    return type_.get_num_dims()


def _all_and_kept(rank: int, others: Sequence[int]) -> tuple[AffineMap, AffineMap]:
    """All iterators, and those that are not among `others`."""
    kept = tuple(AffineDimExpr(n) for n in range(rank) if n not in others)
    return AffineMap.identity(rank), AffineMap(rank, 0, kept)


def _expand_broadcast(op: BroadcastOp, rewriter: PatternRewriter) -> None:
    rank = _rank(op.init)
    all_, kept = _all_and_kept(rank, op.dimensions.get_values())
    iterators = [IteratorTypeAttr.parallel()] * rank
    _to_generic(op, rewriter, op.hidden_region, iterators, (kept, all_))


def _expand_reduce(op: ReduceOp, rewriter: PatternRewriter) -> None:
    rank, reduced = _rank(op.input), op.dimensions.get_values()
    all_, kept = _all_and_kept(rank, reduced)
    iterators = [
        IteratorTypeAttr.reduction() if n in reduced else IteratorTypeAttr.parallel()
        for n in range(rank)
    ]
    _to_generic(op, rewriter, op.region, iterators, (all_, kept))


Expansion(_expand_broadcast).attach(BroadcastOp)
Expansion(_expand_reduce).attach(ReduceOp)
