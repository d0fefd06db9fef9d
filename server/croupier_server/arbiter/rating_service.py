"""Ratings over all tournaments of an arbiter."""

from __future__ import annotations

from croupier.v1 import rating_service_pb2 as pb
from croupier_server.arbiter.store import ArbiterStore, Point
from croupier_server.arbiter.tournaments import pool_of
from croupier_server.errors import InvalidRequest, NotFound, Reason
from croupier_server.games.modules import WIRES
from croupier_server.games.registry import GAMES
from croupier_server.rpc.pages import PageTokens
from croupier_server.tables.caller import Caller


class RatingService:
    """``croupier.v1.RatingService``.

    Args:
        store: has the ratings.
        pages: makes page tokens.
    """

    service = "croupier.v1.RatingService"

    def __init__(self, store: ArbiterStore, pages: PageTokens) -> None:
        self._store = store
        self._pages = pages

    async def get_rating(
        self, _caller: Caller, request: pb.GetRatingRequest
    ) -> pb.GetRatingResponse:
        """The rating of one player."""
        pool, who = _pool(request.game, request.ruleset), _who(request.player)
        found = await self._store.points(pool, who, None, 1)
        if not found:
            name = request.player.player_id or request.player.house_bot
            raise NotFound(Reason.NOT_FOUND, f"{name!r} has no rated board of this game yet")
        return pb.GetRatingResponse(rating=_message(found[0]))

    async def list_ratings(
        self, _caller: Caller, request: pb.ListRatingsRequest
    ) -> pb.ListRatingsResponse:
        """A page of ratings."""
        pool = _pool(request.game, request.ruleset)
        scope = f"ratings/{pool}"
        start = int(self._pages.cursor(scope, request.page_token) or "0")
        size = self._pages.size(request.page_size)
        found = await self._store.ratings(pool, start, size + 1)
        answer = pb.ListRatingsResponse(ratings=[_message(point) for point in found[:size]])
        if len(found) > size:
            answer.next_page_token = self._pages.token(scope, str(start + size))
        return answer

    async def list_rating_history(
        self, _caller: Caller, request: pb.ListRatingHistoryRequest
    ) -> pb.ListRatingHistoryResponse:
        """A page of the ratings that one player has had."""
        pool, who = _pool(request.game, request.ruleset), _who(request.player)
        scope = f"rating-history/{pool}/{who}"
        cursor = self._pages.cursor(scope, request.page_token)
        size = self._pages.size(request.page_size)
        found = await self._store.points(pool, who, int(cursor) if cursor else None, size + 1)
        answer = pb.ListRatingHistoryResponse(ratings=[_message(one) for one in found[:size]])
        if len(found) > size:
            answer.next_page_token = self._pages.token(scope, str(found[size - 1].number))
        return answer


def _pool(kind: int, ruleset: str) -> str:
    """The pool that a request names.

    Raises:
        InvalidRequest: UNKNOWN_RULESET.
    """
    name = WIRES[kind].name
    known = GAMES[name].rulesets()
    if ruleset and ruleset not in known:
        raise InvalidRequest(
            Reason.UNKNOWN_RULESET,
            f"there is no ruleset {ruleset!r}; use {', '.join(known)}",
            field="ruleset",
        )
    return pool_of(name, ruleset or known[0])


def _who(player: pb.RatedPlayer) -> str:
    if player.WhichOneof("who") == "player_id":
        return f"player/{player.player_id}"
    return f"house/{player.house_bot}"


def _message(point: Point) -> pb.Rating:
    kind, _, name = point.who.partition("/")
    found = pb.Rating(
        rating=point.skill.rating,
        deviation=point.skill.deviation,
        boards=point.skill.boards,
        tournament_id=point.tournament,
        board=point.board + 1,
    )
    if kind == "player":
        found.player.player_id = name
    else:
        found.player.house_bot = name
    found.time.FromMilliseconds(point.time_ms)
    return found
