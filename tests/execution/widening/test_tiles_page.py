"""The code of the page about tiles runs, and its pictures are those of today."""

import linecache
import re

import pytest

from tests.docs.pages.tiles_pictures import DRAWN, PICTURES

PAGE = (PICTURES.parent / "tiles.md").read_text()


def test_python_runs():
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert blocks
    for number, text in enumerate(blocks):
        file = f"<tiles.md {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), names)


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_are_those_of_today(name: str):
    assert f"(pictures/{name}.svg)" in PAGE
    assert (PICTURES / f"{name}.svg").read_text() == DRAWN[name](), "run make docs"
