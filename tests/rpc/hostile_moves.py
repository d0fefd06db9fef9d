"""Moves that no table takes, as rows: table, ticket, decision, move; and what each is refused with.

Names in braces are those of `hostile.World.names`.
"""

from __future__ import annotations


def play(cards: str) -> str:
    return f"tractor < play < cards: [{cards}] > >"


def bury(cards: str) -> str:
    return f"tractor < bury < cards: [{cards}] > >"


TURN = "FAILED_PRECONDITION", "NOT_YOUR_TURN"
STALE = "ABORTED", "STALE_DECISION"
ANSWERED = "ABORTED", "DECISION_ANSWERED"
UNKNOWN = "INVALID_ARGUMENT", "UNKNOWN_DECISION"
CLOSED = "FAILED_PRECONDITION", "TABLE_CLOSED"
BAD_MOVE = "INVALID_ARGUMENT", "MALFORMED_MOVE"
UNEXPECTED = "FAILED_PRECONDITION", "MOVE_NOT_EXPECTED"
NOT_HELD = "FAILED_PRECONDITION", "CARDS_NOT_IN_HAND"
COUNT = "FAILED_PRECONDITION", "WRONG_CARD_COUNT"
PASS = "tractor < decline <> >"
TONGITS, POKEX = "tongits < ", "pokex < "
NO_BID = "FAILED_PRECONDITION", "BID_OUT_OF_RANGE"

