"""
A format of lit that runs our programs in forks of a process which has them loaded.

`lit -D forked tests/filecheck` takes a tenth of the CPU time of `lit tests/filecheck`, which
starts Python for each command. What passes here has passed. What fails, or is more than a
pipeline, runs once more as lit itself does it: the report is lit's, of what a user sees.
"""
# lit has no types.
# pyright: basic

from __future__ import annotations

import gc
import os
import re
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import filecheck.main
import lit.formats
import lit.Test
import lit.TestRunner
import xdsl.tools.xdsl_opt
from lit.ShUtil import Pipeline, ShParser
from xdsl.universe import XDSL_UNIVERSE

from spmd.tools import spmd_run, spmd_shapes
from spmd.universe import SPMD_UNIVERSE

COMMANDS: dict[str, Callable[[], Any]] = {
    "filecheck": filecheck.main.main,
    "spmd-run": spmd_run.main,
    "spmd-shapes": spmd_shapes.main,
    "xdsl-opt": xdsl.tools.xdsl_opt.main,
}
STOCK_DIALECTS = ("arith", "builtin", "cf", "func", "math", "memref", "scf", "vector")
STOCK_PASSES = ("canonicalize", "cse", "dce", "licm", "control-flow-hoist")
INPUT, ERRORS_TO_OUTPUT = ("<",), (">&", 2)
"""The redirections that are known here."""
SECONDS = 20
"""After so much CPU time a command is killed."""


def load() -> None:
    """Imports what xDSL imports when it is first named, for all forks to come."""
    for name in STOCK_DIALECTS:
        XDSL_UNIVERSE.all_dialects[name]()
    for name in STOCK_PASSES:
        XDSL_UNIVERSE.all_passes[name]()
    ours = SPMD_UNIVERSE
    for factories in (ours.all_dialects, ours.all_passes, ours.all_targets):
        for factory in factories.values():
            factory()
    gc.collect()
    gc.freeze()  # a collection in a fork would write to every page that is shared


class ForkedTest(lit.formats.ShTest):
    """A file with `RUN:` lines, as for `ShTest`."""

    def execute(self, test, litConfig):
        """A pass, or what `ShTest` says; or with `-D forked=only` that it failed."""
        environment = test.config.environment
        if all(_passes(pipeline, environment) for pipeline in _pipelines(test)):
            return lit.Test.Result(lit.Test.PASS)
        if litConfig.params["forked"] == "only":
            return lit.Test.Result(lit.Test.FAIL)
        return super().execute(test, litConfig)


def _pipelines(test) -> Iterator[Any]:
    """The `RUN:` lines of the test, as lit parses them."""
    runner = lit.TestRunner
    folder, base = runner.getTempPaths(test)
    Path(folder).mkdir(parents=True, exist_ok=True)
    substitutions = runner.getDefaultSubstitutions(test, folder, base)
    script = runner.parseIntegratedTestScript(test)
    for line in runner.applySubstitutions(script, substitutions):
        # The number of the line comes first.
        command = re.sub(runner.kPdbgRegex, r"\2", line)
        yield ShParser(command, pipefail=True).parse()


def _passes(pipeline: Any, environment: dict[str, str]) -> bool:
    """Whether this is a pipeline of simple commands that all end as they should."""
    if not isinstance(pipeline, Pipeline):
        return False
    with ExitStack() as files:
        read = files.enter_context(tempfile.TemporaryFile())
        for command in pipeline.commands:
            negated = command.args[0] == "not"
            words = command.args[negated:]
            redirects = dict(command.redirects)
            if not redirects.keys() <= {INPUT, ERRORS_TO_OUTPUT}:
                return False
            if INPUT in redirects:
                read = files.enter_context(Path(redirects[INPUT]).open("rb"))
            written = files.enter_context(tempfile.TemporaryFile())
            errors = (
                written
                if ERRORS_TO_OUTPUT in redirects
                else files.enter_context(tempfile.TemporaryFile())
            )
            status = _run(words, environment, (read, written, errors))
            if status < 0 or (status > 0) != negated:
                return False
            written.seek(0)
            read = written
    return True


def _run(
    words: list[str], environment: dict[str, str], files: Sequence[IO[bytes]]
) -> int:
    """The exit status of a command, or the negative number of the signal it died of."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status: Any = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        if words[0] not in COMMANDS:
            os.execvpe(words[0], words, environment)
        sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, (0, 1, 2), "rww")
        sys.argv = words
        warnings.simplefilter("error")
        status = COMMANDS[words[0]]()
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(bool(status))
