"""What each call takes: one table, which the services, the tests and ``docs/security.md`` share.

A call takes a scope of the key, a right that is proven by a secret (a ticket, a host ticket), both,
or nothing. Without keys everybody has every scope but `admin`; tickets are asked for all the same.

Facts about the server and its games take nothing, so that a client can find out what it talks to
before it sends a key, and so that probes and tools (health, reflection) need none. They tell
nothing of any table.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple

from croupier_server.identity.keys import Scope


class Proof(Enum):
    """What a call takes besides a key: in its metadata, or in the request to open a channel."""

    NONE = ""
    TICKET = "ticket of the seat"
    HOST_TICKET = "host ticket of the table"


class Right(NamedTuple):
    """What a call takes.

    Attributes:
        scope: that the key must have; None: a key is not asked for.
        proof: the secret that it takes besides.
    """

    scope: Scope | None = None
    proof: Proof = Proof.NONE


_NOTHING: Final = Right()
_SPECTATE: Final = Right(Scope.SPECTATE)
_SEAT: Final = Right(Scope.PLAY, Proof.TICKET)
_HOST: Final = Right(Scope.HOST, Proof.HOST_TICKET)
_ADMIN: Final = Right(Scope.ADMIN)

RIGHTS: Final[Mapping[str, Right]] = MappingProxyType(
    {
        "croupier.v1.SystemService/GetServerInfo": _NOTHING,
        "croupier.v1.CatalogService/ListGames": _NOTHING,
        "croupier.v1.CatalogService/ListRulesets": _NOTHING,
        "croupier.v1.CatalogService/GetRuleset": _NOTHING,
        "croupier.v1.CatalogService/ExplainRule": _NOTHING,
        "croupier.v1.TableService/CreateTable": Right(Scope.HOST),
        "croupier.v1.TableService/GetTable": _SPECTATE,
        "croupier.v1.TableService/ListTables": _SPECTATE,
        "croupier.v1.TableService/WatchLobby": _SPECTATE,
        "croupier.v1.TableService/JoinTable": Right(Scope.PLAY),
        "croupier.v1.TableService/LeaveTable": _SEAT,
        "croupier.v1.TableService/StartTable": _HOST,
        "croupier.v1.TableService/AbortTable": _HOST,
        "croupier.v1.SeatService/WatchSeats": Right(Scope.PLAY),
        "croupier.v1.SeatService/ListSeats": Right(Scope.PLAY),
        "croupier.v1.PlayService/WatchTable": _SEAT,
        "croupier.v1.PlayService/WatchTables": _SEAT,
        "croupier.v1.PlayService/SubmitMove": _SEAT,
        "croupier.v1.PlayService/CheckMove": _SEAT,
        "croupier.v1.PlayService/GetLegalMoves": _SEAT,
        "croupier.v1.PlayService/ListLegalMoves": _SEAT,
        "croupier.v1.PlayService/ListDealResults": _SEAT,
        "croupier.v1.PlayService/GetSeatView": _SEAT,
        "croupier.v1.PlayService/OpenNonce": _SEAT,
        "croupier.v1.PlayService/Concede": _SEAT,
        "croupier.v1.SessionService/Session": _SEAT,
        "croupier.v1.SpectateService/SpectateTable": _SPECTATE,
        "croupier.v1.SpectateService/ListPublicDealResults": _SPECTATE,
        "croupier.record.v1.RecordService/GetRecord": _SPECTATE,
        "croupier.record.v1.RecordService/ListRecords": _SPECTATE,
        "croupier.record.v1.RecordService/StreamRecords": _SPECTATE,
        "croupier.record.v1.RecordService/VerifyRecord": _SPECTATE,
    }
)
"""Every call that a server of tables has, but those of operators."""

_ORGANISE: Final = Right(Scope.ORGANISE)

ARBITER_RIGHTS: Final[Mapping[str, Right]] = MappingProxyType(
    {
        "croupier.v1.TournamentService/CreateTournament": _ORGANISE,
        "croupier.v1.TournamentService/StartTournament": _ORGANISE,
        "croupier.v1.TournamentService/PauseTournament": _ORGANISE,
        "croupier.v1.TournamentService/ResumeTournament": _ORGANISE,
        "croupier.v1.TournamentService/CancelTournament": _ORGANISE,
        "croupier.v1.TournamentService/GetTournament": _SPECTATE,
        "croupier.v1.TournamentService/ListTournaments": _SPECTATE,
        "croupier.v1.TournamentService/WatchTournament": _SPECTATE,
        "croupier.v1.TournamentService/GetStandings": _SPECTATE,
        "croupier.v1.TournamentService/ListPairings": _SPECTATE,
        "croupier.v1.TournamentService/GetCrossTable": _SPECTATE,
        "croupier.v1.TournamentService/GetHeadToHead": _SPECTATE,
        "croupier.v1.RatingService/GetRating": _SPECTATE,
        "croupier.v1.RatingService/ListRatings": _SPECTATE,
        "croupier.v1.RatingService/ListRatingHistory": _SPECTATE,
    }
)
"""The calls of an arbiter. A tournament is changed by its organiser alone."""


def right_of(path: str) -> Right:
    """What the call *path* takes, such as ``croupier.v1.TableService/GetTable``; those of operators
    take the scope `admin`.

    Raises:
        KeyError: no right is defined for it.
    """
    if path.startswith("croupier.admin."):
        return _ADMIN
    return RIGHTS.get(path) or ARBITER_RIGHTS[path]
