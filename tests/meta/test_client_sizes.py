"""Clients in other languages stay small, and what their pages show is what runs."""

from __future__ import annotations

import pytest

from tests.meta.sources import ROOT

CLIENTS = ROOT / "clients"


@pytest.mark.parametrize(
    ("lines", "files"),
    [
        (45, ["go/tiny/main.go"]),
        (150, ["go/complete/main.go"]),
        (45, ["java/src/main/java/bots/Tiny.java"]),
        (150, ["java/src/main/java/bots/Complete.java"]),
        (45, ["typescript/tiny.ts"]),
        (150, ["typescript/bot.ts", "typescript/seat.ts"]),
        (149, ["typescript/page/page.ts"]),
        (30, ["typescript/page/index.html"]),
    ],
)
def test_a_program_is_short(lines: int, files: list[str]) -> None:
    texts = [(CLIENTS / file).read_text(encoding="utf-8") for file in files]
    assert sum(text.count("\n") for text in texts) <= lines


def test_lines_are_not_made_few_by_being_long() -> None:
    patterns = ("*.ts", "page/*", "test/*")
    sources = [file for each in patterns for file in CLIENTS.glob(f"typescript/{each}")]
    assert sources
    for source in sources:
        assert max(map(len, source.read_text(encoding="utf-8").splitlines())) <= 100, source


def test_the_page_of_typescript_shows_its_tiny_bot() -> None:
    folder = CLIENTS / "typescript"
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert f"```ts\n{(folder / 'tiny.ts').read_text(encoding='utf-8')}```\n" in page


def test_the_lock_of_typescript_names_no_registry() -> None:
    lock = (CLIENTS / "typescript/package-lock.json").read_text(encoding="utf-8")
    assert "://" not in lock
    assert '"resolved"' not in lock
