"""The list of documents is complete, and the glossary has the words of the source."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_document_is_listed_once():
    links = re.findall(r"\]\(([^)]+)\)", (DOCS / "README.md").read_text())
    assert all((DOCS / link).exists() for link in links)
    listed = sorted(link for link in links if "/" not in link)
    assert listed == sorted(p.name for p in DOCS.glob("*.md") if p.name != "README.md")


def test_every_term_of_the_glossary_is_used():
    """Its words stand in the source, as words or in a name."""
    text = " ".join(
        path.read_text()
        for name in ("analysis", "dialects", "passes", "runtime")
        for path in (DOCS.parent / name).rglob("*.py")
    )
    text = re.sub(r"[\s_-]+", " ", text).lower()
    rows = re.findall(
        r"^\| (?!term)(\w[^|]*) \|", (DOCS / "glossary.md").read_text(), re.M
    )
    assert rows
    for term in ", ".join(rows).split(", "):
        assert term.lower().replace("-", " ") in text, f"nothing is called {term!r}"
