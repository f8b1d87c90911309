"""The page about the architecture shows the IR and the imports of today."""

import re

from tests.docs.imports import without_shortcuts
from tests.docs.pages.architecture_page import PAGE, filled

TEXT = PAGE.read_text()


def test_the_page_is_that_of_today():
    assert filled(TEXT) == TEXT, "expected the page of today: run make docs"


def test_filling_replaces_what_was_there():
    stale = re.sub(
        r"```(mlir|mermaid)\n.*?^```", r"```\1\nold\n```", TEXT, flags=re.M | re.S
    )
    assert stale != TEXT
    assert stale.count("old") > 5


def test_edges_that_a_longer_path_says_are_left_out():
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}
    assert without_shortcuts(graph) == {"a": {"b"}, "b": {"c"}, "c": set()}
