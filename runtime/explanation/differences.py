"""How the code for any group differs from that for full groups, in words."""

from __future__ import annotations

from collections.abc import Iterator

from spmd.runtime.explanation.facts import KernelFacts, Loop


def differences(full: KernelFacts, partial: KernelFacts) -> tuple[str, ...]:
    """What is otherwise in `partial`; masks for lanes that do not exist are no news."""
    return tuple(_differences(full, partial))


def _differences(full: KernelFacts, partial: KernelFacts) -> Iterator[str]:
    if full.strategy != partial.strategy:
        yield f"split by {partial.strategy}: {partial.why_not_fission}"
    if full.context_bytes != partial.context_bytes:
        yield (
            f"{partial.context_bytes} bytes per work-item are kept, not "
            f"{full.context_bytes}"
        )
    if len(full.loops) != len(partial.loops):
        yield f"{len(partial.loops)} work-item loops, not {len(full.loops)}"
        return
    for number, (one, other) in enumerate(
        zip(full.loops, partial.loops, strict=True), 1
    ):
        if text := _difference(one, other):
            yield f"loop {number}: {text}"


def _difference(full: Loop, partial: Loop) -> str | None:
    if full.lanes == partial.lanes:
        return None
    if partial.lanes == 1:
        return f"scalar: {partial.why_lanes}"
    before = "scalar" if full.lanes == 1 else f"{full.lanes}"
    return f"{partial.lanes} lanes instead of {before}"
