"""Runs all examples, each in a process of its own, and prints one table."""

import os
import subprocess
import sys
from pathlib import Path

from harness import HEADER


def main() -> int:
    """The number of examples that failed."""
    print(HEADER, flush=True)
    environment = {**os.environ, "SPMD_EXAMPLES_HEADER": "printed"}
    failed: list[str] = []
    here = Path(__file__).parent
    scripts = sorted(here.glob("[0-9][0-9]_*.py"))
    for script in (*scripts, *sorted(here.glob("pictures/[a-z]*.py"))):
        done = subprocess.run([sys.executable, script], env=environment, check=False)
        if done.returncode != 0:
            failed.append(script.stem)
            print(f"{script.stem:<18} failed", flush=True)
    if failed:
        print(f"{len(failed)} failed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
