"""``croupier notation``: a record as text, a page a deal; or such a text, read and played again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from croupier_server.cli.common import fail, read_record_file, say


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record, or the text of one.")],
) -> int:
    """Convert a record to text, or replay and check such a text.

    If a text contradicts the rules, the first wrong line is printed and the status is 1.
    `docs/notation.md` describes the format.
    """
    from croupier_server.notation import NotationError, of_record, read, write
    from croupier_server.notation.writing import HEAD
    from croupier_server.storage.codec import RecordError

    data = read_record_file(file)
    try:
        if not data.startswith(HEAD.encode()):
            print(write(of_record(data)), end="")
            return 0
        text = data.decode()
        match = read(text)
        written = write(match)
    except (RecordError, NotationError, UnicodeDecodeError) as error:
        fail(f"{file}: {error}")
    lines = zip(text.splitlines(), written.splitlines(), strict=False)
    for number, (own, wanted) in enumerate(lines, 1):
        if own.rstrip() != wanted:
            fail(
                f"{file}, line {number}: {own.strip()!r} should be {wanted!r} by the rules",
                exit_code=1,
            )
    has, needed = len(text.splitlines()), len(written.splitlines())
    if has != needed:
        fail(f"{file} has {has} lines; {needed} are needed", exit_code=1)
    say(f"{file}: {len(match.steps)} steps, as the rules have it")
    return 0
