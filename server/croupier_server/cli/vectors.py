"""``croupier vectors``: files of worked positions against the rules that tables use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier_server.cli.common import fail, say


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files of positions (JSON).")
    ],
) -> int:
    """Check worked positions, and print failures and totals.

    The status is 1 if a position fails or has an unknown kind, 2 if a file cannot be read.
    """
    from croupier_server.vectors import run_file, tally

    passed = failed = 0
    for path in files:
        try:
            results = run_file(path)
        except OSError as error:
            fail(f"cannot read {path}: {error.strerror}")
        except ValueError as error:
            # The reader names the file where it found something else than it wants.
            what = str(error)
            fail(what if what.startswith(str(path)) else f"{path} is not JSON: {what}")
        for result in results:
            if not result.passed:
                options = f" with {result.options}" if result.options else ""
                say(f"FAILED {path}: {result.id} ({result.kind}){options}")
                if result.description:
                    say(f"  {result.description}")
                say(f"  expected {result.expected}")
                say(f"  actual   {result.actual}")
        file_passed, file_failed = tally(results)
        passed, failed = passed + file_passed, failed + file_failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
