"""The tutorial on kernels in Python prints what it says, and is a notebook, too."""

import ast
import linecache
import re
from importlib.util import find_spec
from runpy import run_path

import pytest

from spmd import language
from tests.docs.pages import notebook

PAGE = notebook.PAGE.read_text()
NOTEBOOK = notebook.NOTEBOOK.read_text()
FUNCTIONS = [
    each for each in ast.parse(NOTEBOOK).body if isinstance(each, ast.FunctionDef)
]
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


def test_notebook_is_that_of_the_page():
    assert notebook.notebook(PAGE) == NOTEBOOK, "make docs brings it up to date"


def test_every_name_of_the_notebook_belongs_to_one_function():
    names = [name for function in FUNCTIONS for name in _returned(function)]
    assert len(names) > 50
    assert len(names) == len(set(names))


def test_functions_of_the_notebook_get_what_they_use():
    given: dict[str, object] = {"mo": None}
    for number, function in enumerate(FUNCTIONS[1:]):
        names = {argument.arg: given[argument.arg] for argument in function.args.args}
        if "mo" in names:
            continue
        code = "\n".join(ast.unparse(each) for each in function.body[:-1])
        file = f"<function {number}>"
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
        exec(compile(code, file, "exec"), names)
        given |= {name: names[name] for name in _returned(function)}


def test_marimo_runs_the_notebook():
    if find_spec("marimo") is None:
        pytest.skip("needs marimo")
    run_path(str(notebook.NOTEBOOK), run_name="__main__")


def _returned(function: ast.FunctionDef) -> list[str]:
    end = function.body[-1]
    assert isinstance(end, ast.Return)
    found = () if end.value is None else ast.walk(end.value)
    return [each.id for each in found if isinstance(each, ast.Name)]
