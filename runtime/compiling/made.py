"""
What is made of a program for the runtime, and kept in the cache.

Facts and code have no part of the compiler in them, so that they are read without it.
"""

from __future__ import annotations

from typing import NamedTuple

from spmd.lowering.loading.object_code import ObjectCode
from spmd.runtime.arguments.elements import Element
from spmd.runtime.arguments.signature import Signature
from spmd.runtime.arguments.sizes import Triple


class UpdatedArray(NamedTuple):
    """An array argument that a kernel only updates, so that `spmd.thread_copies` may mark it."""

    number: int
    kind: str
    in_loop: bool
    """Whether a work-item may do so any number of times; else, at most once for each update."""


class StoredArray(NamedTuple):
    """An array argument that a kernel only stores to, so that `spmd.streamed` may mark it."""

    number: int
    in_loop: bool
    """Whether a work-item may do so any number of times; else, at most so often."""
    stores: int


class KernelFacts(NamedTuple):
    """What the runtime has to know of a kernel."""

    signature: Signature
    group_size: Triple | None
    """The work-group size that it fixes."""
    full_groups: bool
    """Whether it promises that no launch leaves a partial group."""
    few_items: bool
    """Whether it promises that launches have few work-items."""
    ordered: bool
    """Whether the order of its work-groups is seen, as it prints."""
    updated: tuple[UpdatedArray, ...]
    stored: tuple[StoredArray, ...]


class HostFacts(NamedTuple):
    """What the runtime has to know of a host function."""

    signature: Signature
    results: tuple[Element, ...]
    launched: frozenset[str]
    """The kernels that it launches, directly or not."""


class KernelCode(NamedTuple):
    """What is made of a kernel: object code, and which functions of it are what."""

    code: ObjectCode
    group_size: Triple | None
    """The work-group size that it fixes, which may be another than it was made for."""
    group_order: Triple
    """The dimensions along which groups are numbered, the first of them first."""
    entry: str
    worker: str
    joins: int
    """
    If it is for all sizes: what they have to be a multiple of along x for groups that are
    joined to be as good as these. 0 where they never are.
    """
    scratch_bytes: tuple[str, ...]
    """Functions of the group size: full groups and partial ones may need different amounts."""


class LaunchSite(NamedTuple):
    """A `spmd.launch`: the kernel, what its sizes count, how many there are, and where."""

    kernel: str
    by_groups: bool
    sizes: int
    group_sizes: int
    place: str | None


class HostCode(NamedTuple):
    """What is made of a host function: object code, and what its functions are."""

    code: ObjectCode
    entry: str
    launcher: str
    """The function that it calls for each launch."""
    launches: tuple[LaunchSite, ...]
