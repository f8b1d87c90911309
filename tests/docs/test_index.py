"""The list of documents is complete, and what it links to exists."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_document_is_listed_once():
    links = re.findall(r"\]\(([^)]+)\)", (DOCS / "README.md").read_text())
    assert all((DOCS / link).exists() for link in links)
    listed = sorted(link for link in links if "/" not in link)
    assert listed == sorted(p.name for p in DOCS.glob("*.md") if p.name != "README.md")
