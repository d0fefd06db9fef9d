"""Bounds of the fields of requests, which their comments in ``protos/`` state too.

One line bounds a field from a least to a greatest value: a number by itself, a text by its
characters, bytes and lists by their number, a duration by its seconds. With ``or empty`` a text or
bytes may be empty as well. For enums, messages and oneofs ``required`` says that they must be set.
Enums need no line: every value must be declared, and in a list never zero.

A line with ``*`` holds for all fields of that name that have no line of their own. Numbers and
lists among a game's options have no line: their bounds are those of the game's own catalogue.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from google.protobuf.descriptor import FieldDescriptor

from croupier.v1 import game_pb2
from croupier_server.games.base import Levels, Number, WordSet
from croupier_server.games.registry import GAMES

SAFE: Final = 2**53 - 1
"""The greatest number that JSON and JavaScript carry exactly."""


class Bounds(NamedTuple):
    """What a field may hold, both ends included.

    Attributes:
        least: the least.
        most: the greatest.
        or_empty: a text or bytes may be empty as well.
    """

    least: int
    most: int
    or_empty: bool = False


_LINES: Final = f"""
*.table_id 1 64
*.decision_id 1 64
*.page_size 0 1000
*.page_token 0 512
croupier.record.v1.StreamRecordsRequest.cursor 0 128
croupier.v1.WatchLobbyRequest.cursor 0 128
*.request_id 0 64
*.ruleset 0 64
*.detail 1 256
croupier.v1.SeatOutcome.score -{SAFE} {SAFE}
croupier.v1.BoardDeal.board_id 0 128
croupier.v1.BoardDeal.root 32 32
croupier.v1.BoardDeal.commitment 32 32 or empty
croupier.v1.BoardDeal.table_count 0 100000
croupier.v1.FixedDeal.seed 0 {SAFE}
croupier.v1.FixedDeal.decks 0 64
croupier.v1.Deck.cards 1 324
croupier.v1.ClockSpec.base 0 864000
croupier.v1.ClockSpec.increment 0 86400
croupier.v1.ClockSpec.per_move 0 86400
croupier.v1.ClockSpec.window_time 0 3600
croupier.v1.ClockSpec.max_strikes 0 1000
croupier.v1.ClockSpec.disconnect_grace 0 3600
croupier.v1.ClockSpec.start_timeout 0 864000
croupier.v1.SpectatorDelay.decisions 0 1000
croupier.v1.SpectatorDelay.time 0 86400
croupier.v1.TableSpec.game required
croupier.v1.TableSpec.title 0 128
croupier.v1.Player.player_id 0 64
croupier.v1.Player.display_name 0 64
croupier.v1.Player.version 0 64
croupier.v1.SeatSpec.house_bot 0 64
croupier.v1.CreateTableRequest.spec required
croupier.v1.CreateTableRequest.seats 0 12
croupier.v1.JoinTableRequest.seat 0 11
croupier.v1.JoinTableRequest.invite_code 0 128
croupier.v1.JoinTableRequest.nonce_hash 32 32 or empty
croupier.v1.AbortTableRequest.detail 0 256
croupier.v1.ListRulesetsRequest.game required
croupier.v1.GetRulesetRequest.game required
croupier.v1.ExplainRuleRequest.game required
croupier.v1.ExplainRuleRequest.clause 0 16
croupier.v1.WatchTablesRequest.opens 1 64
croupier.v1.ListLegalMovesRequest.page_token 0 1024
croupier.v1.OpenNonceRequest.nonce 32 32
croupier.v1.OpenNonceRequest.next_nonce_hash 32 32 or empty
*.tournament_id 1 64
croupier.v1.CreateTournamentRequest.spec required
croupier.v1.TournamentSpec.name 1 64
croupier.v1.TournamentSpec.game required
croupier.v1.TournamentSpec.boards 1 100000
croupier.v1.TournamentSpec.rounds 0 100
croupier.v1.TournamentSpec.entrants 2 200
croupier.v1.TournamentSpec.stall_time 0 3600
croupier.v1.TournamentSpec.start_time 0 3600
croupier.v1.TournamentSpec.field_bot 0 64
croupier.v1.TournamentEntrant.name 1 64
croupier.v1.TournamentEntrant.bot required
croupier.v1.TournamentEntrant.player_id 1 64
croupier.v1.TournamentEntrant.house_bot 1 64
croupier.v1.TournamentEntrant.version 0 64
croupier.v1.SprtSpec.elo0 -1000 1000
croupier.v1.SprtSpec.elo1 -1000 1000
croupier.v1.PauseTournamentRequest.reason 0 256
croupier.v1.CancelTournamentRequest.reason 0 256
croupier.v1.GetHeadToHeadRequest.entrant 0 199
croupier.v1.GetHeadToHeadRequest.opponent 0 199
croupier.v1.GetRatingRequest.game required
croupier.v1.GetRatingRequest.player required
croupier.v1.ListRatingsRequest.game required
croupier.v1.ListRatingHistoryRequest.game required
croupier.v1.ListRatingHistoryRequest.player required
croupier.v1.RatedPlayer.who required
croupier.v1.RatedPlayer.player_id 1 64
croupier.v1.RatedPlayer.house_bot 1 64
croupier.record.v1.VerifyRecordRequest.source required
croupier.admin.v1.AdjudicateTableRequest.seats 1 12
"""

NONE: Final = Bounds(0, 0)
REQUIRED: Final = Bounds(1, 1)


def _read(line: str) -> tuple[str, Bounds]:
    name, *ends = line.split()
    if ends == ["required"]:
        return name, REQUIRED
    return name, Bounds(int(ends[0]), int(ends[1]), or_empty=ends[2:] == ["or", "empty"])


def _of_options() -> dict[str, Bounds]:
    """Bounds of the numbers, and of the sizes of lists, among the options of all games; 0 may
    stand for a word. A list that several options have is as long as any of them may be."""
    found: dict[str, Bounds] = {}
    for name, game in GAMES.items():
        message = game_pb2.GameOptions.DESCRIPTOR.fields_by_name[name].message_type
        assert message is not None
        for spec in game.option_specs():
            field = message.fields_by_name[spec.name]
            path = f"{message.full_name}.{spec.name}"
            if isinstance(spec.type, Number):
                if field.message_type is not None:
                    path = field.message_type.fields[0].full_name
                found[path] = Bounds(0 if spec.type.word else spec.type.least, spec.type.most)
            elif field.type == FieldDescriptor.TYPE_UINT32:
                numbers = [int(text) for text in spec.values]
                found[path] = Bounds(min(numbers), max(numbers))
            elif isinstance(spec.type, WordSet | Levels):
                assert field.message_type is not None
                size = spec.type.most if isinstance(spec.type, Levels) else len(spec.type.words)
                path = field.message_type.fields[0].full_name
                found[path] = Bounds(0, max(size, found.get(path, NONE).most))
    return found


RULES: Final = dict(_read(line) for line in _LINES.strip().splitlines()) | _of_options()


def bounds_of(message: str, field: str) -> Bounds | None:
    """The bounds of a field or oneof of *message*, by the full name of that."""
    return RULES.get(f"{message}.{field}", RULES.get(f"*.{field}"))
