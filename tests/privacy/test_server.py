"""Private (design promise 4), on a real server: every gRPC message, metadata and status that a seat
receives is the same in any two worlds that it cannot tell apart.

Second half: leaks planted in view, refusal, listed move, event and id are caught, each of them.
"""

from __future__ import annotations

import pytest

from tests.privacy.served import Way, compare
from tests.privacy.stories import case
from tests.wire import playouts

WINDOW_MS = 1_000


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("window_ms", [0, WINDOW_MS])
async def test_private(way: Way, window_ms: int) -> None:
    number = list(Way).index(way) + (4 if window_ms else 0)
    options = playouts.options(playouts.RULESETS[number % 5])
    one = case(number, options, audience=number % 4)
    assert await compare(one, way, window_ms) > 100
