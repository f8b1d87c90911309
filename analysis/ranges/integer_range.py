"""Sets of integers: everything between two bounds that a divisor divides."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Operation


def power_of_two_part(number: int) -> int:
    """The largest power of two that divides `number`; 0 for 0."""
    return number & -number


def bit_width(type_: Attribute) -> int | None:
    """The bits of an integer or `index` (64); `None` for other types."""
    # `isinstance` takes many times as long where it says no, and this is asked most.
    if type(type_) is IntegerType:
        return type_.bitwidth
    return 64 if type(type_) is IndexType else None


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """`low <= value <= high`, as signed integers, and `divisor` divides the value."""

    low: int
    high: int
    divisor: int = 1

    @staticmethod
    def constant(value: int) -> IntegerRange:
        return IntegerRange(value, value, abs(value))

    @staticmethod
    def of_width(width: int, divisor: int = 1) -> IntegerRange:
        """Every integer of a width."""
        return IntegerRange(-(1 << (width - 1)), (1 << (width - 1)) - 1, divisor)

    @property
    def value(self) -> int | None:
        """The value, if there is only one."""
        return self.low if self.low == self.high else None

    @property
    def is_non_negative(self) -> bool:
        return self.low >= 0

    def fits(self, width: int) -> bool:
        """Whether every value is a signed integer of this width."""
        return -(1 << (width - 1)) <= self.low and self.high < 1 << (width - 1)

    def join(self, other: IntegerRange) -> IntegerRange:
        return IntegerRange(
            min(self.low, other.low),
            max(self.high, other.high),
            gcd(self.divisor, other.divisor),
        )

    def meet(self, other: IntegerRange) -> IntegerRange:
        """What both have, of which there must be something; the divisor is that of `self`."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return IntegerRange(low, high, self.divisor)

    def clamped(self, width: int, no_wrap: bool) -> IntegerRange:
        """This mathematical result as a machine integer; `no_wrap` is `nsw`."""
        if self.fits(width):
            return self
        whole = IntegerRange.of_width(width)
        if no_wrap:
            low, high = max(self.low, whole.low), min(self.high, whole.high)
            if low <= high:
                return IntegerRange(low, high, self.divisor)
            return whole
        return IntegerRange.of_width(
            width, gcd(power_of_two_part(self.divisor), 1 << width)
        )


def has_no_signed_wrap(op: Operation) -> bool:
    """Whether the op carries `overflow<nsw>`."""
    flags = op.properties.get("overflowFlags")
    return (
        isinstance(flags, arith.IntegerOverflowAttr)
        and IntegerOverflowFlag.NSW in flags.data
    )
