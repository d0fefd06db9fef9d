"""Attack a real server as a hostile client would: ``make attack`` or ``python -m scripts.attack``.

Each attack starts a server of its own on the loopback, ends by itself, and prints what it
measured. The exit status is 1 if anything was harmed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from scripts.attack import disk, house, legal, quitter, streams, web
from scripts.attack.stage import Finding
from scripts.live.process import end_by_sigterm

Attack = Callable[[Path, float], Coroutine[None, None, list[Finding]]]
"""Given an empty folder and the seconds of one phase, says what it found."""

ATTACKS: Final[dict[str, Attack]] = {
    "disk": disk.attack,
    "house": house.attack,
    "legal": legal.attack,
    "quitter": quitter.attack,
    "streams": streams.attack,
    "web": web.attack,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}")
    parser.add_argument("--seconds", type=float, default=10, help="of each phase; default: 10")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in ATTACKS]
    if unknown:
        parser.error(f"no attack {unknown[0]!r}; there are {', '.join(ATTACKS)}")
    end_by_sigterm()
    is_good = True
    for name in given.names or ATTACKS:
        print(f"{name}: {(ATTACKS[name].__doc__ or '').partition(chr(10))[0]}", flush=True)
        with TemporaryDirectory(prefix="croupier-attack-") as folder:
            findings = asyncio.run(ATTACKS[name](Path(folder), given.seconds))
        for finding in findings:
            print(f"  {'good' if finding.is_good else 'BAD '}  {finding.text}", flush=True)
        is_good = is_good and all(finding.is_good for finding in findings)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
