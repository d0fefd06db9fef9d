"""``croupier verify``: checks records from their bytes alone, or has a server check its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from croupier_server.cli.common import read_record_file, say
from croupier_server.cli.credentials import Authority, KeyFile, invited

if TYPE_CHECKING:
    from croupier_server.verify import Report


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="Records; - is standard input. With --server: ids of tables."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
    server: Annotated[
        str, typer.Option(help="Let this server check its records of these tables.")
    ] = "",
    key_file: KeyFile = None,
    ca: Authority = None,
) -> int:
    """Check hashes, secrets, cards, moves and results of finished matches.

    The status is 1 if a check fails, 2 if a file cannot be read. `docs/fairness.md` lists the
    checks, and what nobody can check. With --server, CROUPIER_INVITE may hold an invite code of a
    private table.
    """
    reports = {name: _ask(server, name, key_file, ca) if server else _check(name) for name in files}
    if as_json:
        found: list[dict[str, Any]] = [
            {"file": name, **report.as_data()} for name, report in reports.items()
        ]
        print(json.dumps(found, indent=2))
    else:
        for name, report in reports.items():
            _show(name, report)
    return 0 if all(report.verified for report in reports.values()) else 1


def _check(name: str) -> Report:
    from croupier_server.verify import verify

    return verify(read_record_file(name))


def _ask(server: str, table_id: str, key_file: Path | None, ca: Path | None) -> Report:
    """What *server* says of its record."""
    from croupier.record.v1 import record_service_pb2 as pb
    from croupier_server.cli.record import call
    from croupier_server.verify import Check, Report

    request = pb.VerifyRecordRequest(table_id=table_id)
    answer = call(server, lambda stub: stub.VerifyRecord(request, metadata=invited()), key_file, ca)
    return Report(
        tuple(Check(one.name, one.holds, one.detail, one.warning) for one in answer.checks)
    )


def _show(name: str, report: Report) -> None:
    """Print a line for each check, with a tick, a cross, or an exclamation mark for a warning."""
    signs = ("✓", "✗")
    try:
        "".join(signs).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        signs = ("ok   ", "WRONG")
    but = ", WITH A WARNING" if report.verified and report.warnings else ""
    say(f"{name}: {'verified' if report.verified else 'NOT verified'}{but}")
    for check in report.checks:
        sign = "!".ljust(len(signs[0])) if check.warning else signs[not check.holds]
        say(f"  {sign} {check.name:<10}  {check.detail}")
