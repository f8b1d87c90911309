"""
Graphs of branches from S. Moll's dissertation (2021), chapters 3 to 12, by their figure.

Partial control-flow linearization keeps so many of their uniform branches.
"""

from __future__ import annotations

from benchmarks.probes.probe import graph

for _name, _keep in (
    ("F12_2", 2),
    ("F3_15", 0),
    ("F5_6", 2),
    ("F8_1", 1),
    ("F8_5", 1),
    ("F8_6t", 1),
    ("F8_7", 1),
    ("linstress", 2),
):
    graph(_name, "branches of which some are uniform", _keep)
for _name, _keep in (("dbreak", 1), ("loopF8_3", 0)):
    graph(_name, "the same in a loop", _keep, inputs=(0,))
