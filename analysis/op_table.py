"""Functions about ops, registered where they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from xdsl.ir import Operation

FunctionT = TypeVar("FunctionT")


class OpTable(dict[type[Operation], FunctionT]):
    """Functions by the class of op that they are about."""

    def of(self, *kinds: type[Operation]) -> Callable[[FunctionT], FunctionT]:
        """Registers the function of some ops."""

        def register(function: FunctionT) -> FunctionT:
            self.update(dict.fromkeys(kinds, function))
            return function

        return register
