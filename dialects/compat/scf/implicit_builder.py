"""
Lets several threads build IR at once.

An op that adds its own terminator does so in xDSL's `ImplicitBuilder`, which replaces
`Operation.__post_init__` for the time being and puts back what it found. Of two threads the
second finds the replacement of the first, and puts that back: from then on every op is inserted
twice, which is an error wherever IR is built. Here the replacement stays; it looks for a
builder of its thread, and does nothing without one.
"""

from __future__ import annotations

from xdsl import builder
from xdsl.ir import Operation


def _installed() -> object:
    return Operation.__post_init__


def repair() -> None:
    """Installs xDSL's replacement once and for all threads."""
    name = "_override_operation_post_init"
    if getattr(builder, name) is not _installed:
        getattr(builder, name)()
        setattr(builder, name, _installed)
