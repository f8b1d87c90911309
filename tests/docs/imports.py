"""Which module, folder and package of the project imports which."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = tuple(
    sorted(path.name for path in (ROOT / "src" / "spmd").iterdir() if path.is_symlink())
)
"""The packages of the compiler: the folders at the root that `src/spmd` links to."""


def imported(path: Path) -> Iterator[str]:
    """What a file imports, wherever in the file: modules, and names in modules."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"expected no relative import in {path}"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_name(path: Path) -> str:
    """The name that a file of a package is imported by, without `spmd.`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> dict[str, set[str]]:
    """For each module of the compiler those that it imports, both without `spmd.`."""
    files = {
        module_name(path): path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    }
    packages = {name for name, path in files.items() if path.name == "__init__.py"}
    return {
        name: {
            target
            for each in imported(path)
            # A module of a package is imported through the package.
            if (target := each.removeprefix("spmd.")) in files.keys() - packages
            and target != name
        }
        for name, path in files.items()
    }


def folded(graph: dict[str, set[str]], depth: int) -> dict[str, set[str]]:
    """The graph between the first `depth` parts of the names."""

    def head(name: str) -> str:
        return ".".join(name.split(".")[:depth])

    result: dict[str, set[str]] = {}
    for name, targets in graph.items():
        heads = result.setdefault(head(name), set())
        heads |= {head(target) for target in targets} - {head(name)}
    return result


def closure(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """What each node leads to, over any number of edges."""
    result: dict[str, set[str]] = {}
    for start in graph:
        found: set[str] = set()
        worklist = [start]
        while worklist:
            new = graph[worklist.pop()] - found
            found |= new
            worklist.extend(new)
        result[start] = found
    return result


def circles(graph: dict[str, set[str]]) -> set[str]:
    """The sets of nodes that lead to each other, each as words."""
    reached = closure(graph)
    return {
        " ".join(sorted(other for other in reached[node] if node in reached[other]))
        for node in graph
        if node in reached[node]
    }


def without_shortcuts(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The graph without edges that a longer path says as well (its transitive reduction)."""
    reached = closure(graph)
    return {
        name: {
            target
            for target in targets
            if not any(target in reached[other] for other in targets - {target})
        }
        for name, targets in graph.items()
    }
