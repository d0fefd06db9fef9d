"""The words by which Tong-its refuses a move; ``clauses.toml`` says what each means."""

from __future__ import annotations

from enum import StrEnum


class Rule(StrEnum):
    """`croupier.v1.Refusal.rule` of a move that Tong-its forbids."""

    CARDS_NOT_IN_HAND = "CARDS_NOT_IN_HAND"
    WRONG_CARD_COUNT = "WRONG_CARD_COUNT"
    NOT_A_MELD = "NOT_A_MELD"
    NO_DISCARD = "NO_DISCARD"
    NO_SUCH_MELD = "NO_SUCH_MELD"
    CANNOT_LAY_OFF = "CANNOT_LAY_OFF"
    NOT_FOUR_OF_A_KIND = "NOT_FOUR_OF_A_KIND"
    NOT_OPENED = "NOT_OPENED"
    DRAW_CALL_BARRED = "DRAW_CALL_BARRED"
    MUST_DISCARD = "MUST_DISCARD"
    MUST_NOT_DISCARD = "MUST_NOT_DISCARD"
    NOT_ALLOWED_BY_OPTIONS = "NOT_ALLOWED_BY_OPTIONS"
