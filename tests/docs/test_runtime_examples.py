"""The Python on the page about the runtime does what the page says."""

import re
from pathlib import Path

from spmd.dialects.limits import (
    DEFAULT_GROUP_SIZE,
    MAX_EXTENT,
    MAX_GROUP_SIZE,
    MAX_LOCAL_BYTES,
)
from spmd.runtime.arguments.limits import MAX_PRIVATE_BYTES
from spmd.runtime.errors import MAX_NESTING
from spmd.runtime.launching.threads import MAX_THREADS
from spmd.runtime.options import WIDTHS

PAGE = (Path(__file__).parents[2] / "docs" / "runtime.md").read_text()


def test_python_runs():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    exec(compile("\n".join(blocks), "runtime.md", "exec"), {})


def test_limits_are_the_ones_of_the_code():
    section = PAGE[PAGE.index("## Limits") : PAGE.index("## From the shell")]
    found = [int(number) for number in re.findall(r"\| (\d+) \|", section)]
    assert found == [
        MAX_GROUP_SIZE,
        MAX_LOCAL_BYTES,
        MAX_PRIVATE_BYTES,
        MAX_EXTENT,
        MAX_EXTENT,
        MAX_THREADS,
        MAX_NESTING,
    ]
    assert f'`"auto"`, {", ".join(map(str, WIDTHS))} |' in PAGE
    assert f"choice of {DEFAULT_GROUP_SIZE}\nwork-items" in PAGE
