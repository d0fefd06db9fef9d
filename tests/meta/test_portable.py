"""Nothing that is committed names a machine, a workplace or a package registry."""

from __future__ import annotations

import re

import pytest

from tests.meta.sources import texts

# Written so that this file does not match itself.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.$}/])/(?:work|root|tmp|home|Users)/[\w.]"),
    "a folder outside the checkout": re.compile(r"(?<![\w./])\.\.(?:/\.\.)*/shared\b"),
    "a package registry": re.compile(
        r"p[y]pi\.org|python[h]osted\.org|registry\.npm[j]s|npm[j]s\.org|crates[.]io"
        r"|proxy\.go[l]ang|repo1?\.mave[n]|--(?:extra-)?index-url|--find-links"
    ),
}


@pytest.mark.more
@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts()
        if path.name != "test_portable.py"
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a path of one machine", "see /home/somebody/x.py"),
        ("a path of one machine", 'open("/tmp/log")'),
        ("a path of one machine", "/root/.cache"),
        ("a folder outside the checkout", "read .." + "/shared/design.md"),
        ("a package registry", "https://files." + "hosted".join(("python", ".org/packages"))),
    ],
)
def test_the_patterns_catch(what: str, line: str) -> None:
    assert FORBIDDEN[what].search(line)


@pytest.mark.parametrize("line", ["buf.work/x", "https://a.b/work/tmp/", "$HOME/tmp/x", "a/tmp/b"])
def test_the_patterns_spare(line: str) -> None:
    assert not any(pattern.search(line) for pattern in FORBIDDEN.values())
