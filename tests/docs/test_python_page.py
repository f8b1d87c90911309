"""The tutorial on kernels in Python prints what it says."""

import linecache
import re
from pathlib import Path

import pytest

from spmd import language

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
BLOCKS = re.findall(
    r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", PAGE, re.MULTILINE | re.DOTALL
)


def test_every_block_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]):
    names: dict[str, object] = {}
    assert len(BLOCKS) >= 10
    for number, (text, printed) in enumerate(BLOCKS):
        # As a notebook does it: kernels are read from the text of their block.
        file = f"<python.md {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), names)
        assert capsys.readouterr().out == printed


def test_every_name_of_the_language_is_on_the_page():
    words = set(re.findall(r"\w+", PAGE))
    names = {name for name in vars(language) if not name.startswith("_")}
    assert len(names) > 30
    assert not names - words
