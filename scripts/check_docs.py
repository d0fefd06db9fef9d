"""Check what is written for people: links, named tests, decision records, changelog fragments.

Run by ``make docs-check``. Prints one line a finding and fails if there is any. Links to other
sites are not followed: the check needs no network.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = {".git", ".venv", ".tools", "node_modules", "build", "dist"}
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"^\s*(```+|~~~+)")
TEST = re.compile(r"`(tests/[\w./-]+\.(?:py|patch))(?:::(\w+))?`")
ADR_NAME = re.compile(r"^(\d{4})-[a-z0-9-]+\.md$")
ADR_PARTS = ("Status", "Context", "Decision", "Alternatives", "Consequences")


def pages() -> list[Path]:
    """Every Markdown page of the checkout, sorted."""
    return sorted(
        path
        for path in ROOT.rglob("*.md")
        if SKIPPED.isdisjoint(path.relative_to(ROOT).parts)
        and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    )


def prose(text: str) -> tuple[dict[int, str], bool]:
    """Lines outside code blocks by number, without code spans; whether every block is closed."""
    lines = {}
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            lines[number] = re.sub(r"`[^`]*`", "", line)
    return lines, not fence


def anchors(page: Path) -> set[str]:
    """Anchors that the headings of *page* get, and explicit ones."""
    found: set[str] = set()
    text = page.read_text(encoding="utf-8")
    outside, _ = prose(text)
    for number, line in enumerate(text.splitlines(), 1):
        found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
        heading = HEADING.match(line)
        if number not in outside or not heading:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        repeat, name = 0, slug
        while name in found:
            repeat += 1
            name = f"{slug}-{repeat}"
        found.add(name)
    return found


def check_page(page: Path) -> Iterator[str]:
    """Relative links, anchors and tests in *page* that lead nowhere, and a block that never
    closes."""
    name = page.relative_to(ROOT)
    text = page.read_text(encoding="utf-8")
    lines, is_closed = prose(text)
    for path, test in sorted(set(TEST.findall(text))):
        if not (ROOT / path).exists():
            yield f"{name}: {path} does not exist"
        elif test and not re.search(rf"\bdef {test}\b", (ROOT / path).read_text("utf-8")):
            yield f"{name}: {path} has no test {test}"
    if not is_closed:
        yield f"{name}: a code block is not closed"
    for number, line in lines.items():
        for target in LINK.findall(line):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            path, _, anchor = unquote(target).partition("#")
            goal = (page.parent / path).resolve() if path else page
            if not goal.is_relative_to(ROOT):
                yield f"{name}:{number}: {target} leads out of the checkout"
            elif not goal.exists():
                yield f"{name}:{number}: {target} does not exist"
            elif anchor and goal.suffix == ".md" and anchor not in anchors(goal):
                yield f"{name}:{number}: {target} has no such heading"


def check_decisions() -> Iterator[str]:
    """Decision records are numbered without gaps and have every part."""
    numbers = []
    for page in sorted((ROOT / "docs" / "adr").glob("*.md")):
        name = page.relative_to(ROOT)
        if page.name == "README.md":
            continue
        match = ADR_NAME.match(page.name)
        if match is None:
            yield f"{name}: not named NNNN-title.md"
            continue
        numbers.append(int(match[1]))
        text = page.read_text(encoding="utf-8")
        for part in ADR_PARTS:
            if not re.search(rf"^#+ {part}\b|^(?:- )?\*{{0,2}}{part}[.:]", text, re.MULTILINE):
                yield f"{name}: no part {part}"
    if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        yield f"docs/adr: numbers have gaps or repeats: {numbers}"


def check_fragments() -> Iterator[str]:
    """Changelog fragments have a known type and say something."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    types = {kind["directory"] for kind in config["tool"]["towncrier"]["type"]}
    for page in sorted((ROOT / "changelog.d").iterdir()):
        name = page.relative_to(ROOT)
        if page.name == "README.md":
            continue
        match = re.match(r"^(?:\d+|\+[\w-]+)\.([a-z]+)(?:\.\d+)?\.md$", page.name)
        if match is None or match[1] not in types:
            yield f"{name}: not named <issue>.<type>.md with a type of {', '.join(sorted(types))}"
        elif not page.read_text(encoding="utf-8").strip():
            yield f"{name}: says nothing"


def main() -> int:
    """Print the findings; fail if there are any."""
    found: list[str] = []
    every = pages()
    for page in every:
        found += check_page(page)
    found += check_decisions()
    found += check_fragments()
    for line in found:
        print(f"check_docs: {line}", file=sys.stderr)
    if not found:
        print(f"check_docs: {len(every)} pages, nothing to mend")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