# Table, ticket, decision, move; status and reason.
MOVES: list[tuple[str, str, str, str, tuple[str, str]]] = [
    # Decisions of others, of before, of later, of nobody.
    ("follow", "follow_next", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_next", "follow_next_id", "{follow_legal}", TURN),
    ("follow", "follow_0", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_1", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_2", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_me", "follow_next_id", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "follow_old_id", "{follow_legal}", UNKNOWN),
    ("follow", "follow_old_me", "follow_old_id", play("54"), ANSWERED),
    ("follow", "follow_old_me", "follow_old_id", PASS, ANSWERED),
    ("follow", "follow_old_me", "follow_id", "{follow_legal}", TURN),
    ("follow", "follow_me", "lead_id", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'36-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'35-3 '", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'035-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'-1-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'99999999999999999999999999-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'\\u0663\\u0665-3'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'x'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'-'", "{follow_legal}", UNKNOWN),
    ("follow", "follow_me", "'\\000'", "{follow_legal}", UNKNOWN),
    ("lead", "lead_old_me", "lead_old_id", play("1"), ANSWERED),
    ("bury", "bury_next", "bury_id", "{bury_legal}", TURN),
    ("call", "call_old_me", "call_old_id", "tractor < call < points: 80 > >", ANSWERED),
    ("show", "show_next", "show_next_id", "{show_legal}", TURN),
    ("name", "name_next", "name_id", "{name_legal}", TURN),
    ("window", "window_next", "window_id", PASS, TURN),
    ("window", "window_next", "window_next_id", PASS, TURN),
    ("open", "open_0", "'1-0'", PASS, TURN),
    ("opening", "opening_0", "'6-0'", PASS, TURN),
    ("ended", "ended_0", "'125-0'", PASS, CLOSED),
    # Moves that are none.
    ("follow", "follow_me", "follow_id", "", BAD_MOVE),
    ("follow", "follow_me", "follow_id", "tractor <>", BAD_MOVE),
    ("follow", "follow_me", "follow_id", play(""), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("0"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("55"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("-1"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("2147483647"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play("{follow_legal_card}, 0"), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play(", ".join(["7"] * 7)), BAD_MOVE),
    ("follow", "follow_me", "follow_id", play(", ".join(["7"] * 3_000)), BAD_MOVE),
    ("bury", "bury_me", "bury_id", bury(""), BAD_MOVE),
    ("bury", "bury_me", "bury_id", bury("99"), BAD_MOVE),
    ("bury", "bury_me", "bury_id", bury(", ".join(["53"] * 201)), BAD_MOVE),
    ("call", "call_me", "call_id", "tractor < call <> >", BAD_MOVE),
    ("call", "call_me", "call_id", "tractor < call < points: 601 > >", BAD_MOVE),
    ("call", "call_me", "call_id", "tractor < call < points: 4294967295 > >", BAD_MOVE),
    ("show", "show_me", "show_id", "tractor < show <> >", BAD_MOVE),
    ("show", "show_me", "show_id", "tractor < show < card: 55 > >", BAD_MOVE),
    ("name", "name_me", "name_id", "tractor < name_trumps <> >", BAD_MOVE),
    (
        "name",
        "name_me",
        "name_id",
        "tractor < name_trumps < suit: 9 > >",
        ("FAILED_PRECONDITION", "UNKNOWN_TRUMP_SUIT"),
    ),
    ("window", "window_me", "window_id", "tractor < declare <> >", BAD_MOVE),
    ("window", "window_me", "window_id", "tractor < declare < cards: 0 > >", BAD_MOVE),
    (
        "window",
        "window_me",
        "window_id",
        f"tractor < declare < cards: [{', '.join(['1'] * 7)}] > >",
        BAD_MOVE,
    ),
    # Moves of another kind.
    ("follow", "follow_me", "follow_id", PASS, UNEXPECTED),
    ("follow", "follow_me", "follow_id", bury("{follow_legal_card}"), UNEXPECTED),
    ("follow", "follow_me", "follow_id", "tractor < call < points: 80 > >", UNEXPECTED),
    ("lead", "lead_me", "lead_id", PASS, UNEXPECTED),
    ("lead", "lead_me", "lead_id", "tractor < show < card: {lead_first} > >", UNEXPECTED),
    ("lead", "lead_me", "lead_id", bury("{lead_first}"), UNEXPECTED),
    ("bury", "bury_me", "bury_id", play("{bury_first}"), UNEXPECTED),
    ("bury", "bury_me", "bury_id", PASS, UNEXPECTED),
    ("call", "call_me", "call_id", play("{call_first}"), UNEXPECTED),
    ("call", "call_me", "call_id", "tractor < declare < cards: 1 > >", UNEXPECTED),
    ("show", "show_me", "show_id", play("{show_first}"), UNEXPECTED),
    ("show", "show_me", "show_id", PASS, UNEXPECTED),
    ("name", "name_me", "name_id", PASS, UNEXPECTED),
    ("name", "name_me", "name_id", play("{name_first}"), UNEXPECTED),
    ("window", "window_me", "window_id", play("{window_first}"), UNEXPECTED),
    ("window", "window_me", "window_id", "tractor < name_trumps < suit: 5 > >", UNEXPECTED),
    # Moves that the rules forbid.
    ("follow", "follow_me", "follow_id", play("{follow_absent}"), NOT_HELD),
    ("follow", "follow_me", "follow_id", play("{follow_legal_card}, {follow_wrong}"), COUNT),
    (
        "follow",
        "follow_me",
        "follow_id",
        play("{follow_wrong}"),
        ("FAILED_PRECONDITION", "MUST_FOLLOW_SUIT"),
    ),
    ("lead", "lead_me", "lead_id", play("{lead_absent}"), NOT_HELD),
    (
        "lead",
        "lead_me",
        "lead_id",
        play("{lead_first}, {lead_apart}"),
        ("FAILED_PRECONDITION", "MIXED_SUITS"),
    ),
    ("bury", "bury_me", "bury_id", bury("{bury_first}"), COUNT),
    ("bury", "bury_me", "bury_id", bury(", ".join(["{bury_absent}"] * 6 + ["53", "54"])), NOT_HELD),
    ("show", "show_me", "show_id", "tractor < show < card: {show_absent} > >", NOT_HELD),
    (
        "call",
        "call_me",
        "call_id",
        "tractor < call < points: 7 > >",
        ("FAILED_PRECONDITION", "CALL_OUT_OF_RANGE"),
    ),
    (
        "call",
        "call_me",
        "call_id",
        "tractor < call < points: 205 > >",
        ("FAILED_PRECONDITION", "CALL_OUT_OF_RANGE"),
    ),
    (
        "window",
        "window_me",
        "window_id",
        "tractor < declare < cards: {window_absent} > >",
        NOT_HELD,
    ),
]
MOVES += [
    # Tong-its.
    ("stock", "stock_next", "stock_id", "{stock_legal}", TURN),
    ("stock", "stock_old_me", "stock_old_id", TONGITS + "fold <> >", ANSWERED),
    ("stock", "stock_me", "stock_next_id", "{stock_legal}", UNKNOWN),
    ("stock", "stock_me", "stock_id", "tongits <>", BAD_MOVE),
    ("stock", "stock_me", "stock_id", "{bid_legal}", BAD_MOVE),
    ("stock", "stock_me", "stock_id", PASS, BAD_MOVE),
    ("stock", "stock_me", "stock_id", TONGITS + "take_discard <> >", BAD_MOVE),
    (
        "stock",
        "stock_me",
        "stock_id",
        TONGITS + "take_discard < cards: [1, 2] meld: 0 > >",
        BAD_MOVE,
    ),
    ("stock", "stock_me", "stock_id", TONGITS + "take_discard < meld: 52 > >", BAD_MOVE),
    ("stock", "stock_me", "stock_id", TONGITS + "take_discard < cards: 55 > >", BAD_MOVE),
    (
        "stock",
        "stock_me",
        "stock_id",
        TONGITS + "take_discard < cards: [{stock_first}, {stock_absent}] > >",
        NOT_HELD,
    ),
    (
        "stock",
        "stock_me",
        "stock_id",
        TONGITS + "take_discard < cards: [{stock_first}, {stock_first}] > >",
        BAD_MOVE,
    ),
    (
        "stock",
        "stock_me",
        "stock_id",
        TONGITS + "take_discard < cards: [{stock_first}, {stock_last}] > >",
        ("FAILED_PRECONDITION", "NOT_A_MELD"),
    ),
    (
        "stock",
        "stock_me",
        "stock_id",
        TONGITS + "take_discard < meld: 3 > >",
        ("FAILED_PRECONDITION", "NOT_ALLOWED_BY_OPTIONS"),
    ),
    (
        "stock",
        "stock_me",
        "stock_id",
        TONGITS + "call_draw <> >",
        ("FAILED_PRECONDITION", "NOT_OPENED"),
    ),
    ("stock", "stock_me", "stock_id", TONGITS + "discard < card: {stock_first} > >", UNEXPECTED),
    ("stock", "stock_me", "stock_id", TONGITS + "challenge <> >", UNEXPECTED),
    ("turn", "turn_next", "turn_id", "{turn_legal}", TURN),
    ("turn", "turn_me", "turn_id", TONGITS + "discard <> >", BAD_MOVE),
    ("turn", "turn_me", "turn_id", TONGITS + "discard < card: 55 > >", BAD_MOVE),
    ("turn", "turn_me", "turn_id", TONGITS + "meld < cards: [1, 2] > >", BAD_MOVE),
    ("turn", "turn_me", "turn_id", TONGITS + "meld < cards: [1, 2, 0] > >", BAD_MOVE),
    ("turn", "turn_me", "turn_id", TONGITS + "secret_four < rank: 1 > >", BAD_MOVE),
    ("turn", "turn_me", "turn_id", TONGITS + "lay_off < meld: 0 > >", BAD_MOVE),
    ("turn", "turn_me", "turn_id", TONGITS + "lay_off < meld: 99 cards: 1 > >", BAD_MOVE),
    ("turn", "turn_me", "turn_id", TONGITS + "discard < card: {turn_absent} > >", NOT_HELD),
    ("turn", "turn_me", "turn_id", TONGITS + "discard < card: CARD_RED_JOKER > >", BAD_MOVE),
    (
        "turn",
        "turn_me",
        "turn_id",
        TONGITS + "meld < cards: [53, 54, {turn_first}] > >",
        BAD_MOVE,
    ),
    (
        "turn",
        "turn_me",
        "turn_id",
        TONGITS + "secret_four < rank: RANK_TWO > >",
        ("FAILED_PRECONDITION", "NOT_FOUR_OF_A_KIND"),
    ),
    (
        "turn",
        "turn_me",
        "turn_id",
        TONGITS + "lay_off < meld: 51 cards: {turn_first} > >",
        ("FAILED_PRECONDITION", "NO_SUCH_MELD"),
    ),
    (
        "turn",
        "turn_me",
        "turn_id",
        TONGITS + "end_turn <> >",
        ("FAILED_PRECONDITION", "MUST_DISCARD"),
    ),
    ("turn", "turn_me", "turn_id", TONGITS + "draw_stock <> >", UNEXPECTED),
    ("turn", "turn_me", "turn_id", TONGITS + "call_draw <> >", UNEXPECTED),
    ("answer", "answer_next", "answer_id", TONGITS + "fold <> >", TURN),
    ("answer", "answer_old_me", "answer_id", TONGITS + "challenge <> >", TURN),
    ("answer", "answer_me", "answer_id", TONGITS + "draw_stock <> >", UNEXPECTED),
    ("answer", "answer_me", "answer_id", TONGITS + "discard < card: 1 > >", UNEXPECTED),
    # Pokex.
    ("bid", "bid_next", "bid_id", "{bid_legal}", TURN),
    ("bid", "bid_me", "bid_id", "pokex <>", BAD_MOVE),
    ("bid", "bid_me", "bid_id", "{stock_legal}", BAD_MOVE),
    ("bid", "bid_me", "bid_id", POKEX + "bid <> >", NO_BID),
    ("bid", "bid_me", "bid_id", POKEX + "bid < tricks: 7 > >", NO_BID),
    ("bid", "bid_me", "bid_id", POKEX + "bid < tricks: 4294967295 > >", NO_BID),
    (
        "bid",
        "bid_me",
        "bid_id",
        POKEX + "bid < tricks: 1 > >",
        ("FAILED_PRECONDITION", "BID_TOO_LOW"),
    ),
    ("bid", "bid_me", "bid_id", POKEX + "name_rank < rank: RANK_ACE > >", UNEXPECTED),
    ("bid", "bid_me", "bid_id", POKEX + "play < cards: [1, 2] > >", UNEXPECTED),
    ("rank", "rank_me", "rank_id", POKEX + "name_rank <> >", BAD_MOVE),
    ("rank", "rank_me", "rank_id", POKEX + "name_rank < rank: 15 > >", BAD_MOVE),
    ("rank", "rank_me", "rank_id", POKEX + "decline <> >", UNEXPECTED),
    ("rank", "rank_me", "rank_id", POKEX + "bid < tricks: 6 > >", UNEXPECTED),
    ("pair", "pair_next", "pair_id", "{pair_legal}", TURN),
    ("pair", "pair_me", "pair_id", POKEX + "play <> >", BAD_MOVE),
    ("pair", "pair_me", "pair_id", POKEX + "play < cards: {pair_first} > >", BAD_MOVE),
    ("pair", "pair_me", "pair_id", POKEX + "play < cards: [1, 2, 3] > >", BAD_MOVE),
    ("pair", "pair_me", "pair_id", POKEX + "play < cards: [0, 1] > >", BAD_MOVE),
    (
        "pair",
        "pair_me",
        "pair_id",
        POKEX + "play < cards: [{pair_first}, {pair_last}] center: 99 > >",
        BAD_MOVE,
    ),
    (
        "pair",
        "pair_me",
        "pair_id",
        POKEX + "play < cards: [{pair_first}, {pair_absent}] > >",
        NOT_HELD,
    ),
    (
        "pair",
        "pair_me",
        "pair_id",
        POKEX + "play < cards: [{pair_first}, {pair_first}] > >",
        BAD_MOVE,
    ),
    (
        "pair",
        "pair_me",
        "pair_id",
        POKEX + "play < cards: [{pair_first}, {pair_last}] center: {pair_center} > >",
        ("FAILED_PRECONDITION", "CENTER_NOT_YOURS"),
    ),
    ("pair", "pair_me", "pair_id", POKEX + "decline <> >", UNEXPECTED),
    (
        "reply",
        "reply_me",
        "reply_id",
        POKEX + "play < cards: [{reply_first}, {reply_last}] center: {reply_center} > >",
        ("FAILED_PRECONDITION", "CENTER_NOT_YOURS"),
    ),
    (
        "pick",
        "pick_me",
        "pick_id",
        POKEX + "play < cards: [{pick_first}, {pick_last}] > >",
        ("FAILED_PRECONDITION", "CENTER_NOT_NAMED"),
    ),
    (
        "pick",
        "pick_me",
        "pick_id",
        POKEX + "play < cards: [{pick_first}, {pick_last}] center: {pick_first} > >",
        ("FAILED_PRECONDITION", "CENTER_NOT_AVAILABLE"),
    ),
]
"""The games beside Tractor, whose tables give nothing away either."""
