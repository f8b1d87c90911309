"""
Makes `examples/notebook.py` of `docs/python.md`: run this file to bring it up to date.

Each block of code is a function of a marimo notebook, and so is what stands between two.
There every name belongs to one of them, so that one that the page defines anew gets a number.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
PAGE, NOTEBOOK = ROOT / "docs" / "python.md", ROOT / "examples" / "notebook.py"

HEAD = '''\
"""
The tutorial on kernels in Python as a notebook; `make docs` makes it of docs/python.md.

```sh
pip install marimo
marimo edit examples/notebook.py
```
"""

import marimo

app = marimo.App()
'''
FOOT = """

if __name__ == "__main__":
    app.run()
"""

CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"\A\n```text\n.*?^```\n", re.MULTILINE | re.DOTALL)


def notebook(page: str) -> str:
    """The text of the notebook with all that is on `page`."""
    texts, codes = CODE.split(page)[::2], CODE.split(page)[1::2]
    names = Names()
    parts = [
        HEAD,
        _function("", "import marimo as mo\n\nreturn (mo,)"),
        _text(texts[0]),
    ]
    for code, text in zip(codes, texts[1:], strict=True):
        parts += [names.written(code), _text(PRINTED.sub("", text))]
    return "".join((*parts, FOOT))


def _text(markdown: str) -> str:
    shown = f'mo.md(r"""\n{markdown.strip()}\n""")\nreturn'
    return _function("mo", shown) if markdown.strip() else ""


def _function(arguments: str, body: str) -> str:
    return f"\n\n@app.cell\ndef _({arguments}):\n{indent(body, '    ')}\n"


class Names:
    """What the names of the page are called in the notebook."""

    def __init__(self) -> None:
        self._called: dict[str, str] = {}
        self._times: dict[str, int] = {}

    def written(self, code: str) -> str:
        """The function with a block of code; a name that it binds has to be new from there."""
        found = sorted(_names(ast.parse(code)), key=lambda each: each.place)
        own = dict.fromkeys(each.name for each in found if each.is_bound)
        for name in own:
            if not next(each for each in found if each.name == name).is_bound:
                raise ValueError(f"expected {name} to be bound where it is first met")
            times = self._times[name] = self._times.get(name, 0) + 1
            self._called[name] = name if times == 1 else f"{name}_{times}"
        lines = code.splitlines(keepends=True)
        for each in reversed(found):
            row, column = each.place
            line, called = lines[row], self._called.get(each.name, each.name)
            lines[row] = line[:column] + called + line[column + len(each.name) :]
        used = {each.name for each in found} & set(self._called) - set(own)
        given = ", ".join(self._called[name] for name in own)
        back = f"return ({given},)" if own else "return"
        body = f"{''.join(lines).rstrip()}\n{back}"
        return _function(", ".join(sorted(self._called[name] for name in used)), body)


class _Name(NamedTuple):
    """A name that does not belong to a function: where it is, and whether it is bound."""

    name: str
    place: tuple[int, int]
    is_bound: bool


def _names(tree: ast.AST, local: frozenset[str] = frozenset()) -> Iterator[_Name]:
    """The names in `tree` but for those that are `local` to a function."""
    for node in ast.iter_child_nodes(tree):
        inner = local
        match node:
            case ast.Name() if node.id not in local:
                place = (node.lineno - 1, node.col_offset)
                yield _Name(node.id, place, _is_stored(node))
            case ast.alias():
                name = node.asname or node.name
                place = (node.lineno - 1, (node.end_col_offset or 0) - len(name))
                yield _Name(name, place, True)
            case ast.FunctionDef():
                place = (node.lineno - 1, node.col_offset + len("def "))
                yield _Name(node.name, place, True)
                inner |= _own_names(node)
            case ast.ListComp() | ast.GeneratorExp():
                inner |= _own_names(node)
            case _:
                pass
        yield from _names(node, inner)


def _own_names(scope: ast.AST) -> set[str]:
    inside = list(ast.walk(scope))
    stored = {n.id for n in inside if isinstance(n, ast.Name) and _is_stored(n)}
    return stored | {n.arg for n in inside if isinstance(n, ast.arg)}


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(PAGE.read_text()))
