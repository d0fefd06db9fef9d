"""Write the parts of ``docs/`` that say again what the code and the contract already say.

- ``docs/protocol.md``: the table of reasons, from the comments of ``errors.proto``.
- ``docs/security.md``: what each call takes, and what it is refused with otherwise.
- ``docs/operations.md``: the settings, from ``config.py``.
- ``docs/languages.md`` and READMEs of clients: the files that they show.
- ``docs/rules/<game>.md``: clauses, refusals, options and rulesets, from the game itself.
- ``clients/rust/README.md``, ``clients/cpp/README.md``: the files that they show.

``python -m scripts.gen_docs`` writes, ``--check`` fails when something is not current.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from croupier_server.config import Settings
from croupier_server.games.modules import WIRES_BY_NAME
from croupier_server.games.registry import GAMES
from scripts.rights_matrix import matrix

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "<!-- reasons: written by scripts/gen_docs.py from errors.proto -->\n"
END = "<!-- /reasons -->"
RIGHTS_BEGIN = "<!-- rights: written by scripts/gen_docs.py from identity/rights.py -->\n"
RIGHTS_END = "<!-- /rights -->"
SETTINGS_BEGIN = "<!-- settings: written by scripts/gen_docs.py from config.py -->\n"
SETTINGS_END = "<!-- /settings -->"
FENCES = {
    ".cc": "cpp",
    ".go": "go",
    ".java": "java",
    ".mod": "",
    ".py": "python",
    ".rs": "rust",
    ".toml": "toml",
    ".ts": "ts",
    ".txt": "cmake",
    ".xml": "xml",
    ".yaml": "yaml",
}
"""How code of a file is marked on a page, by the end of its name."""


def reasons(proto: str) -> Iterator[tuple[str, str, str]]:
    """Name, status code and meaning of every reason of *proto*."""
    for comment, name in re.findall(r"((?:  // .*\n)+)  ERROR_REASON_(\w+) = [1-9]\d*;", proto):
        text = " ".join(line.strip()[3:] for line in comment.splitlines())
        status, meaning = text.split(". ", 1)
        yield name, status, meaning


def reason_table() -> str:
    """The reasons as a Markdown table."""
    proto = (ROOT / "protos/croupier/v1/errors.proto").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {status} | {meaning} |" for name, status, meaning in reasons(proto)]
    return "\n".join(["", "| reason | status | meaning |", "|---|---|---|", *rows, "", ""])


def protocol_page() -> str:
    """``docs/protocol.md`` with a current table of reasons."""
    page = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
    return between(page, BEGIN, END, reason_table())


def security_page() -> str:
    """``docs/security.md`` with a current matrix of rights."""
    page = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    return between(page, RIGHTS_BEGIN, RIGHTS_END, "\n".join(["", *matrix(), "", ""]))


def settings() -> Iterator[tuple[str, str, str]]:
    """Name, default and meaning of every setting."""
    for name, field in Settings.model_fields.items():
        default = field.default
        shown = str(default)
        if isinstance(default, bool):
            shown = str(default).lower()
        yield name, f"`{shown}`" if shown not in ("", "None") else "", field.description or ""


def operations_page() -> str:
    """``docs/operations.md`` with a current table of settings."""
    page = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {default} | {meaning} |" for name, default, meaning in settings()]
    table = ["", "| setting | default | meaning |", "|---|---|---|", *rows, "", ""]
    return between(page, SETTINGS_BEGIN, SETTINGS_END, "\n".join(table))


def between(page: str, begin: str, end: str, text: str) -> str:
    """*page* with *text* in place of what stands between two marks."""
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}{text}{end}{after}"


def with_files(path: Path) -> str:
    """The page at *path* with the current text of every file that it shows."""

    def shown(mark: re.Match[str]) -> str:
        file = path.parent / mark[1]
        text = file.read_text(encoding="utf-8")
        return f"<!-- file: {mark[1]} -->\n```{FENCES[file.suffix]}\n{text}```\n<!-- /file -->"

    page = path.read_text(encoding="utf-8")
    return re.sub(r"<!-- file: (\S+) -->.*?<!-- /file -->", shown, page, flags=re.DOTALL)


LINES_BEGIN = "<!-- lines: counted by scripts/gen_docs.py -->\n"
LINES_END = "<!-- /lines -->"
CLIENTS = {
    "Go": ("go/tiny/main.go", "go/complete/main.go"),
    "TypeScript": ("typescript/tiny.ts", "typescript/bot.ts", "typescript/seat.ts"),
    "Rust": ("rust/src/bin/tiny.rs", "rust/src/bin/complete.rs"),
    "Java": ("java/src/main/java/bots/Tiny.java", "java/src/main/java/bots/Complete.java"),
    "C++": ("cpp/tiny.cc", "cpp/complete.cc"),
    "Python": ("python/examples/random_bot.py",),
}
"""By language, the smallest bot, then the files of the complete one. The Python SDK does all that a
complete bot does."""


def languages_page() -> str:
    """``docs/languages.md`` with the bots as they are, and their lines counted."""
    page = with_files(ROOT / "docs/languages.md")
    rows = ["", "| language | tiny bot | complete bot |", "|---|---|---|"]
    for language, (tiny, *complete) in CLIENTS.items():
        counts = []
        for files in ([tiny], complete):
            texts = [(ROOT / "clients" / file).read_text(encoding="utf-8") for file in files]
            links = ", ".join(f"[{Path(file).name}](../clients/{file})" for file in files)
            lines = sum(len(text.splitlines()) for text in texts)
            counts.append(f"{links}: {lines} lines" if files else "the SDK")
        rows.append(f"| {language} | {counts[0]} | {counts[1]} |")
    return between(page, LINES_BEGIN, LINES_END, "\n".join([*rows, "", ""]))


def clause_order(clause: str) -> tuple[int, ...]:
    """Sorting key of a clause id such as ``T-6.4``."""
    return tuple(int(number) for number in re.findall(r"\d+", clause))


def rules_page(name: str) -> str:
    """``docs/rules/<name>.md``."""
    game = GAMES[name]
    names = game.rulesets()
    folder = ROOT / "server/croupier_server/games" / name
    sections = tomllib.loads((folder / "clauses.toml").read_text(encoding="utf-8"))["sections"]
    texts = {each: game.option_text(game.options(each, {})) for each in names}
    lines = [
        f"# The rules of {WIRES_BY_NAME[name].title}",
        "",
        f"Rules version {game.rules_version}. `croupier rules {name}` prints the same clauses.",
        "Options are in backticks; [Rulesets](#rulesets) lists their values.",
        "",
    ]
    section = ""
    for clause, text in sorted(game.clauses().items(), key=lambda item: clause_order(item[0])):
        head, _, _ = clause.partition(".")
        if head != section:
            section = head
            lines += [f"## {head} {sections[head]}", ""]
        lines += [*wrap(f"**{clause}** {text}", 100, break_on_hyphens=False), ""]
    lines += ["## Refusals", "", "| `rule` | meaning |", "|---|---|"]
    lines += [f"| `{word}` | {meaning} |" for word, meaning in game.refusals().items()]
    lines += ["", "## Options", "", "| option | clause | meaning | values |", "|---|---|---|---|"]
    for spec in game.option_specs():
        values = ", ".join(f"`{value}`" for value in spec.values) or spec.syntax
        meaning = spec.meaning.replace("|", "\\|")
        values = values.replace("|", "\\|")
        lines.append(f"| `{spec.name}` | {spec.clause} | {meaning} | {values} |")
    lines += ["", "## Rulesets", "", "| option | " + " | ".join(names) + " |"]
    lines.append("|---" * (len(names) + 1) + "|")
    for spec in game.option_specs():
        row = " | ".join(texts[each][spec.name] for each in names)
        lines.append(f"| `{spec.name}` | {row} |")
    return "\n".join([*lines, ""])


def pages() -> dict[Path, str]:
    """Every page written here, by path, with its current text."""
    found = {
        ROOT / "docs/protocol.md": protocol_page(),
        ROOT / "docs/security.md": security_page(),
        ROOT / "docs/operations.md": operations_page(),
    }
    found[ROOT / "docs/languages.md"] = languages_page()
    for language in ("cpp", "go", "java", "rust"):
        readme = ROOT / "clients" / language / "README.md"
        found[readme] = with_files(readme)
    for name in GAMES:
        found[ROOT / f"docs/rules/{name}.md"] = rules_page(name)
    return found


def main() -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail if not current")
    is_check = parser.parse_args().check
    stale = 0
    for path, text in pages().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if is_check:
            print(f"not current: {path.relative_to(ROOT)}; run python -m scripts.gen_docs")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
