"""What the ops of small dialects of xDSL are."""

from xdsl.dialects import ub
from xdsl.dialects.builtin import UnrealizedConversionCastOp

from spmd.dialects.interfaces.computation import Elementwise, FunctionOfOperands

Elementwise().attach(ub.PoisonOp)
FunctionOfOperands().attach(UnrealizedConversionCastOp)
