"""Compare the golden files of every ruleset with what the rules make now, or write them anew.

``python scripts/golden.py`` prints what differs and fails; ``--update`` writes. A commit that
changes a golden file says why.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from croupier_server.games.registry import GAMES  # noqa: E402
from croupier_server.notation import of_record, write  # noqa: E402
from tests.conformance.counting import counts  # noqa: E402
from tests.conformance.telling import playthrough  # noqa: E402
from tests.verify.matches import Case, record  # noqa: E402

SEED = 1


def _playthrough(name: str, ruleset: str) -> str:
    return playthrough(GAMES[name], ruleset, SEED)


def _counts(name: str, ruleset: str) -> str:
    return counts(GAMES[name], ruleset)


def _notation(name: str, ruleset: str) -> str:
    return write(of_record(record(Case(name, ruleset, deals=1, deal="fixed"))))


FOLDERS: Mapping[str, Callable[[str, str], str]] = {
    "playthroughs": _playthrough,
    "counts": _counts,
    "notation": _notation,
}
"""What makes the files of each folder of ``tests/golden``, by game and ruleset."""


def paths() -> dict[Path, tuple[str, str, str]]:
    """Every golden file there has to be in the checkout, with its folder, game and ruleset."""
    return {
        Path("tests/golden") / folder / f"{name}-{ruleset}.txt": (folder, name, ruleset)
        for folder in FOLDERS
        for name, game in GAMES.items()
        for ruleset in game.rulesets()
    }


def main() -> int:
    """Run the command line; 1 when something differs and nothing was written."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write what differs")
    update = parser.parse_args().update
    wanted = {
        path: FOLDERS[folder](name, ruleset) for path, (folder, name, ruleset) in paths().items()
    }
    gone = {path.relative_to(ROOT) for path in (ROOT / "tests/golden").rglob("*.txt")} - set(wanted)
    is_current = True
    for path, text in [*wanted.items(), *((path, "") for path in sorted(gone))]:
        full = ROOT / path
        old = full.read_text(encoding="utf-8") if full.exists() else ""
        if old == text:
            continue
        is_current = False
        if not update:
            lines = difflib.unified_diff(old.splitlines(), text.splitlines(), str(path), "now")
            print("\n".join(lines))
        elif text:
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text, encoding="utf-8")
            print(f"wrote {path}")
        else:
            full.unlink()
            print(f"removed {path}")
    return 0 if is_current or update else 1


if __name__ == "__main__":
    sys.exit(main())
