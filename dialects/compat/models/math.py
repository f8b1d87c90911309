"""What the ops of `math` are."""

from xdsl.dialects import math

from spmd.dialects.interfaces.computation import Elementwise

Elementwise().attach(*math.Math.operations)
