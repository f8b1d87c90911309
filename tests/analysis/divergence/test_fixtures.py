"""
Kernels whose comments say what the analysis has to find out.

```mlir
// %x: varying align 4
// %y: uniform / contiguous            (a shape for x, then one for y)
// divergent: %p, %q                   (the conditions of the only divergent branches)
// inactive: %z                        (values that not all lanes compute together)
spmd.kernel @k(...) {
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.ir import Operation

from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.spmd import KernelOp
from tests.analysis.programs import parse, value

FIXTURES = Path(__file__).parent / "fixtures"
SHAPE = re.compile(r"// (%\w+): (.*)")
LIST = re.compile(r"// (divergent|inactive):\s*(.*)")


@dataclass(frozen=True)
class Fixture:
    """One kernel, and the comments before it."""

    name: str
    text: str

    @property
    def shapes(self) -> list[tuple[str, list[str]]]:
        lines = map(SHAPE.fullmatch, self.text.splitlines())
        return [(m[1], m[2].split(" / ")) for m in lines if m is not None]

    @property
    def lists(self) -> Iterator[tuple[str, set[str]]]:
        for line in self.text.splitlines():
            if match := LIST.fullmatch(line):
                yield match[1], set(match[2].split(", ")) - {""}


def fixtures() -> Iterator[Fixture]:
    for path in sorted(FIXTURES.glob("*.mlir")):
        for number, text in enumerate(path.read_text().split("// -----\n")):
            titles = re.findall(r"^// ([A-Z].*)$", text, re.MULTILINE)
            title = titles[-1] if titles else str(number)
            yield Fixture(f"{path.stem}: {title}", text)


@pytest.mark.parametrize("fixture", list(fixtures()), ids=lambda fixture: fixture.name)
def test_fixture(fixture: Fixture):
    (kernel,) = parse(fixture.text).ops
    assert isinstance(kernel, KernelOp)
    divergence = analyze_kernel(kernel)
    assert fixture.shapes or list(fixture.lists)
    for name, expected in fixture.shapes:
        found = [
            str(divergence.shape(value(kernel, name[1:]), dimension))
            for dimension in range(len(expected))
        ]
        assert found == expected, f"{name} is {' / '.join(found)}"
    for what, names in fixture.lists:
        if what == "divergent":
            deciding = [
                decisions(op) for op in kernel.walk() if divergence.is_divergent(op)
            ]
            assert {f"%{values[0].value.name_hint}" for values in deciding} == names
        else:
            for name in names:
                owner = value(kernel, name[1:]).owner
                assert isinstance(owner, Operation)
                assert not divergence.all_active(owner), f"{name} is computed by all"
