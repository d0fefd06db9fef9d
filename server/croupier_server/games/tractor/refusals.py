"""The words by which Tractor refuses a move; ``clauses.toml`` says what each means."""

from __future__ import annotations

from enum import StrEnum


class Rule(StrEnum):
    """`croupier.v1.Refusal.rule` of a move that Tractor forbids."""

    CARDS_NOT_IN_HAND = "CARDS_NOT_IN_HAND"
    WRONG_CARD_COUNT = "WRONG_CARD_COUNT"
    MIXED_SUITS = "MIXED_SUITS"
    MUST_FOLLOW_SUIT = "MUST_FOLLOW_SUIT"
    MUST_FOLLOW_PAIR = "MUST_FOLLOW_PAIR"
    MUST_FOLLOW_TRACTOR = "MUST_FOLLOW_TRACTOR"
    NOT_A_DECLARATION = "NOT_A_DECLARATION"
    DECLARATION_TOO_WEAK = "DECLARATION_TOO_WEAK"
    DECLARATION_CHANGED = "DECLARATION_CHANGED"
    CALL_OUT_OF_RANGE = "CALL_OUT_OF_RANGE"
    CALL_TOO_LOW = "CALL_TOO_LOW"
    UNKNOWN_TRUMP_SUIT = "UNKNOWN_TRUMP_SUIT"
