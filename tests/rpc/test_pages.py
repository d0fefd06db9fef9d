"""Page tokens: marks of a place in one list, and nothing else."""

from __future__ import annotations

from base64 import urlsafe_b64decode

import pytest

from croupier_server.errors import InvalidRequest, Reason
from croupier_server.rpc.pages import PageTokens

CURSORS = ["0", "7", "12345678901", "f" * 16, "f" * 17, "a" * 60]


def data(token: str) -> bytes:
    return urlsafe_b64decode(token + "=" * (-len(token) % 4))


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_token_gives_its_cursor_back(cursor: str) -> None:
    pages = PageTokens(b"key")
    assert pages.cursor("tables", pages.token("tables", cursor)) == cursor


def test_private_a_token_does_not_tell_its_cursor() -> None:
    """The number of a table counts those that are not listed too."""
    pages = PageTokens(b"key")
    tokens = {cursor: data(pages.token("tables", cursor)) for cursor in CURSORS}
    for cursor, token in tokens.items():
        assert cursor.encode() not in token or len(cursor) == 1
    assert len(tokens["7"]) == len(tokens["12345678901"])
    apart = [one ^ two for one, two in zip(tokens["0"][16:], tokens["7"][16:], strict=True)]
    assert len(set(apart)) > 4, "one mask for all would give the difference away"


@pytest.mark.parametrize("cursor", CURSORS)
def test_a_token_is_good_for_its_list_alone(cursor: str) -> None:
    pages = PageTokens(b"key")
    token = pages.token("tables", cursor)
    for other, scope in ((pages, "records"), (PageTokens(b"another"), "tables")):
        with pytest.raises(InvalidRequest) as error:
            other.cursor(scope, token)
        assert error.value.reason is Reason.INVALID_PAGE_TOKEN


def test_a_token_that_was_changed_is_none() -> None:
    pages = PageTokens(b"key")
    token = pages.token("tables", "42")
    for place in range(len(token) - 1):  # the last character holds bits that say nothing
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        with pytest.raises(InvalidRequest):
            pages.cursor("tables", changed)
