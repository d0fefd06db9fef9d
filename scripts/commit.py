"""Which commit is checked out, for runs that say how to see a failure again."""

from __future__ import annotations

import subprocess


def commit() -> str:
    """Its short name, marked where files differ from it; ``unknown`` outside a repository."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"
