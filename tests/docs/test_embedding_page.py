"""The Python on the page for authors of frontends does what the page says."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "embedding.md").read_text()


def test_python_runs():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    exec(compile("\n".join(blocks), "embedding.md", "exec"), {})


def test_every_interface_is_in_the_table():
    import spmd.interfaces

    table = PAGE[PAGE.index("## What an op can say") : PAGE.index("## Parallel loops")]
    for name in spmd.interfaces.__all__:
        if name not in ("OpInterface", "Runs", "CostClass", "describe"):
            assert f"`{name}" in table or f"{name}(" in table, name
