"""
`cached_property` without the lock that it has before Python 3.12.

There is one lock for all objects of a class: threads that compile different kernels wait for
each other, and a child of `fork` for a thread that it does not have.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

__all__ = ("cached_property",)

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """An attribute that is computed when it is first asked for."""

        def __get__(self, instance: Any, owner: Any = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
