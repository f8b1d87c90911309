"""What the README promises: its kernel, its commands, its length, its links."""

import linecache
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def shell_commands() -> list[str]:
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    commands = [line.partition("#")[0].strip() for line in lines]
    return [command for command in commands if not command.startswith("make")]


def test_the_first_kernels_have_at_most_twenty_lines_and_run():
    namespace: dict[str, Any] = {}
    for number, text in enumerate(blocks("python"), 1):
        assert len(text.splitlines()) <= 20
        file = f"<README.md {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), namespace)
        np.testing.assert_array_equal(
            namespace["y"], 1 + number * 0.5 * np.arange(1000, dtype=np.float32)
        )


def test_the_two_commands_come_first():
    first = blocks("sh")[0].splitlines()
    assert [line.partition("#")[0].strip() for line in first] == [
        "make example",
        "make test",
    ]


@pytest.mark.parametrize("command", shell_commands())
def test_command_works(command: str):
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_and_paths_exist(name: str):
    text = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text(), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)]+)\)", text)
    paths = [link for link in links if not link.startswith("http")]
    paths += re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.[a-z]+)?)`", text)
    assert paths
    missing = [
        path
        for path in paths
        if not (ROOT / path).exists() and "verb" not in path and ".venv" not in path
    ]
    assert not missing
