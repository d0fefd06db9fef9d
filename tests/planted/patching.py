"""Patches of broken games: how they are read, and applied to a copy of the server.

A patch begins with a few lines about itself::

    Breaks: what is wrong then, in a sentence
    Caught-by: tests/conformance/test_x.py::test_y[game-ruleset]
    Says: words of the failure

and goes on as a unified diff. Hunks are found by their text alone, so that a patch survives changes
elsewhere in a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Hunk(NamedTuple):
    """Lines of one file that are replaced, context included."""

    path: Path
    old: str
    new: str


@dataclass(frozen=True)
class Planted:
    """One patch."""

    name: str
    breaks: str
    caught_by: str
    says: str
    hunks: tuple[Hunk, ...]


def read(path: Path) -> Planted:
    """The patch in the file *path*."""
    text = path.read_text(encoding="utf-8")
    head, _, _ = text.partition("\n--- ")
    said = dict(re.findall(r"^([A-Z][A-Za-z-]+): (.+)$", head, re.MULTILINE))
    hunks: list[Hunk] = []
    for part in re.split(r"^--- .*\n\+\+\+ b/", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        for lines in re.split(r"^@@ .*\n", body, flags=re.MULTILINE)[1:]:
            old = [line[1:] for line in lines.splitlines() if line[:1] in " -" and line]
            new = [line[1:] for line in lines.splitlines() if line[:1] in " +" and line]
            hunks.append(Hunk(Path(name.strip()), "\n".join(old) + "\n", "\n".join(new) + "\n"))
    return Planted(path.stem, said["Breaks"], said["Caught-by"], said["Says"], tuple(hunks))


def apply(planted: Planted, root: Path) -> None:
    """Apply the patch to the tree under *root*.

    Raises:
        AssertionError: the text of a hunk is not there, or more than once.
    """
    for hunk in planted.hunks:
        path = root / hunk.path
        text = path.read_text(encoding="utf-8")
        found = text.count(hunk.old)
        assert found == 1, f"{planted.name}: found {found} times in {hunk.path}:\n{hunk.old}"
        path.write_text(text.replace(hunk.old, hunk.new), encoding="utf-8")
