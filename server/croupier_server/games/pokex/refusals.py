"""The words by which Pokex refuses a move; ``clauses.toml`` says what each means."""

from __future__ import annotations

from enum import StrEnum


class Rule(StrEnum):
    """`croupier.v1.Refusal.rule` of a move that Pokex forbids."""

    CARDS_NOT_IN_HAND = "CARDS_NOT_IN_HAND"
    WRONG_CARD_COUNT = "WRONG_CARD_COUNT"
    BID_TOO_LOW = "BID_TOO_LOW"
    BID_OUT_OF_RANGE = "BID_OUT_OF_RANGE"
    CENTER_NOT_NAMED = "CENTER_NOT_NAMED"
    CENTER_NOT_AVAILABLE = "CENTER_NOT_AVAILABLE"
    CENTER_NOT_YOURS = "CENTER_NOT_YOURS"
